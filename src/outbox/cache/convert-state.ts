import { existsSync, renameSync } from 'node:fs'
import { withLock } from '../../lib/lock.js'
import type { Sqlite } from '../../lib/sqlite/connection.js'
import { openSqlite } from '../../lib/sqlite/open.js'
import type { HistoryStep } from '../history.js'
import { newerStateError, stateContents } from './client-state.js'
import { applyMigrations } from './migrate-state.js'
import { schemaVersion } from './state-schema.js'
import {
  convertedPath,
  type FormerState,
  readClientSchema,
  signatureOf,
  type WorkspaceStateParts,
} from './workspace-state.js'

/** The version of the state at which its tables moved into the workspace. */
const lastFormerVersion = 10

/**
 * Creates or migrates the tables of the client in the database of the local workspace. Moves the rows of the former state
 * into them, also those that an earlier version of this program has added since. One transaction does all of that; the
 * former state is not changed, and renamed afterwards. Can be repeated after an interruption.
 */
export async function convertState(parts: WorkspaceStateParts): Promise<void> {
  const { formerPath } = parts
  if (formerFile(formerPath) === undefined) return convert(parts)
  // One process at a time reads and renames the files: SQLite creates a database that is missing.
  return withLock(`${formerPath}.lock`, () => convert(parts))
}

/** Returns the path of the former state, which may be renamed; undefined where there is none. */
function formerFile(formerPath: string): string | undefined {
  return [formerPath, convertedPath(formerPath)].find((file) => existsSync(file))
}

async function convert(parts: WorkspaceStateParts): Promise<void> {
  const { database, path, formerPath, migrateService } = parts
  const isFormer = existsSync(formerPath)
  const source = formerFile(formerPath)
  if (isFormer) await migrateService()
  const version = source === undefined ? 0 : await versionOfFormer(source)
  const signature = source === undefined ? '' : signatureOf(source)
  try {
    database.transaction(() => {
      if (source !== undefined) database.prepare('ATTACH ? AS former').run([source])
      // Another process may have converted it.
      const schema = readClientSchema(database)
      const known = schema?.former ? (JSON.parse(schema.former) as FormerState) : undefined
      if (!schema) {
        database.exec(`CREATE TABLE client_schema (version INTEGER NOT NULL, former TEXT) STRICT;
          INSERT INTO client_schema (version) VALUES (0)`)
        applyMigrations(database, path, 0, version)
        if (version > 0) copyTables(database)
        if (version >= 8) settleImports(database)
        if (version >= 10) settleCatalogChanges(database)
      }
      applyMigrations(database, path, schema?.version ?? version)
      if (schema && version > 1) addLaterRows(database, known ?? { signature, history: 0, outbox: 0 })
      const former = version > 1 ? JSON.stringify({ ...lastNumbers(database, known), signature }) : null
      database.prepare('UPDATE client_schema SET version = ?, former = ?').run([schemaVersion, former])
    })
  } finally {
    if (source !== undefined) detach(database)
  }
  if (isFormer) renameFormer(parts)
}

/** Returns the version of the schema of a former state. Throws TtError `failure` for one that cannot be used. */
async function versionOfFormer(path: string): Promise<number> {
  const former = await openSqlite(path, { recoveryAdvice: stateContents })
  try {
    const { user_version: version } = former.prepare('PRAGMA user_version').get() as { user_version: number }
    if (version > lastFormerVersion) throw newerStateError(path, version)
    return version
  } finally {
    former.close()
  }
}

function detach(database: Sqlite) {
  try {
    database.exec('DETACH former')
  } catch {
    // It could not be attached.
  }
}

/** Returns the last numbers that were read. They never decrease: a log may be missing until its database is renamed, too. */
function lastNumbers(
  database: Sqlite,
  { history, outbox }: Pick<FormerState, 'history' | 'outbox'> = { history: 0, outbox: 0 },
): Pick<FormerState, 'history' | 'outbox'> {
  return database
    .prepare(
      `SELECT max(?, coalesce((SELECT max(seq) FROM former.history), 0)) AS history,
         max(?, coalesce((SELECT seq FROM former.sqlite_sequence WHERE name = 'outbox'), 0)) AS outbox`,
    )
    .get([history, outbox]) as Pick<FormerState, 'history' | 'outbox'>
}

/** Copies all rows into tables with the same schema. */
function copyTables(database: Sqlite) {
  const tables = database
    .prepare(
      "SELECT name FROM former.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    )
    .all() as { name: string }[]
  for (const { name } of tables) database.exec(`INSERT INTO main."${name}" SELECT * FROM former."${name}"`)
  // The numbers of removed rows are not used again.
  database.exec(`
    DELETE FROM main.sqlite_sequence WHERE name IN (SELECT name FROM former.sqlite_sequence);
    INSERT INTO main.sqlite_sequence SELECT * FROM former.sqlite_sequence`)
}

/**
 * Settles the imports of processes that were ended between their transactions in two databases. An undone import can no
 * longer be redone: its entries were in a file.
 */
function settleImports(database: Sqlite) {
  const applied = 'SELECT id FROM imports WHERE applied = 1'
  if (!hasTable(database, 'imports')) return
  database.exec(`
    INSERT INTO history (what, steps, at, import)
      SELECT title, '[]', at, id FROM import WHERE state = 'waiting' AND id IN (${applied}) ORDER BY at;
    UPDATE history SET undone = 1 WHERE import IS NOT NULL AND steps = '[]' AND import NOT IN (${applied});
    UPDATE history SET undone = 0 WHERE import IN (${applied}) AND steps = '[]' AND undone = 2`)
}

/** Settles the changes of the catalog in the same way. */
function settleCatalogChanges(database: Sqlite) {
  if (!hasTable(database, 'catalog_changes')) return
  const isOwn = "catalog_change IS NOT NULL AND steps = '[]' AND undone IN (0, 2)"
  database.exec(`
    INSERT INTO history (what, steps, at, catalog_change)
      SELECT title, '[]', at, id FROM catalog_changes WHERE is_recorded = 0 AND title IS NOT NULL
        AND id NOT IN (SELECT catalog_change FROM history WHERE catalog_change IS NOT NULL) ORDER BY rowid;
    UPDATE history SET undone = coalesce(
      (SELECT CASE applied WHEN 1 THEN 0 ELSE 2 END FROM catalog_changes WHERE id = catalog_change), 1) WHERE ${isOwn}`)
}

function hasTable(database: Sqlite, name: string): boolean {
  return database.prepare('SELECT 1 FROM main.sqlite_master WHERE name = ?').get([name]) !== undefined
}

/** A row of a table of the former state. */
type FormerRow = Record<string, unknown> & { seq: number }

/** Adds the changes that were made after the former state was converted, at the end of the history and the outbox. */
function addLaterRows(database: Sqlite, known: FormerState) {
  database.exec('INSERT OR IGNORE INTO alias SELECT * FROM former.alias')
  const rowsAfter = (table: string, seq: number) =>
    database.prepare(`SELECT * FROM former.${table} WHERE seq > ? ORDER BY seq`).all([seq]) as FormerRow[]
  const insert = (table: string, row: Record<string, unknown>) =>
    database
      .prepare(
        `INSERT INTO main.${table} (${Object.keys(row).join()}) VALUES (${Object.keys(row).fill('?').join()})`,
      )
      .run(Object.values(row))
  /** The new names of records that are still to be created. */
  const created = new Map<string, string>()
  const nameOf = (kind: unknown, name: unknown): unknown => {
    const alias = database
      .prepare('SELECT id FROM former.alias WHERE kind = ? AND name = ?')
      .get([kind, name]) as { id: string } | undefined
    return alias ? nameOf(kind, alias.id) : (created.get(`${kind} ${name}`) ?? name)
  }
  const lastSeq = database.prepare("SELECT seq FROM main.sqlite_sequence WHERE name = 'outbox'")
  let next = ((lastSeq.get() as { seq: number } | undefined)?.seq ?? 0) + 1
  const seqs = new Map<unknown, number>()
  for (const row of rowsAfter('outbox', known.outbox)) {
    const seq = next++
    seqs.set(row.seq, seq)
    if (row.op === 'create') created.set(`${row.kind} ${row.record}`, `~${seq}`)
    // A change that was removed since has no number here.
    const waitsFor = seqs.get(row.waits_for) ?? (Number(row.waits_for) > known.outbox ? null : row.waits_for)
    insert('outbox', { ...row, seq, record: nameOf(row.kind, row.record), waits_for: waitsFor })
  }
  for (const { seq: _, ...row } of rowsAfter('history', known.history)) {
    const steps = (JSON.parse(String(row.steps)) as HistoryStep[]).map((step) => ({
      ...step,
      record: nameOf(step.kind, step.record),
    }))
    insert('history', { ...row, steps: JSON.stringify(steps) })
  }
  const imported = database.prepare("SELECT 1 FROM former.sqlite_master WHERE name = 'imported'").get()
  if (imported) database.exec('INSERT OR IGNORE INTO imported SELECT * FROM former.imported')
}

/** The errors of a rename while another process has the file open, as on Windows: an earlier version, or a virus scanner. */
const inUse = new Set(['EBUSY', 'EPERM', 'EACCES'])

/**
 * Renames the converted former state with its log, so that a process that has it open continues in the same files. Leaves
 * it to a later command while a file is in use.
 */
function renameFormer({ formerPath, rename = renameSync }: WorkspaceStateParts) {
  const newPath = convertedPath(formerPath)
  const renamed: string[] = []
  for (const end of ['-wal', '-shm', '']) {
    try {
      rename(`${formerPath}${end}`, `${newPath}${end}`)
      renamed.push(end)
    } catch (error) {
      const code = String((error as NodeJS.ErrnoException).code)
      // There is no such file, or another process has renamed it.
      if (code === 'ENOENT') continue
      // The log belongs beside its database.
      for (const other of renamed) rename(`${newPath}${other}`, `${formerPath}${other}`)
      if (inUse.has(code)) return
      throw error
    }
  }
}
