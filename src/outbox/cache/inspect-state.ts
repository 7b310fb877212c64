import { isUtf8 } from 'node:buffer'
import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { RecordKind } from '../../api-client/types.js'
import { TtError } from '../../lib/errors.js'
import type { Sqlite } from '../../lib/sqlite/connection.js'
import { isBrokenLink } from '../../lib/sqlite/database-errors.js'
import { driverName } from '../../lib/sqlite/driver.js'
import { openSqlite } from '../../lib/sqlite/open.js'
import { applyMigrations, runAndRollBack } from './migrate-state.js'
import { readSnapshot } from './snapshots.js'
import { migrations, schemaVersion } from './state-schema.js'
import { readClientSchema } from './workspace-state.js'

/** The condition of a database file. */
export interface DatabaseInspection {
  bytes: number
  /** The version of its schema. */
  version: number
  /** The findings of SQLite's integrity check, at most ten; empty for an intact file. */
  flaws: string[]
}

/** The condition of the state of a profile, which may have another version than this `tt` writes. */
export interface StateInspection extends DatabaseInspection {
  /** The version that this `tt` writes. */
  supportedVersion: number
  /** Columns that are missing even after the migrations, such as "outbox.waits_for". */
  missingColumns: string[]
  /** The names of its copies from before earlier migrations. */
  copies: string[]
}

/**
 * Inspects the database in the file at `path` without changing its schema; returns undefined where there is no file.
 * Throws TtError `failure` when it cannot be used, like all functions here.
 */
export async function inspectDatabase(path: string): Promise<DatabaseInspection | undefined> {
  return withDatabase(path, (database) => ({
    bytes: statSync(path).size,
    version: number(database, 'PRAGMA user_version'),
    flaws: flawsOf(database),
  }))
}

/** Inspects the client state of a profile; returns undefined where there is no file. */
export async function inspectState(path: string): Promise<StateInspection | undefined> {
  const inspection = await inspectDatabase(path)
  if (!inspection) return undefined
  const copies = readdirSync(dirname(path)).filter((name) => name.startsWith(`${basename(path)}.version-`))
  const isUsable = inspection.flaws.length === 0 && inspection.version <= schemaVersion
  const missing = isUsable
    ? await withDatabase(path, (database) => missingColumns(database, path, inspection.version))
    : []
  return {
    ...inspection,
    supportedVersion: schemaVersion,
    missingColumns: missing ?? [],
    copies: copies.sort(),
  }
}

/** Returns the columns that the tables of the client in the database of the local workspace lack, such as "outbox.key". */
export async function missingClientColumns(path: string): Promise<string[]> {
  const missing = await withDatabase(path, async (database) => {
    const schema = readClientSchema(database)
    return schema ? missingColumns(database, path, schema.version) : []
  })
  return missing ?? []
}

/** Applies the migrations as a command does, compares the columns with those of a new state, and rolls back. */
async function missingColumns(database: Sqlite, path: string, version: number): Promise<string[]> {
  const reference = await openSqlite(':memory:')
  try {
    for (const migration of migrations) reference.exec(migration)
    const present = runAndRollBack(database, () => {
      applyMigrations(database, path, version)
      return new Set(columnsOf(database))
    })
    return columnsOf(reference).filter((column) => !present.has(column))
  } finally {
    reference.close()
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

/** Returns IDs of records that the account of this state has had at its service, at most three of each kind, latest first. */
export async function cachedRecordIds(path: string): Promise<{ entries: string[]; expenses: string[] }> {
  const ids = await withDatabase(path, (database) => {
    const idsOf = (kind: RecordKind) =>
      hasTable(database, 'alias') && hasTable(database, 'seen')
        ? (database.prepare(latestIds).all([kind, kind]) as { id: string }[]).map(({ id }) => id)
        : []
    return { entries: idsOf('entry'), expenses: idsOf('expense') }
  })
  return ids ?? { entries: [], expenses: [] }
}

const latestIds = `
  SELECT id FROM (
    SELECT id, row AS latest FROM seen WHERE kind = ?
    UNION ALL
    SELECT id, 0 FROM alias WHERE kind = ? AND id NOT LIKE '~%'
  ) GROUP BY id ORDER BY max(latest) DESC LIMIT 3`

/** Returns the JSON of the running timer in the state at `path`; undefined where none is known. */
export async function cachedTimer(path: string): Promise<Record<string, unknown> | undefined> {
  const known = await withDatabase(path, (database) =>
    hasTable(database, 'snapshot') ? readSnapshot(database, 'timer') : undefined,
  )
  return known?.value ?? undefined
}

/** Whether there is a client state that a command would use as it is, without creating or migrating it. */
export async function isCurrentState(path: string): Promise<boolean> {
  return (await withDatabase(path, (database) => number(database, 'PRAGMA user_version'))) === schemaVersion
}

/** Returns the version of the SQLite library, such as "SQLite 3.51.2 (node:sqlite)". */
export async function sqliteVersion(): Promise<string> {
  const database = await openSqlite(':memory:')
  try {
    const { version } = database.prepare('SELECT sqlite_version() AS version').get() as { version: string }
    return `SQLite ${version} (${driverName})`
  } finally {
    database.close()
  }
}

/** Runs `work` with the database at `path`; returns undefined where there is no file. */
export async function withDatabase<Result>(
  path: string,
  work: (database: Sqlite) => Result | Promise<Result>,
): Promise<Result | undefined> {
  // Opening a missing file would create it. A broken symlink exists, and commands cannot use it.
  if (!exists(path)) return undefined
  const database = await openSqlite(path)
  try {
    return await work(database)
  } finally {
    database.close()
  }
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false // A file is in the place of its directory.
  }
}

function flawsOf(database: Sqlite): string[] {
  const rows = database.prepare('PRAGMA integrity_check(10)').all() as { integrity_check: string }[]
  const flaws = rows.map((row) => row.integrity_check).filter((line) => line !== 'ok')
  return flaws.length > 0 ? flaws : contentFlawsOf(database)
}

/** Returns the columns with text that is not UTF-8, or with invalid JSON; SQLite does not check these. */
function contentFlawsOf(database: Sqlite): string[] {
  const flaws: string[] = []
  for (const { table, column } of database.prepare(textColumns).all() as {
    table: string
    column: string
  }[]) {
    const [from, value] = [`"${table}"`, `"${column}"`]
    const texts = database.prepare(
      `SELECT CAST(${value} AS BLOB) AS bytes FROM ${from} WHERE typeof(${value}) = 'text'`,
    )
    const isInvalid = texts.withRows([], (rows) => {
      for (const { bytes } of rows as Iterable<{ bytes: Uint8Array }>) if (!isUtf8(bytes)) return true
      return false
    })
    if (isInvalid) flaws.push(`invalid text in ${table}.${column}`)
    if (flaws.length > 0 || !jsonColumns.has(`${table}.${column}`)) continue
    const invalid = database
      .prepare(`SELECT 1 FROM ${from} WHERE ${value} IS NOT NULL AND NOT json_valid(${value}) LIMIT 1`)
      .get()
    if (invalid) flaws.push(`invalid JSON in ${table}.${column}`)
  }
  return flaws
}

const textColumns = `
  SELECT tables.name AS "table", columns.name AS "column"
  FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
  WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite_%' AND upper(columns.type) = 'TEXT'`

/** The columns of the client state that have JSON. */
export const jsonColumns = new Set([
  ...['seen.body', 'outbox.fields', 'outbox.base', 'outbox.said', 'history.steps', 'snapshot.value'],
  ...['outbox.candidates', 'attempt.fields', 'attempt.confirmed', 'deleted.base', 'invoice.body'],
])

function number(database: Sqlite, pragma: string): number {
  return Number(Object.values(database.prepare(pragma).get() as object)[0])
}

export function hasTable(database: Sqlite, name: string): boolean {
  return (
    database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get([name]) !==
    undefined
  )
}

/** The files that show that the local workspace had entries. */
export interface WorkspaceTraces {
  /** See `usedWorkspacePath`. */
  usedPath: string
  /** The former state, which refers to entries. */
  formerPath: string
}

/**
 * Throws TtError `failure` when the workspace at `path`, which is missing or has no tables, had entries or expenses
 * before. A command that made a new workspace would hide the loss.
 */
export async function checkWorkspaceExists(
  path: string,
  { usedPath, formerPath }: WorkspaceTraces,
): Promise<void> {
  // Opening a broken link reports it.
  if (isBrokenLink(path)) return
  const { entries, expenses } = existsSync(usedPath)
    ? { entries: [usedPath], expenses: [] }
    : await cachedRecordIds(formerPath)
  const [trace] = [...entries, ...expenses]
  if (trace === undefined) return
  const problem = existsSync(path) ? 'is empty' : 'is missing'
  throw new TtError('failure', `The local workspace ${path} ${problem}, but it had entries before.`, {
    hint: `To start over with an empty workspace, move the directory ${dirname(usedPath)} away.`,
    nextStep: { action: 'restore' },
  })
}
