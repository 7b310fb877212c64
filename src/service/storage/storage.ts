import { TtError } from '../../lib/errors.js'
import { schemaMismatchError } from '../../lib/sqlite/database-errors.js'
import { openSqlite } from '../../lib/sqlite/open.js'
import type { CatalogStep } from '../admin/catalog/catalog-edit.js'
import type { PoolState } from '../operation/metrics.js'
import { createDisk, type Disk } from './disk.js'
import { parseLocation } from './location.js'
import { migrations } from './migrations/migrations.js'
import type { ConnectionOptions } from './postgres/pool.js'
import type { Queries } from './queries.js'
import { type Dialect, schemaVersion, schemaVersionOf } from './schema.js'
import { literal, sql } from './sql.js'
import { createSqliteQueries } from './sqlite.js'
import { commandLimits, type StorageLimits } from './unavailable.js'

/** The database of the service. */
export interface Storage {
  queries: Queries
  dialect: Dialect
  limits: StorageLimits
  /** Returns the state of the connections to PostgreSQL. */
  poolState?(): PoolState
  /** The disk of a SQLite file. */
  disk?: Disk
  /** Receives the parts of changes of the catalog, for undo in the local workspace. */
  journal?: CatalogStep[]
  close(): Promise<void>
}

/**
 * Opens the database at `location` (`sqlite:PATH`, or a `postgres://` URL) and migrates its schema.
 *
 * Throws TtError `usage` for any other location, and `failure` when the database cannot be opened or belongs to a newer
 * version of this program; it is unchanged then.
 */
export async function openStorage(location: string, options: ConnectionOptions = {}): Promise<Storage> {
  const parsed = parseLocation(location)
  if (parsed.kind === 'postgres') {
    const { openPostgres } = await import('./postgres/pool.js')
    return openPostgres(parsed.url, options)
  }
  const { path } = parsed
  const limits = { ...commandLimits }
  const sqlite = await openSqlite(path)
  const storage = await createStorage(createSqliteQueries(sqlite, limits), path, limits, sqlite.close)
  return path === ':memory:' ? storage : { ...storage, disk: createDisk(path) }
}

/** Returns the storage over these queries, and migrates its schema. Throws like `migrate`, after closing the connection. */
export async function createStorage(
  queries: Queries,
  name: string,
  limits: StorageLimits,
  close: () => void | Promise<void>,
): Promise<Storage> {
  try {
    await migrate(queries, name)
  } catch (error) {
    await close()
    throw error
  }
  return { queries, dialect: queries.dialect, limits, close: async () => close() }
}

/**
 * Returns the columns that the SQLite database at `path` would still lack after all migrations, such as "users.name".
 * Rolls the migrations back. Throws TtError `failure` like `openStorage`.
 */
export async function missingColumns(path: string): Promise<string[]> {
  const reference = await openStorage('sqlite::memory:')
  const sqlite = await openSqlite(path)
  const queries = createSqliteQueries(sqlite)
  try {
    sqlite.exec('BEGIN IMMEDIATE')
    await applyMigrations(queries, path)
    const columns = new Set(await listColumns(queries))
    return (await listColumns(reference.queries)).filter((column) => !columns.has(column))
  } finally {
    sqlite.rollBack()
    sqlite.close()
    await reference.close()
  }
}

async function listColumns(queries: Queries): Promise<string[]> {
  const rows = await queries.all<{ name: string }>(sql`
    SELECT tables.name || '.' || columns.name AS name
    FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
    WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite_%'`)
  return rows.map(({ name }) => name)
}

/** Returns the version of the schema. Throws TtError `failure` for that of a newer version of this program. */
async function supportedVersion(queries: Queries, name: string): Promise<number> {
  const version = await schemaVersionOf(queries)
  if (version <= schemaVersion) return version
  throw new TtError(
    'failure',
    `The database ${name} has schema version ${version}; this version of tt supports up to ${schemaVersion}.`,
    { hint: 'Nothing was changed. Update tt, then repeat the command.' },
  )
}

/**
 * Migrates the schema of a database. Throws TtError `failure` for a newer one, which stays unchanged.
 *
 * @param name the name of the database in messages
 */
export async function migrate(queries: Queries, name: string): Promise<void> {
  if ((await supportedVersion(queries, name)) === schemaVersion) return
  await queries.transaction(async (transaction) => {
    if (queries.dialect === 'postgres') {
      // Locked until the end of the transaction, so that of several processes at first use only one migrates.
      await transaction.all(sql`select pg_advisory_xact_lock(${migrationLock}::bigint)`)
      await transaction.all(sql`create table if not exists schema_version (version integer not null)`)
    }
    await applyMigrations(transaction, name)
  })
}

/** Applies the missing migrations. Throws TtError `failure` when they do not fit the tables of a SQLite database. */
async function applyMigrations(queries: Queries, name: string): Promise<void> {
  const version = await supportedVersion(queries, name)
  if (version === schemaVersion) return
  try {
    for (const migration of migrations.slice(version)) await migration(queries)
  } catch (error) {
    if (queries.dialect !== 'sqlite') throw error
    throw schemaMismatchError(error, name)
  }
  await setVersion(queries)
}

/** An arbitrary number that no other program on the same server is likely to lock. */
const migrationLock = 7_482_953_301

async function setVersion(queries: Queries): Promise<void> {
  const version = literal(schemaVersion)
  if (queries.dialect === 'sqlite') {
    await queries.all(sql`pragma user_version = ${version}`)
    return
  }
  await queries.all(sql`delete from schema_version`)
  await queries.all(sql`insert into schema_version (version) values (${version})`)
}
