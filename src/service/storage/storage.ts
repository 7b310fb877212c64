import {
  CompiledQuery,
  Kysely,
  type Dialect as KyselyDialect,
  PostgresDialect,
  SqliteDialect,
  sql,
} from 'kysely'
import { errorMessage, TtError } from '../../lib/errors.js'
import type { Sqlite, SqliteStatement } from '../../lib/sqlite/connection.js'
import { schemaMismatchError } from '../../lib/sqlite/errors.js'
import { openSqlite } from '../../lib/sqlite/open.js'
import { migrations } from './migrations.js'
import type { Queries } from './queries.js'
import { type Dialect, type Schema, schemaVersion } from './schema.js'
import { type Sql, toSqlText } from './sql.js'

/** The database of the service. */
export interface Storage {
  db: Kysely<Schema>
  /** The same database, for what requests ask in SQL. */
  queries: Queries
  dialect: Dialect
  close(): Promise<void>
}

/**
 * Opens the database at `location` (`sqlite:PATH`, or a `postgres://` URL) and brings its schema up to date.
 *
 * Throws TtError `usage` for anything else, and `failure` when the database cannot be opened or was made by
 * a newer version of this program; it is unchanged then.
 */
export async function openStorage(location: string): Promise<Storage> {
  const [, scheme, path] = /^(sqlite|postgres|postgresql):(.*)$/is.exec(location) ?? []
  if (scheme === undefined || path === undefined) {
    throw new TtError('usage', `"${location}" does not say where the database is.`, {
      hint: 'Give sqlite:PATH or postgres://USER@HOST/DATABASE.',
    })
  }
  if (scheme.toLowerCase() !== 'sqlite') return openPostgres(location)
  if (path === '') {
    throw new TtError('usage', 'The path of the database is empty.', { hint: 'Give sqlite:PATH.' })
  }
  return inTurn(async () =>
    createStorage(new SqliteDialect({ database: forKysely(await openSqlite(path)) }), 'sqlite', path),
  )
}

/**
 * The columns that the SQLite database at `path` lacks even when its migrations are applied, such as "users.name"; they
 * are rolled back. Throws TtError `failure` like `openStorage`.
 */
export async function missingColumns(path: string): Promise<string[]> {
  const sound = await openStorage('sqlite::memory:')
  const db = new Kysely<Schema>({
    dialect: new SqliteDialect({ database: forKysely(await openSqlite(path)) }),
  })
  const transaction = await db.startTransaction().execute()
  try {
    const version = await versionOf(transaction, 'sqlite')
    if (version > schemaVersion) throw tooNew(path, version)
    await applyMigrations(transaction, 'sqlite', path, version)
    const found = new Set(await columnsOf(transaction))
    return (await columnsOf(sound.db)).filter((column) => !found.has(column))
  } finally {
    await transaction.rollback().execute()
    await db.destroy()
    await sound.close()
  }
}

async function columnsOf(db: Kysely<Schema>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    SELECT tables.name || '.' || columns.name AS name
    FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
    WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite_%'`.execute(db)
  return rows.map(({ name }) => name)
}

let lastOpening: Promise<unknown> = Promise.resolve()

/**
 * Opens one database after the other: waiting for a lock stops the whole process, so two that migrate the same
 * file here at once would each keep the other from finishing.
 */
function inTurn(open: () => Promise<Storage>): Promise<Storage> {
  const opening = lastOpening.then(open)
  lastOpening = opening.catch(() => {})
  return opening
}

/**
 * Storage over a connection that is there already; `name` is what messages call it.
 *
 * Brings the schema up to date. Throws like `openStorage`, and closes the connection then.
 */
export async function createStorage(dialect: KyselyDialect, kind: Dialect, name: string): Promise<Storage> {
  const db = new Kysely<Schema>({ dialect })
  try {
    const version = await versionOf(db, kind)
    if (version > schemaVersion) throw tooNew(name, version)
    if (version < schemaVersion) await migrate(db, kind, name)
  } catch (error) {
    await db.destroy()
    throw error
  }
  return { db, queries: queriesThrough(db, kind), dialect: kind, close: () => db.destroy() }
}

/** Queries on the connections of Kysely, so that they share its transactions and its turns. */
function queriesThrough(db: Kysely<Schema>, dialect: Dialect): Queries {
  return {
    dialect,
    async all<Row>(query: Sql) {
      const { rows } = await db.executeQuery<Row>(
        CompiledQuery.raw(toSqlText(query, dialect), [...query.values]),
      )
      return rows
    },
    transaction: (work) =>
      db.transaction().execute((transaction) => work(queriesThrough(transaction, dialect))),
  }
}

async function openPostgres(location: string): Promise<Storage> {
  const name = withoutSecrets(location)
  const { default: pg } = await import('pg')
  const int8 = 20
  const pool = new pg.Pool({
    connectionString: location,
    connectionTimeoutMillis: 10_000,
    types: {
      // Every integer here is within what a number holds exactly, but for amounts, which are never read back.
      getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
        oid === int8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
    },
  })
  // An idle connection that breaks is replaced by the next query; unheard, the event would end the process.
  pool.on('error', () => {})
  try {
    return await createStorage(new PostgresDialect({ pool }), 'postgres', name)
  } catch (error) {
    if (error instanceof TtError) throw error
    throw new TtError('failure', `The database ${name} cannot be used: ${reasonOf(error)}.`, {
      hint: 'Check the address, the user and the password, and that the server runs.',
      cause: error,
    })
  }
}

function withoutSecrets(location: string): string {
  if (!URL.canParse(location)) return 'at that postgres:// address'
  const { protocol, host, pathname } = new URL(location)
  return `${protocol}//${host}${pathname}`
}

function reasonOf(error: unknown): string {
  // Node tries every address of a name and reports them together, with an empty message.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  return errorMessage(first)
}

/** How many prepared statements are kept: more than the program has, but for what `q` makes of them. */
const mostStatements = 100

function forKysely(sqlite: Sqlite) {
  const statements = new Map<string, SqliteStatement>()
  return {
    close() {
      statements.clear()
      sqlite.close()
    },
    /** A statement is used up by the call that runs it, so that the next one can have the same again. */
    prepare(query: string): SqliteStatement {
      const known = statements.get(query)
      if (known) return known
      const [oldest] = statements.keys()
      if (oldest !== undefined && statements.size >= mostStatements) statements.delete(oldest)
      const statement = prepared(sqlite, query)
      statements.set(query, statement)
      return statement
    },
  }
}

function prepared(sqlite: Sqlite, query: string): SqliteStatement {
  // Every transaction here writes. One that took the write lock only later could find that another process has
  // written in between, and nothing but starting over would help then.
  if (query === 'begin') return sqlite.prepare('begin immediate')
  const statement = sqlite.prepare(query)
  if (query === 'commit') return { ...statement, run: () => withoutChanges(sqlite.commit) }
  return query === 'rollback' ? { ...statement, run: () => withoutChanges(sqlite.rollBack) } : statement
}

function withoutChanges(work: () => void) {
  work()
  return { changes: 0, lastInsertRowid: 0 }
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

async function migrate(db: Kysely<Schema>, kind: Dialect, name: string): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    if (kind === 'postgres') {
      // Held to the end of the transaction, so that of several processes at first use only one migrates.
      await sql`select pg_advisory_xact_lock(${migrationLock}::bigint)`.execute(transaction)
      await sql`create table if not exists schema_version (version integer not null)`.execute(transaction)
    }
    const version = await versionOf(transaction, kind)
    if (version > schemaVersion) throw tooNew(name, version)
    await applyMigrations(transaction, kind, name, version)
    if (version < schemaVersion) await setVersion(transaction, kind)
  })
}

/** Throws TtError `failure` where the migrations above that version do not fit the tables of a SQLite database. */
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

/** Any number that no other program on the same server is likely to lock. */
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
    `The database ${name} has schema version ${version}; this version of tt knows ${schemaVersion} and older.`,
    { hint: 'Nothing was changed. Update tt, then repeat the command.' },
  )
}
