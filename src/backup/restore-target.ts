import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { clientStatePath, type Paths, workspacePath } from '../config/paths.js'
import { formerStatePath, localName } from '../config/profile.js'
import { TtError } from '../lib/errors.js'
import type { Sqlite } from '../lib/sqlite/connection.js'
import { brokenLinkError, isBrokenLink, isDamageError } from '../lib/sqlite/database-errors.js'
import { openSqlite } from '../lib/sqlite/open.js'
import { findExtractedFiles, isDatabase, stateName, workspaceName } from './contents.js'

/** How long to wait for the transaction of another process, in milliseconds. */
const busyTimeoutMs = 30_000

/** Returns the path of the database that a file of a backup replaces. */
export function targetPath(paths: Paths, name: string): string {
  const [, key] = /^profiles\/(.+)\/state\.db$/.exec(name) ?? []
  return key === undefined ? workspacePath(paths) : clientStatePath(paths, key)
}

/**
 * Creates the database at `path` if it is missing, and migrates its schema: that of the local workspace has the tables of
 * the service and of the client. Throws TtError `failure` if a newer version has written it.
 *
 * @param name its name in a backup
 * @param formerPath the path of the former client state of the workspace
 */
export async function migrateDatabase(path: string, name: string, formerPath?: string): Promise<void> {
  if (name !== workspaceName) {
    const { openClientState } = await import('../outbox/cache/client-state.js')
    return (await openClientState(path)).close()
  }
  const [{ migrate }, { createSqliteQueries }, { openWorkspaceState }] = await Promise.all([
    import('../service/storage/storage.js'),
    import('../service/storage/sqlite.js'),
    import('../outbox/cache/workspace-state.js'),
  ])
  const database = await openSqlite(path, { busyTimeoutMs })
  try {
    const migrateService = () => migrate(createSqliteQueries(database), path)
    await migrateService()
    await openWorkspaceState({ database, path, formerPath: formerPath ?? `${path}.former`, migrateService })
  } finally {
    database.close()
  }
}

/** Migrates the databases of a backup. The rows of a former client state of the local workspace move into it. */
export async function migrateCopies(directory: string): Promise<void> {
  const former = join(directory, stateName(localName))
  for (const [name, path] of findExtractedFiles(directory).paths)
    if (isDatabase(name) && path !== former) await migrateDatabase(path, name, former)
  rmSync(former, { force: true })
}

/**
 * Moves the rows of the former client state of the local workspace into it. Leaves a damaged database as it is.
 */
export async function convertFormerState(paths: Paths): Promise<void> {
  const [path, formerPath] = [workspacePath(paths), formerStatePath(paths)]
  if (!existsSync(formerPath) || !(await isUsable(formerPath)) || !(await isUsable(path))) return
  await migrateDatabase(path, workspaceName, formerPath)
}

/** Whether there is a database that can be used; false if it is missing or damaged. Throws other errors of opening it. */
export async function isUsable(path: string): Promise<boolean> {
  if (isBrokenLink(path)) throw brokenLinkError({ path })
  return testDatabase(path, (database) => {
    const [first] = database.prepare('PRAGMA integrity_check(1)').all() as { integrity_check: string }[]
    return first?.integrity_check === 'ok'
  })
}

/** Whether the restore with this number has replaced the rows of the database at `path`. */
export async function isReplaced(path: string, id: number): Promise<boolean> {
  return testDatabase(path, (database) => restoreIdOf(database) === id)
}

/** Returns the result of the test; false if the database is missing or damaged. */
async function testDatabase(path: string, test: (database: Sqlite) => boolean): Promise<boolean> {
  if (!existsSync(path)) return false
  try {
    const database = await openSqlite(path, { busyTimeoutMs })
    try {
      return test(database)
    } finally {
      database.close()
    }
  } catch (error) {
    if (isDamageError(error)) return false
    throw error
  }
}

/** A database in a transaction that keeps other processes from writing. */
export interface LockedDatabase {
  /** Its name in a backup. */
  name: string
  path: string
  database: Sqlite
}

/** Opens a database and begins a transaction with the rows of `copy` at hand. The caller ends it and closes the database. */
export async function lockDatabase(path: string, name: string): Promise<LockedDatabase> {
  const database = await openSqlite(path, { busyTimeoutMs })
  try {
    // A foreign key could refer to a row that is inserted later; all are checked at the end.
    database.exec('PRAGMA foreign_keys = OFF')
    database.exec('BEGIN IMMEDIATE')
    return { name, path, database }
  } catch (error) {
    database.close()
    throw error
  }
}

/** Replaces the rows of a locked database with those of `copy`, unless the restore with this number has done so before. */
export async function replaceFromCopy({ name, database }: LockedDatabase, copy: string, id: number) {
  if (restoreIdOf(database) === id) return
  attach(database, copy, 'restored')
  if (name === workspaceName) {
    const { preservedTables, keepCredentials } = await import('../service/storage/credentials.js')
    // What was read of a former client state is that of this machine.
    const preserved = [...preservedTables, 'client_schema']
    await keepCredentials(database, () => replaceRecords(database, id, preserved))
  } else replaceRecords(database, id)
  checkReferences(database)
}

/** Renames a damaged database, with its log, so that a new one can be created. */
export function renameDamaged(path: string, newPath: string) {
  for (const part of ['', '-wal', '-shm'])
    if (existsSync(`${path}${part}`)) renameSync(`${path}${part}`, `${newPath}${part}`)
}

/** Attaches the database file at `path` under that name, until the connection is closed. */
export function attach(database: Sqlite, path: string, name: string) {
  database.exec(`ATTACH DATABASE '${path.replaceAll("'", "''")}' AS ${name}`)
}

/**
 * Replaces all rows of a database, in its open transaction with foreign keys off, with those of the attached database
 * `restored` with the same schema. Other processes that use the database continue with the new rows after the commit. IDs
 * are not reused: the counters of IDs never go back.
 *
 * @param id the number of the restore, which the database stores (`restoreIdOf`)
 * @param preservedTables tables that stay as they are
 */
function replaceRecords(database: Sqlite, id: number, preservedTables: readonly string[] = []) {
  const names = 'SELECT name FROM pragma_table_info(?, ?)'
  for (const table of tablesOf(database).filter((name) => !preservedTables.includes(name))) {
    const [columns, restored] = ['main', 'restored'].map((schema) =>
      (database.prepare(names).all([table, schema]) as { name: string }[]).map(({ name }) => `"${name}"`),
    ) as [string[], string[]]
    if (columns.toSorted().join() !== restored.toSorted().join())
      throw new TtError('failure', `The table ${table} of the backup has other columns than expected.`)
    const list = columns.join(', ')
    database.exec(
      `DELETE FROM main."${table}"; INSERT INTO main."${table}" (${list}) SELECT ${list} FROM restored."${table}"`,
    )
  }
  if (hasSequences(database)) {
    database.exec(`
      UPDATE main.sqlite_sequence SET seq = max(seq, coalesce(
        (SELECT seq FROM restored.sqlite_sequence AS saved WHERE saved.name = sqlite_sequence.name), 0));
      INSERT INTO main.sqlite_sequence (name, seq) SELECT name, seq FROM restored.sqlite_sequence
        WHERE name NOT IN (SELECT name FROM main.sqlite_sequence)`)
  }
  database.exec(`PRAGMA main.application_id = ${id}`)
}

/** Returns the number of the restore that has last replaced the rows of this database; 0 for none. */
function restoreIdOf(database: Sqlite): number {
  return (database.prepare('PRAGMA main.application_id').get() as { application_id: number }).application_id
}

/** Throws TtError `failure` if a row refers to a missing one. */
function checkReferences(database: Sqlite) {
  const [orphan] = database.prepare('PRAGMA main.foreign_key_check').all() as { table: string }[]
  if (orphan)
    throw new TtError('failure', `A row of the table ${orphan.table} in the backup refers to a missing row.`)
}

function tablesOf(database: Sqlite): string[] {
  const rows = database
    .prepare(
      "SELECT name FROM main.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    )
    .all() as { name: string }[]
  return rows.map(({ name }) => name)
}

function hasSequences(database: Sqlite): boolean {
  return (
    database.prepare("SELECT 1 FROM main.sqlite_master WHERE name = 'sqlite_sequence'").get() !== undefined
  )
}
