import type { Fetch, HeadersLike } from '../api-client/http/transport.js'
import { scopes, type TaskLink } from '../api-client/types.js'
import type { Sqlite } from '../lib/sqlite/connection.js'
import type { CatalogChanges } from './catalog-changes.js'
import { createApp } from './http/app.js'
import { RecordBatches } from './http/response.js'
import type { EntryImports } from './imports/entry-imports.js'
import type { Queries } from './storage/queries.js'
import { ownerEmail, schemaVersion, schemaVersionOf } from './storage/schema.js'
import { sql } from './storage/sql.js'
import { createSqliteQueries } from './storage/sqlite.js'
import type { Storage } from './storage/storage.js'
import { commandLimits } from './storage/unavailable.js'

/** The local workspace: the app of the hosted service, running in this process for a single user. */
export interface LocalWorkspace {
  /** Calls the app directly instead of sending a request. */
  fetch: Fetch
  /** The same database for administration. */
  storage: Storage
  /** Whether this call created the workspace. */
  isNew: boolean
  /** Whether the workspace has ever had an entry or an expense. */
  isUsed(): Promise<boolean>
  /** Finds or creates a task link with its client, project and task. Throws TtError `usage` for invalid names. */
  createLink(names: { client?: string; project: string; task: string }): Promise<TaskLink>
  /** Creates an expense type. Throws TtError `usage` for an invalid name, and for one that is in use or archived. */
  createExpenseType(name: string): Promise<unknown>
  /**
   * Returns the ID of the records that `createLink` and `createExpenseType` have created since the last call, for
   * `CatalogChanges`; undefined if there are none.
   */
  takeCreated(): string | undefined
  /** Returns the changes of clients, projects, tasks and expense types. */
  catalogChanges(): Promise<CatalogChanges>
  /** Returns the imports into this workspace. */
  imports(): Promise<EntryImports>
  close(): Promise<void>
}

/** Loads the module on demand: an existing workspace rarely needs it. */
const loadBootstrap = () => import('./admin/bootstrap.js')

export interface LocalWorkspaceOptions {
  /** The path of the database, for messages. */
  path: string
  clock: () => Date
  /** Called before the company and the only user are created; throws when no workspace may be created. */
  beforeFirstUse?(): Promise<void>
}

/**
 * Opens the workspace in a SQLite database. Creates the company and its only user on first use. Its requests, and those of
 * its administration, belong to the transaction that the connection has begun.
 *
 * `fetch` of the result rejects with the original errors of the app, not with HTTP errors.
 */
export async function openLocalWorkspace(
  sqlite: Sqlite,
  { path, clock, beforeFirstUse = async () => {} }: LocalWorkspaceOptions,
): Promise<LocalWorkspace> {
  const limits = { ...commandLimits }
  const queries = createSqliteQueries(sqlite, limits)
  const close = async () => sqlite.close()
  const storage: Storage = { queries, dialect: 'sqlite', limits, close }
  let created: string | undefined
  const create = async <Result>(work: (storage: Storage) => Promise<Result>): Promise<Result> => {
    const { journaled } = await loadBootstrap()
    const options = { title: () => null, now: clock(), id: created }
    const { result, id } = await journaled(storage, options, work)
    created = id
    return result
  }
  try {
    const { id, isNew, isUnused } = await findOrCreateOwner(queries, async () => {
      const hasNoTables = async () => (await schemaVersionOf(queries)) === 0
      if (await hasNoTables()) await checkFirstUse(beforeFirstUse, hasNoTables)
      const { createOwner, migrate } = await loadBootstrap()
      await migrate(queries, path)
      return createOwner(storage, { email: ownerEmail, clock })
    })
    const isStillUnused = async () => (await findOwner(queries))?.isUnused === true
    if (isUnused && !isNew) await checkFirstUse(beforeFirstUse, isStillUnused)
    return {
      isNew,
      isUsed: async () => !(await isStillUnused()),
      storage,
      fetch: createInProcessFetch(queries, id, clock),
      async createLink(names) {
        const { addLink } = await loadBootstrap()
        return create((within) => addLink(within, names))
      },
      async createExpenseType(name) {
        const { addExpenseType } = await loadBootstrap()
        return create((within) => addExpenseType(within, name, { restores: false }))
      },
      takeCreated() {
        const id = created
        created = undefined
        return id
      },
      async catalogChanges() {
        const { createCatalogChanges } = await import('./catalog-changes.js')
        return createCatalogChanges(queries, clock)
      },
      async imports() {
        const { createEntryImports } = await import('./imports/entry-imports.js')
        return createEntryImports(queries, id, clock)
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Runs `check`. Ignores its error if `isFirstUse` is false by then: another process has begun to use the workspace. */
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

/** Returns the owner of the workspace. If the workspace is new or has an older schema, calls `create` first. */
async function findOrCreateOwner(
  queries: Queries,
  create: () => Promise<{ created: boolean }>,
): Promise<Owner & { isNew: boolean }> {
  const existing = await findOwner(queries)
  if (existing !== undefined) return { ...existing, isNew: false }
  const { created } = await create()
  const owner = await findOwner(queries)
  if (owner === undefined) throw new Error('The local workspace has no owner.')
  return { ...owner, isNew: created }
}

async function findOwner(queries: Queries): Promise<Owner | undefined> {
  if ((await schemaVersionOf(queries)) !== schemaVersion) return undefined
  // sqlite_sequence stores the last ID of a table even after all its rows have been deleted.
  const [owner] = await queries.all<{ id: number; used: number }>(sql`
    select id, exists (select 1 from sqlite_sequence where name in ('time_entries', 'expenses')) as used
    from users where email = ${ownerEmail}`)
  return owner && { id: owner.id, isUnused: owner.used === 0 }
}

function createInProcessFetch(queries: Queries, userId: number, clock: () => Date): Fetch {
  const user = { userId, scopes: new Set(scopes) }
  let failure: { error: unknown } | undefined
  const app = createApp({
    storage: { queries },
    clock,
    seesEverything: true,
    authenticate: async () => user,
    onError: (error) => {
      failure = { error }
    },
  })
  return async (url, { method, headers, body = '' }) => {
    const requestHeaders = headersLike({ ...headers, 'content-length': String(Buffer.byteLength(body)) })
    const response = await app.respond({ url, method, headers: requestHeaders, text: async () => body })
    if (failure) throw failure.error
    const { status, headers: responseHeaders, body: responseBody } = response
    const isList = responseBody instanceof RecordBatches
    return {
      status,
      headers: headersLike(responseHeaders),
      text: () => readText(isList ? responseBody.text() : (responseBody ?? '')),
      ...(isList ? { records: responseBody.batches } : {}),
    }
  }
}

function headersLike(headers: Record<string, string>): HeadersLike {
  const byName = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return { get: (name) => byName.get(name.toLowerCase()) ?? null }
}

async function readText(text: string | AsyncIterable<string>): Promise<string> {
  if (typeof text === 'string') return text
  const chunks: string[] = []
  for await (const chunk of text) chunks.push(chunk)
  return chunks.join('')
}
