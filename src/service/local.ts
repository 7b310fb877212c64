import { userInfo } from 'node:os'
import { scopes } from '../api/types.js'
import { createApp } from './app.js'
import { openStorage, type Storage } from './storage.js'

/** The service in this process: the same app that `tt serve` puts on a socket, for the one who runs it. */
export interface LocalWorkspace {
  /** Calls the app instead of a socket. */
  fetch: typeof globalThis.fetch
  storage: Storage
  /** Whether this call made it. */
  created: boolean
  /** Makes a task link and whatever it lacks. Throws TtError `usage` for names that cannot be used. */
  createLink(names: { client?: string; project: string; task: string }): Promise<unknown>
  close(): Promise<void>
}

const ownerEmail = 'you@localhost'

/**
 * Opens the workspace in the SQLite database at `path`, making the company and its only user on first use.
 *
 * What goes wrong inside the app is thrown to the caller as it is: no HTTP status stands between.
 */
export async function openLocalWorkspace(path: string, clock: () => Date): Promise<LocalWorkspace> {
  const storage = await openStorage(`sqlite:${path}`)
  const { id, created } = await owner(storage, clock)
  const principal = { userId: id, scopes: new Set(scopes) }
  let failure: { error: unknown } | undefined
  const app = createApp({
    storage,
    clock,
    authenticate: async () => principal,
    onError: (error) => {
      failure = { error }
    },
  })
  return {
    created,
    storage,
    async fetch(input, init) {
      const response = await app.fetch(new Request(input, init))
      if (failure) throw failure.error
      return response
    },
    async createLink(names) {
      const { addLink } = await import('./administration.js')
      return addLink(storage, names)
    },
    close: () => storage.close(),
  }
}

/** Opens a database that is administered or served for a team, making its company on first use. */
export async function openTeamStorage(location: string): Promise<Storage> {
  const storage = await openStorage(location)
  const { ensureCompany } = await import('./administration.js')
  await ensureCompany(storage, newCompany('Company'))
  return storage
}

/** Until `tt admin company` says otherwise. */
const newCompany = (name: string) => ({
  name,
  currency: 'EUR',
  time_zone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
})

async function owner(storage: Storage, clock: () => Date): Promise<{ id: number; created: boolean }> {
  const known = await storage.db
    .selectFrom('users')
    .select('id')
    .where('email', '=', ownerEmail)
    .executeTakeFirst()
  if (known) return { id: known.id, created: false }
  const { addUser, ensureCompany } = await import('./administration.js')
  await ensureCompany(storage, newCompany('Local workspace'))
  const { id } = await addUser(storage, { email: ownerEmail, name: userName(), clock })
  return { id, created: true }
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    return 'you' // A user without an entry in the system's table, as in a container.
  }
}
