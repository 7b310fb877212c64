import { existsSync } from 'node:fs'
import type { Fetch, HeadersLike } from '../api/transport.js'
import { scopes } from '../api/types.js'
import type { Sqlite } from '../lib/sqlite/connection.js'
import { isBrokenLink } from '../lib/sqlite/links.js'
import { openSqlite, shortLogPages } from '../lib/sqlite/open.js'
import { createApp } from './http/app.js'
import type { HttpResponse } from './http/response.js'
import { createSqliteQueries, type Queries } from './storage/queries.js'
import { schemaVersion } from './storage/schema.js'
import { sql } from './storage/sql.js'
import type { Storage } from './storage/storage.js'

/** The service in this process: the same app that `tt serve` puts on a socket, for the one who runs it. */
export interface LocalWorkspace {
  /** Calls the app instead of a socket. */
  fetch: Fetch
  /** The same database, for its administration. */
  storage(): Promise<Storage>
  /** Whether this call made it. */
  isNew: boolean
  /** Makes a task link and whatever it lacks. Throws TtError `usage` for names that cannot be used. */
  createLink(names: { client?: string; project: string; task: string }): Promise<unknown>
  close(): Promise<void>
}

const ownerEmail = 'you@localhost'

/** Loaded where it is needed: hardly ever, once the workspace is made. */
const setUp = () => import('./admin/bootstrap.js')

/**
 * Opens the workspace in the SQLite database at `path`, making the company and its only user on first use; before that
 * it calls `beforeFirstUse`, which throws where a workspace must not be made.
 *
 * What goes wrong inside the app is thrown to the caller as it is: no HTTP status stands between.
 */
export async function openLocalWorkspace(
  path: string,
  clock: () => Date,
  beforeFirstUse: () => Promise<void> = async () => {},
): Promise<LocalWorkspace> {
  // Called before the file is created, so that a refusal leaves nothing behind. Opening reports a broken link.
  const isMissing = () => !existsSync(path)
  if (isMissing() && !isBrokenLink(path)) await checkFirstUse(beforeFirstUse, isMissing)
  const sqlite = await openSqlite(path, { checkpointPages: shortLogPages })
  const queries = createSqliteQueries(sqlite)
  let storage: Promise<Storage> | undefined
  const close = async () => {
    sqlite.close()
    await (await storage?.catch(() => undefined))?.close()
  }
  const openStorage = () => {
    storage ??= setUp().then((module) => module.openStorage(`sqlite:${path}`))
    return storage
  }
  try {
    const { id, created, isUnused } = await ownerOf(sqlite, queries, async () => {
      const hasNoTables = () => versionOf(sqlite) === 0
      if (hasNoTables()) await checkFirstUse(beforeFirstUse, hasNoTables)
      const { createOwner } = await setUp()
      return createOwner(await openStorage(), { email: ownerEmail, clock })
    })
    const isStillUnused = async () => (await knownOwner(sqlite, queries))?.isUnused === true
    if (isUnused && !created) await checkFirstUse(beforeFirstUse, isStillUnused)
    return {
      isNew: created,
      storage: openStorage,
      fetch: callInProcess(queries, id, clock),
      async createLink(names) {
        const { addLink } = await setUp()
        return addLink(await openStorage(), names)
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Throws what `check` throws, unless another process has begun to use the workspace since it was looked at. */
async function checkFirstUse(check: () => Promise<void>, isFirstUse: () => boolean | Promise<boolean>) {
  try {
    await check()
  } catch (error) {
    if (await isFirstUse()) throw error
  }
}

interface Owner {
  id: number
  /** Whether the workspace has never had an entry or an expense. */
  isUnused: boolean
}

/** The owner of the workspace; made by `make` when it is new, or of an older version. */
async function ownerOf(
  sqlite: Sqlite,
  queries: Queries,
  make: () => Promise<{ created: boolean }>,
): Promise<Owner & { created: boolean }> {
  const known = await knownOwner(sqlite, queries)
  if (known !== undefined) return { ...known, created: false }
  const { created } = await make()
  const owner = await knownOwner(sqlite, queries)
  if (owner === undefined) throw new Error('The local workspace has lost its owner.')
  return { ...owner, created }
}

async function knownOwner(sqlite: Sqlite, queries: Queries): Promise<Owner | undefined> {
  if (versionOf(sqlite) !== schemaVersion) return undefined
  // SQLite remembers the last id of a table whose rows have all been deleted.
  const [owner] = await queries.all<{ id: number; used: number }>(sql`
    select id, exists (select 1 from sqlite_sequence where name in ('time_entries', 'expenses')) as used
    from users where email = ${ownerEmail}`)
  return owner && { id: owner.id, isUnused: owner.used === 0 }
}

/** The version of the schema; 0 in a database without tables. */
function versionOf(sqlite: Sqlite): number {
  return (sqlite.prepare('pragma user_version').get() as { user_version: number }).user_version
}

function callInProcess(queries: Queries, userId: number, clock: () => Date): Fetch {
  const principal = { userId, scopes: new Set(scopes) }
  let failure: { error: unknown } | undefined
  const app = createApp({
    storage: { queries },
    clock,
    authenticate: async () => principal,
    onError: (error) => {
      failure = { error }
    },
  })
  return async (url, { method, headers, body = '' }) => {
    const sent = headersLike({ ...headers, 'content-length': String(Buffer.byteLength(body)) })
    const reply = await app.respond({ url, method, headers: sent, text: async () => body })
    if (failure) throw failure.error
    const { status, headers: given, body: answered } = reply
    return {
      status,
      headers: headersLike(given),
      body: piecesOf(answered),
      text: () => textOf(answered),
    }
  }
}

function headersLike(headers: Record<string, string>): HeadersLike {
  const byName = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return { get: (name) => byName.get(name.toLowerCase()) ?? null }
}

async function* piecesOf(body: HttpResponse['body']): AsyncGenerator<string> {
  if (typeof body === 'string') yield body
  else if (body !== null) yield* body
}

async function textOf(body: HttpResponse['body']): Promise<string> {
  if (body === null || typeof body === 'string') return body ?? ''
  const pieces: string[] = []
  for await (const piece of body) pieces.push(piece)
  return pieces.join('')
}
