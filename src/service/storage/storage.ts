import { CompiledQuery, Kysely, type Dialect as KyselyDialect, sql } from 'kysely'
import { TtError } from '../../lib/errors.js'
import { schemaMismatchError } from '../../lib/sqlite/database-errors.js'
import { openSqlite } from '../../lib/sqlite/open.js'
import type { CatalogStep } from '../admin/catalog/catalog-edit.js'
import type { PoolState } from '../operation/metrics.js'
import { createDisk, type Disk } from './disk.js'
import { parseLocation } from './location.js'
import { migrations } from './migrations/migrations.js'
import type { ConnectionOptions } from './postgres/pool.js'
import type { Queries, RunAtOnce, StatementForm } from './queries.js'
import { type Dialect, type Schema, schemaVersion } from './schema.js'
import { type Sql, toSqlText } from './sql.js'
import { createSqliteDialect } from './sqlite-dialect.js'
import { DatabaseUnavailableError, type StorageLimits } from './unavailable.js'

/** The database of the service. */
export interface Storage {
  db: Kysely<Schema>
  /** Access to the same database for requests. */
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

/** Limits of commands: they wait for locks as long as other commands may take, and may change many records at once. */
const defaultLimits: StorageLimits = { statementMs: 0, idleInTransactionMs: 0, lockMs: 10_000 }

/**
 * Opens the database at `location` (`sqlite:PATH`, or a `postgres://` URL) and migrates its schema.
 *
 * Throws TtError `usage` for any other location, and `failure` when the database cannot be opened or belongs to a newer
 * version of this program; it is unchanged then.
 */
export async function openStorage(location: string, options: ConnectionOptions = {}): Promise<Storage> {
  const parsed = parseLocation(location)
  if (parsed.kind === 'postgres') {
    const { openPostgres } = await import('./postgres/open-postgres.js')
    return openPostgres(parsed.url, options)
  }
  const { path } = parsed
  return openInSequence(async () => {
    const limits = { ...defaultLimits }
    const dialect = createSqliteDialect(await openSqlite(path), limits)
    const storage = await createStorage(dialect, 'sqlite', path, limits, dialect.runAtOnce)
    return path === ':memory:' ? storage : { ...storage, disk: createDisk(path) }
  })
}

/**
 * Returns the columns that the SQLite database at `path` would still lack after all migrations, such as "users.name".
 * Rolls the migrations back. Throws TtError `failure` like `openStorage`.
 */
export async function missingColumns(path: string): Promise<string[]> {
  const reference = await openStorage('sqlite::memory:')
  const db = new Kysely<Schema>({ dialect: createSqliteDialect(await openSqlite(path), defaultLimits) })
  const transaction = await db.startTransaction().execute()
  try {
    const version = await versionOf(transaction, 'sqlite')
    if (version > schemaVersion) throw tooNew(path, version)
    await applyMigrations(transaction, 'sqlite', path, version)
    const columns = new Set(await listColumns(transaction))
    return (await listColumns(reference.db)).filter((column) => !columns.has(column))
  } finally {
    await transaction.rollback().execute()
    await db.destroy()
    await reference.close()
  }
}

async function listColumns(db: Kysely<Schema>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    SELECT tables.name || '.' || columns.name AS name
    FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
    WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite_%'`.execute(db)
  return rows.map(({ name }) => name)
}

let lastOpening: Promise<unknown> = Promise.resolve()

/**
 * Opens databases one after the other: waiting for a lock blocks the whole process, so that two parallel migrations of
 * the same file in one process would deadlock.
 */
function openInSequence(open: () => Promise<Storage>): Promise<Storage> {
  const opening = lastOpening.then(open)
  lastOpening = opening.catch(() => {})
  return opening
}

/**
 * Returns the storage over a database driver, and migrates its schema. Throws like `openStorage`, after closing the
 * connection.
 *
 * @param name the name of the database in messages
 */
export async function createStorage(
  dialect: KyselyDialect,
  kind: Dialect,
  name: string,
  limits: StorageLimits = { ...defaultLimits },
  runAtOnce?: RunAtOnce,
): Promise<Storage> {
  const db = new Kysely<Schema>({ dialect })
  try {
    const version = await versionOf(db, kind)
    if (version > schemaVersion) throw tooNew(name, version)
    if (version < schemaVersion) await migrate(db, kind, name)
  } catch (error) {
    await db.destroy()
    throw error
  }
  const queries = createKyselyQueries(db, kind, runAtOnce)
  return { db, queries, dialect: kind, limits, close: () => db.destroy() }
}

/** Returns queries on the connections of Kysely, so that they share its transactions and its order. */
export function createKyselyQueries(db: Kysely<Schema>, dialect: Dialect, runAtOnce?: RunAtOnce): Queries {
  return {
    dialect,
    async all<Row>(query: Sql, form?: StatementForm) {
      const text = toSqlText(query, dialect)
      const result = await runAtOnce?.(text, query.values, form)
      if (result) return result as Row[]
      const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(text, [...query.values]))
      return rows
    },
    transaction: (work) =>
      db.isTransaction
        ? work(createKyselyQueries(db, dialect))
        : repeatable(() =>
            db.transaction().execute((transaction) => work(createKyselyQueries(transaction, dialect))),
          ),
  }
}

/** Upper bound for the repetitions of a transaction that was rolled back. */
const maxRepetitions = 3

/** Runs a transaction, and runs it again when it was rolled back with a lost connection or because of another one. */
async function repeatable<Result>(transaction: () => Promise<Result>): Promise<Result> {
  for (let repetition = 0; ; repetition++) {
    try {
      return await transaction()
    } catch (error) {
      const canRepeat = error instanceof DatabaseUnavailableError && error.isRepeatable
      if (!canRepeat || repetition >= maxRepetitions) throw error
    }
  }
}

async function versionOf(db: Kysely<Schema>, kind: Dialect): Promise<number> {
  if (kind === 'sqlite') {
    const { rows } = await sql<{ user_version: number }>`pragma user_version`.execute(db)
    return rows[0]?.user_version ?? 0
  }
  try {
    const { rows } = await sql<{ version: number }>`select version from schema_version`.execute(db)
    return rows[0]?.version ?? 0
  } catch (error) {
    const undefinedTable = '42P01'
    if (error instanceof Error && 'code' in error && error.code === undefinedTable) return 0
    throw error
  }
}

/** Returns the number of migrations that the database has. Throws the error of a database that cannot be read. */
export function schemaVersionOf({ db, dialect }: Storage): Promise<number> {
  return versionOf(db, dialect)
}

async function migrate(db: Kysely<Schema>, kind: Dialect, name: string): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    if (kind === 'postgres') {
      // Locked until the end of the transaction, so that of several processes at first use only one migrates.
      await sql`select pg_advisory_xact_lock(${migrationLock}::bigint)`.execute(transaction)
      await sql`create table if not exists schema_version (version integer not null)`.execute(transaction)
    }
    const version = await versionOf(transaction, kind)
    if (version > schemaVersion) throw tooNew(name, version)
    await applyMigrations(transaction, kind, name, version)
    if (version < schemaVersion) await setVersion(transaction, kind)
  })
}

/** Applies the migrations after `version`. Throws TtError `failure` when they do not fit the tables of a SQLite database. */
async function applyMigrations(
  db: Kysely<Schema>,
  kind: Dialect,
  name: string,
  version: number,
): Promise<void> {
  try {
    for (const migration of migrations.slice(version)) await migration(db, kind)
  } catch (error) {
    if (kind !== 'sqlite') throw error
    throw schemaMismatchError(error, name)
  }
}

/** An arbitrary number that no other program on the same server is likely to lock. */
const migrationLock = 7_482_953_301

async function setVersion(db: Kysely<Schema>, kind: Dialect): Promise<void> {
  const version = sql.lit(schemaVersion)
  if (kind === 'sqlite') {
    await sql`pragma user_version = ${version}`.execute(db)
    return
  }
  await sql`delete from schema_version`.execute(db)
  await sql`insert into schema_version (version) values (${version})`.execute(db)
}

function tooNew(name: string, version: number): TtError {
  return new TtError(
    'failure',
    `The database ${name} has schema version ${version}; this version of tt supports up to ${schemaVersion}.`,
    { hint: 'Nothing was changed. Update tt, then repeat the command.' },
  )
}
