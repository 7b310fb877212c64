import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { scopes } from '../../../src/api-client/types.js'
import * as administration from '../../../src/service/admin/administration.js'
import { type AppOptions, createApp } from '../../../src/service/http/app.js'
import { createPool, createPostgresStorage, type Pool } from '../../../src/service/storage/postgres/pool.js'
import type { Queries } from '../../../src/service/storage/queries.js'
import { allOf, identifier, insertInto, type Sql, sql } from '../../../src/service/storage/sql.js'
import { openStorage, type Storage } from '../../../src/service/storage/storage.js'
import { describedApp } from '../../support/described-responses.js'
import {
  createSharedDatabase,
  execute,
  findPostgresPrograms,
  type SharedDatabase,
} from '../../support/postgres.js'

export const now = new Date('2024-05-08T12:00:00Z')
export const clock = () => now

export interface Database {
  storage: Storage
  close(): Promise<void>
}

const everyDatabase: [name: string, open: () => Promise<Database>][] = [
  ['SQLite', () => temporarySqlite()],
  ['PostgreSQL', temporaryPostgres],
]

/**
 * The databases that tests run with: both, or the one of the project. Creating the tables takes time, so that the tests of
 * a file share a database.
 */
export const databases = everyDatabase.filter(([name]) => name === (process.env.TT_TEST_DATABASE ?? name))

/** Whether tests run with PostgreSQL: in this process if no server is installed. */
export const usesPostgres = databases.some(([name]) => name === 'PostgreSQL')

/** Whether they run with a PostgreSQL server. */
export const usesPostgresServer = usesPostgres && findPostgresPrograms() !== undefined

/** Opens a database before the tests of a file or block, and closes it after them. */
export function useDatabase(open: () => Promise<Database>): Database {
  let opened: Database
  const close = () => opened.close()
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(close)
  return {
    get storage() {
      return opened.storage
    },
    close,
  }
}

/** Creates a directory that the tests of a file share until `remove` is called. */
export async function sharedDirectory(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'tt-service-'))
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

interface SqliteFile extends Database {
  path: string
}

/** A copy of a prepared database, with the result of the preparation. */
export interface PreparedDatabase<Result> extends Database {
  prepared: Result
}

/**
 * Returns a function that opens copies of a SQLite database. The database is migrated and prepared once per worker, which
 * takes longer than a copy.
 */
export function preparedSqlite<Result>(
  prepare: (storage: Storage) => Promise<Result>,
): () => Promise<SqliteFile & PreparedDatabase<Result>> {
  let template: Promise<{ file: Buffer; prepared: Result }> | undefined
  const createTemplate = async () => {
    const { storage, path, close } = await openSqliteFile()
    const prepared = await prepare(storage)
    await storage.close()
    const file = await readFile(path)
    await close()
    return { file, prepared }
  }
  return async () => {
    template ??= createTemplate()
    const { file, prepared } = await template
    return { ...(await openSqliteFile(file)), prepared }
  }
}

/** Opens a SQLite database, or a copy of one, in a directory of its own. */
async function openSqliteFile(file?: Buffer): Promise<SqliteFile> {
  const directory = await sharedDirectory()
  const path = join(directory.path, 'service.sqlite')
  if (file) await writeFile(path, file, { mode: 0o600 })
  const storage = await openStorage(`sqlite:${path}`)
  const close = async () => {
    await storage.close()
    await directory.remove()
  }
  return { storage, path, close }
}

/** Opens an empty SQLite database with the current schema. */
export const temporarySqlite: () => Promise<SqliteFile> = preparedSqlite(async () => {})

/** An empty PostgreSQL database. */
export type EmptyPostgres = ReturnType<typeof withPool>

/** Connections of each pool. With one, concurrent requests could never meet in the database. */
const poolSize = 5

/** Creates a database on the server that all tests share; without an installed server, in this process. */
export async function emptyPostgres(): Promise<EmptyPostgres> {
  if (findPostgresPrograms() === undefined) return emptyPglite()
  return withPool(await createSharedDatabase())
}

function withPool({ url, drop }: SharedDatabase) {
  return {
    /** Opens another pool of connections. */
    openPool: () => createPool(url, { statementMs: 0, idleInTransactionMs: 0 }, { poolSize }),
    exec: (statements: string) => execute(url, statements),
    close: drop,
  }
}

let pgliteOfWorker: Promise<PGlite> | undefined

/** Empties the PostgreSQL of this worker. It takes seconds to start, so that all tests use the same, one at a time. */
async function emptyPglite(): Promise<EmptyPostgres> {
  pgliteOfWorker ??= import('@electric-sql/pglite').then((module) =>
    module.PGlite.create({ parsers: { 20: Number } }),
  )
  const postgres = await pgliteOfWorker
  await postgres.exec('drop schema public cascade; create schema public')
  const pool = poolOver(postgres)
  return {
    openPool: async () => pool,
    exec: async (statements) => void (await postgres.exec(statements)),
    close: async () => {},
  }
}

/** The name of a database with the current schema, which is created once per worker: a copy takes less time. */
let templateOfWorker: Promise<string> | undefined

async function createPostgresTemplate(): Promise<string> {
  const database = await createSharedDatabase()
  const storage = await createPostgresStorage(await withPool(database).openPool(), 'a test database')
  await storage.close()
  return database.name
}

async function copyOfTemplate(): Promise<EmptyPostgres> {
  templateOfWorker ??= createPostgresTemplate()
  return withPool(await createSharedDatabase(await templateOfWorker))
}

/** Opens an empty PostgreSQL database with the current schema. */
export async function temporaryPostgres(): Promise<Database> {
  const hasServer = findPostgresPrograms() !== undefined
  const postgres = await (hasServer ? copyOfTemplate() : emptyPglite())
  const storage = await createPostgresStorage(await postgres.openPool(), 'a test database')
  return {
    storage,
    async close() {
      await storage.close()
      await postgres.close()
    },
  }
}

/** Returns a pool of the single connection of PGlite, which serves one client at a time. */
function poolOver(postgres: PGlite): Pool {
  let free: Promise<void> = Promise.resolve()
  return {
    async connect() {
      const before = free
      let release = () => {}
      free = new Promise((resolve) => {
        release = resolve
      })
      await before
      return {
        query: (text, values: readonly unknown[] = []) => postgres.query(text, [...values]),
        release,
      }
    },
    async end() {},
  }
}

/** Whether a connection to a PostgreSQL database waits for a lock. */
export async function waitsForLock({ queries }: Storage): Promise<boolean> {
  const waiting = await queries.all(sql`
    select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
  return waiting.length > 0
}

/** Deletes all records, so that a test starts with an empty schema. */
export async function clearDatabase({ queries }: Storage): Promise<void> {
  const tables = ['expenses', 'expense_types', 'time_entries', 'assignments', 'task_links', 'tasks']
  const people = ['tokens', 'applications', 'sign_in_attempts', 'identities', 'users', 'company']
  for (const table of [...tables, 'projects', 'clients', ...people]) {
    await queries.all(sql`delete from ${identifier(table)}`)
  }
}

export type ServiceFixture = Awaited<ReturnType<typeof createServiceFixture>>

/** Creates a company, two users and a task link; requests are from the first user by default. */
export async function createServiceFixture(storage: Storage) {
  await clearDatabase(storage)
  await administration.ensureCompany(storage, { name: 'Acme', currency: 'EUR', time_zone: 'Europe/Berlin' })
  const first = await administration.addUser(storage, { email: 'a@example.org', name: 'A', clock })
  const second = await administration.addUser(storage, { email: 'b@example.org', name: 'B', clock })
  const link = await administration.addLink(storage, { client: 'Acme', project: 'Website', task: 'Design' })
  const errors: unknown[] = []
  const app = createApp({
    storage,
    clock,
    authenticate: async (token) => ({ userId: token ? Number(token) : first.id, scopes: new Set(scopes) }),
    onError: (error) => errors.push(error),
  })
  const described = describedApp(app)
  const send = async (
    method: string,
    path: string,
    body?: unknown,
    user = first.id,
    headers: Record<string, string> = {},
  ) =>
    described.fetch(
      new Request(`http://local/api/v1${path}`, {
        method,
        headers: { ...headers, Authorization: `Bearer ${user}` },
        body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
      }),
    )
  return {
    ...{ app, link: Number(link.id), users: [first.id, second.id] as const, errors, send },
    get: (path: string) => send('GET', path),
    /** Returns the body of a request that creates an entry or an expense. */
    createBody: (path: string, fields: object = {}) =>
      path === '/expenses'
        ? { expense: { spent_on: '2024-05-08', amount: '12.50', ...fields } }
        : { time_start: '2024-05-08T09:30:00+02:00', task_link_id: Number(link.id), ...fields },
    /** Stores entries of a user, one for each minute. */
    async storeEntries(count: number, { user = first.id, notes = '' } = {}) {
      const own = { user_id: user, notes, task_link_id: Number(link.id), created_at: 0, updated_at: 0 }
      const rows = Array.from({ length: count }, (_, n) => ({ ...own, time_start: n * 60_000 }))
      await storage.queries.all(insertInto('time_entries', ...rows))
    },
    /** Requests a list and returns its IDs; the response must be 200. */
    async ids(path: string) {
      const response = await send('GET', path)
      expect(response.status).toBe(200)
      return ((await response.json()) as { id: unknown }[]).map(({ id }) => id)
    },
  }
}

/** Creates such a service in the database before each test of a file or block. */
export function useServiceFixture(database: Database): ServiceFixture {
  const fixture = {} as ServiceFixture
  beforeEach(async () => void Object.assign(fixture, await createServiceFixture(database.storage)))
  return fixture
}

/** Sends a request of a user to a service with these options, such as other queries. */
export async function sendTo(
  options: Pick<AppOptions, 'storage'> & Partial<AppOptions>,
  user: number,
  path: string,
  { body, headers, ...request }: { method?: string; body?: object; headers?: Record<string, string> } = {},
): Promise<Response> {
  const authenticate = async () => ({ userId: user, scopes: new Set(scopes) })
  return createApp({ clock, authenticate, ...options }).fetch(
    new Request(`http://local/api/v1${path}`, {
      ...request,
      headers: { Authorization: 'Bearer any', ...headers },
      body: body ? JSON.stringify(body) : null,
    }),
  )
}

export const q = (predicates: unknown) => `q=${encodeURIComponent(JSON.stringify(predicates))}`

/** Returns queries that call `before` with each statement before they run it. */
export function observed(queries: Queries, before: (query: Sql) => unknown): Queries {
  const withWhere =
    (run: Queries['read']): Queries['read'] =>
    async (conditions, build) => {
      await before(build(allOf(...conditions)))
      return run(conditions, build)
    }
  return {
    ...queries,
    async all(query) {
      await before(query)
      return queries.all(query)
    },
    read: withWhere(queries.read),
    change: withWhere(queries.change),
  }
}
