import { userInfo } from 'node:os'
import type { Fetch, HeadersLike } from '../api/transport.js'
import { scopes } from '../api/types.js'
import { createApp } from './app.js'
import type { Reply } from './http.js'
import { openStorage, type Storage } from './storage.js'

/** The service in this process: the same app that `tt serve` puts on a socket, for the one who runs it. */
export interface LocalWorkspace {
  /** Calls the app instead of a socket. */
  fetch: Fetch
  storage: Storage
  /** Whether this call made it. */
  created: boolean
  /** Makes a task link and whatever it lacks. Throws TtError `usage` for names that cannot be used. */
  createLink(names: { client?: string; project: string; task: string }): Promise<unknown>
  close(): Promise<void>
}

const ownerEmail = 'you@localhost'

/** Loaded where it is needed: hardly ever, once the workspace is made. */
const administration = () => import('./administration.js')

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
    async fetch(url, { method, headers, body = '' }) {
      const sent = headersLike({ ...headers, 'content-length': String(Buffer.byteLength(body)) })
      const reply = await app.reply({ url, method, headers: sent, text: async () => body })
      if (failure) throw failure.error
      return {
        status: reply.status,
        headers: headersLike(reply.headers),
        async text() {
          const text = await textOf(reply.body)
          if (failure) throw failure.error
          return text
        },
      }
    },
    async createLink(names) {
      const { addLink } = await administration()
      return addLink(storage, names)
    },
    close: () => storage.close(),
  }
}

function headersLike(headers: Record<string, string>): HeadersLike {
  const byName = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return { get: (name) => byName.get(name.toLowerCase()) ?? null }
}

async function textOf(body: Reply['body']): Promise<string> {
  if (body === null || typeof body === 'string') return body ?? ''
  const pieces: string[] = []
  for await (const piece of body) pieces.push(piece)
  return pieces.join('')
}

/** Opens a database that is administered or served for a team, making its company on first use. */
export async function openTeamStorage(location: string): Promise<Storage> {
  const storage = await openStorage(location)
  const { ensureCompany } = await administration()
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
  const known = await ownerId(storage)
  if (known !== undefined) return { id: known, created: false }
  const { addUser, ensureCompany } = await administration()
  await ensureCompany(storage, newCompany('Local workspace'))
  try {
    const { id } = await addUser(storage, { email: ownerEmail, name: userName(), clock })
    return { id, created: true }
  } catch (error) {
    // Another process may have been first since the look.
    const id = await ownerId(storage)
    if (id === undefined) throw error
    return { id, created: false }
  }
}

async function ownerId(storage: Storage): Promise<number | undefined> {
  const users = storage.db.selectFrom('users').select('id').where('email', '=', ownerEmail)
  return (await users.executeTakeFirst())?.id
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    return 'you' // A user without an entry in the system's table, as in a container.
  }
}
