import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type Entry, entryFromJson } from '../entries/entry.js'
import type { Sqlite } from '../lib/sqlite/connection.js'
import { driverName } from '../lib/sqlite/driver.js'
import { openSqlite } from '../lib/sqlite/open.js'
import type { QueuedChange } from '../outbox/queued-change.js'
import { applyMigrations, migrations, rehearse } from './state-schema.js'

/** What a database file looks like from outside. */
export interface DatabaseInspection {
  bytes: number
  /** The version of its schema. */
  version: number
  /** What SQLite's integrity check finds, ten lines at most; none where the file is sound. */
  flaws: string[]
}

/** The state of a profile, which may be of another version than this `tt` makes. */
export interface StateInspection extends DatabaseInspection {
  /** The version that this `tt` makes. */
  supportedVersion: number
  /** Columns that the state lacks even when its migrations are applied, such as "outbox.waits_for". */
  missingColumns: string[]
  /** The names of the copies that were kept beside it before its schema changed. */
  copies: string[]
}

/** Changes that the service does not have: how many are in which state, and when the oldest was typed. */
export interface PendingChangeCount {
  total: number
  count: Record<QueuedChange['state'], number>
  oldest: Date | undefined
}

/** Changes that wait in the outbox of another profile. */
export interface OtherPendingChangeCount extends PendingChangeCount {
  /** The key of the state; see `clientStatePath`. */
  stateKey: string
  path: string
}

/**
 * Looks at the database in the file at `path` without changing its schema; undefined where there is none. Throws
 * TtError `failure` when it cannot be used, like all functions here.
 */
export async function inspectDatabase(path: string): Promise<DatabaseInspection | undefined> {
  return withDatabase(path, (database) => ({
    bytes: statSync(path).size,
    version: number(database, 'PRAGMA user_version'),
    flaws: flawsOf(database),
  }))
}

/** The same for the client state of a profile. */
export async function inspectState(path: string): Promise<StateInspection | undefined> {
  const found = await inspectDatabase(path)
  if (!found) return undefined
  const copies = readdirSync(dirname(path)).filter((name) => name.startsWith(`${basename(path)}.version-`))
  const isUsable = found.flaws.length === 0 && found.version <= migrations.length
  const missing = isUsable ? await withDatabase(path, (database) => missingColumns(path, database)) : []
  return {
    ...found,
    supportedVersion: migrations.length,
    missingColumns: missing ?? [],
    copies: copies.sort(),
  }
}

/** Applies the migrations as a command does, compares the columns with those of a new state, and rolls back. */
async function missingColumns(path: string, database: Sqlite): Promise<string[]> {
  const sound = await openSqlite(':memory:')
  try {
    for (const migration of migrations) sound.exec(migration)
    const found = rehearse(database, () => {
      applyMigrations(database, path, number(database, 'PRAGMA user_version'))
      return new Set(columnsOf(database))
    })
    return columnsOf(sound).filter((column) => !found.has(column))
  } finally {
    sound.close()
  }
}

function columnsOf(database: Sqlite): string[] {
  const rows = database.prepare(columnNames).all() as { name: string }[]
  return rows.map(({ name }) => name)
}

const columnNames = `
  SELECT tables.name || '.' || columns.name AS name
  FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
  WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite_%'`

/** What waits in the outbox of the client state at `path`: nothing where there is no such file. */
export async function countPendingChanges(path: string): Promise<PendingChangeCount> {
  const found = await withDatabase(path, (database) =>
    hasTable(database, 'outbox')
      ? (database
          .prepare('SELECT state, count(*) AS count, min(typed_at) AS oldest FROM outbox GROUP BY state')
          .all() as { state: QueuedChange['state']; count: number; oldest: number }[])
      : [],
  )
  const rows = found ?? []
  const count = { waiting: 0, held: 0, refused: 0, conflict: 0 }
  for (const row of rows) count[row.state] = row.count
  return {
    total: rows.reduce((sum, row) => sum + row.count, 0),
    count,
    oldest: rows.length === 0 ? undefined : new Date(Math.min(...rows.map(({ oldest }) => oldest))),
  }
}

/**
 * What waits in the states beside that of `stateKey`, which is at `path`. A state that cannot be read is left out: it
 * is told of where its own profile is in force.
 */
export async function countOtherPendingChanges(
  path: string,
  stateKey: string,
): Promise<OtherPendingChangeCount[]> {
  const all = dirname(dirname(path))
  const keys = existsSync(all) ? readdirSync(all).filter((key) => key !== stateKey) : []
  const elsewhere: OtherPendingChangeCount[] = []
  for (const key of keys.sort()) {
    const other = join(all, key, basename(path))
    const undelivered = await countPendingChanges(other).catch(() => undefined)
    if (undelivered && undelivered.total > 0) elsewhere.push({ ...undelivered, stateKey: key, path: other })
  }
  return elsewhere
}

/** Ids of records that the account of this state has had at its service, the latest first, and at most three a kind. */
export async function cachedRecordIds(path: string): Promise<{ entries: string[]; expenses: string[] }> {
  const known = await withDatabase(path, (database) => {
    const idsOf = (kind: QueuedChange['kind']) =>
      hasTable(database, 'alias') && hasTable(database, 'seen')
        ? (database.prepare(knownIds).all([kind, kind]) as { id: string }[]).map(({ id }) => id)
        : []
    return { entries: idsOf('entry'), expenses: idsOf('expense') }
  })
  return known ?? { entries: [], expenses: [] }
}

const knownIds = `
  SELECT id FROM (
    SELECT id, row AS latest FROM seen WHERE kind = ?
    UNION ALL
    SELECT id, 0 FROM alias WHERE kind = ? AND id NOT LIKE '~%'
  ) GROUP BY id ORDER BY max(latest) DESC LIMIT 3`

/** The timer that the state at `path` has running, as far as it knows. */
export async function cachedTimer(path: string): Promise<Entry | undefined> {
  const kept = await withDatabase(path, (database) =>
    hasTable(database, 'snapshot')
      ? (database.prepare("SELECT value FROM snapshot WHERE name = 'timer'").get() as
          | { value: string }
          | undefined)
      : undefined,
  )
  const timer = kept && (JSON.parse(kept.value) as Record<string, unknown> | null)
  return timer ? entryFromJson(timer) : undefined
}

/** What reads the databases, such as "SQLite 3.51.2 (node:sqlite)". */
export async function sqliteVersion(): Promise<string> {
  const database = await openSqlite(':memory:')
  try {
    const { version } = database.prepare('SELECT sqlite_version() AS version').get() as { version: string }
    return `SQLite ${version} (${driverName})`
  } finally {
    database.close()
  }
}

async function withDatabase<Result>(
  path: string,
  look: (database: Sqlite) => Result | Promise<Result>,
): Promise<Result | undefined> {
  // Opening it would make it. A symlink that leads nowhere is there, and commands cannot use it.
  if (!isThere(path)) return undefined
  const database = await openSqlite(path)
  try {
    return await look(database)
  } finally {
    database.close()
  }
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false // What should be its directory is a file.
  }
}

function flawsOf(database: Sqlite): string[] {
  const rows = database.prepare('PRAGMA integrity_check(10)').all() as { integrity_check: string }[]
  return rows.map((row) => row.integrity_check).filter((line) => line !== 'ok')
}

function number(database: Sqlite, pragma: string): number {
  return Number(Object.values(database.prepare(pragma).get() as object)[0])
}

function hasTable(database: Sqlite, name: string): boolean {
  return (
    database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get([name]) !==
    undefined
  )
}
