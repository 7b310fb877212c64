import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { backupLockPath, type Paths } from '../config/paths.js'
import { TtError } from '../lib/errors.js'
import { withLock } from '../lib/lock.js'
import type { Sqlite } from '../lib/sqlite/connection.js'
import { openDamaged, openSqlite } from '../lib/sqlite/open.js'
import { inspectDatabase, jsonColumns } from '../outbox/cache/inspect-state.js'
import { type Contents, findFiles, isDatabase } from './contents.js'
import { saveFiles, withWorkDirectory } from './create-backup.js'
import { currentProfiles } from './replace-data.js'
import { migrateDatabase } from './restore-target.js'

/** What a salvage has read of a damaged database. */
export interface SalvagedDatabase {
  path: string
  /** The first flaw of the database. */
  flaw: string
  /** The number of rows that could be read. */
  rows: number
  /** The tables with rows that could not be read. */
  incompleteTables: string[]
}

export interface Salvage {
  contents: Contents
  /** The damaged databases. */
  damaged: SalvagedDatabase[]
}

/**
 * Saves everything that can be read to a backup for `tt restore`: intact databases as they are, damaged ones as new
 * databases with the rows that can be read. Changes none of them. Throws TtError `failure` when `target` cannot be written.
 */
export async function salvage(paths: Paths, target: string, now: Date): Promise<Salvage> {
  return withLock(backupLockPath(paths), () =>
    withWorkDirectory(join(paths.state, 'salvage.work'), async (directory) => {
      const files = findFiles(paths)
      const usable = new Map(files.paths)
      const damaged: SalvagedDatabase[] = []
      for (const [name, path] of [...files.paths].filter(([name]) => isDatabase(name))) {
        const flaw = await flawOf(path)
        if (flaw === undefined) continue
        const rebuilt = join(directory, name)
        damaged.push({ path, flaw, ...(await rebuild(path, rebuilt, name)) })
        usable.set(name, rebuilt)
      }
      const profiles = currentProfiles(paths)
      const saved = { paths: usable, stateKeys: files.stateKeys }
      const { contents } = await saveFiles({ paths, files: saved, profiles, target, now })
      return { contents, damaged }
    }),
  )
}

/** Returns the first flaw of a database; undefined for an intact one. */
async function flawOf(path: string): Promise<string | undefined> {
  try {
    return (await inspectDatabase(path))?.flaws[0]
  } catch (error) {
    if (error instanceof TtError) return error.message
    throw error
  }
}

/** Writes a new database at `target` with the rows of the damaged one at `source` that can be read. */
async function rebuild(
  source: string,
  target: string,
  name: string,
): Promise<Pick<SalvagedDatabase, 'rows' | 'incompleteTables'>> {
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  await migrateDatabase(target, name)
  // SQLite may change a database when it opens it.
  const copy = `${target}.damaged`
  for (const part of ['', '-wal'])
    if (existsSync(`${source}${part}`)) copyFileSync(`${source}${part}`, `${copy}${part}`)
  const database = await openSqlite(target)
  try {
    database.exec('PRAGMA foreign_keys = OFF')
    const result = await copyTables(copy, database)
    if (result.rows > 0) database.transaction(() => repair(database))
    return result
  } finally {
    database.close()
  }
}

async function copyTables(path: string, target: Sqlite) {
  const incompleteTables: string[] = []
  let rows = 0
  let source: Sqlite | undefined
  try {
    source = await openDamaged(path, schemaOf(target))
  } catch (error) {
    if (!(error instanceof TtError)) throw error
  }
  for (const table of tablesOf(target)) {
    const copied = source ? copyTable(source, target, table) : undefined
    rows += copied?.rows ?? 0
    if (copied?.isComplete !== true) incompleteTables.push(table)
  }
  source?.close()
  return { rows, incompleteTables }
}

/** Returns the tables to copy. The ranges of complete lists are left out: records may be missing from them now. */
function tablesOf(database: Sqlite): string[] {
  const tables = database
    .prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'asked'",
    )
    .all() as { name: string }[]
  return tables.map(({ name }) => name)
}

function schemaOf(database: Sqlite): ReadonlyMap<string, string> {
  const tables = database.prepare(
    "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND sql IS NOT NULL",
  )
  return new Map((tables.all() as { name: string; sql: string }[]).map(({ name, sql }) => [name, sql]))
}

const maxRowid = Number.MAX_SAFE_INTEGER
/** Rows that are read at once. */
const rowsPerRead = 500
/** Attempts to read ranges of a table after failures; each damaged page takes a few dozen. */
const maxFailures = 5_000

/** Copies the rows of a table, range by range, so that a damaged page loses only its own rows. */
function copyTable(source: Sqlite, target: Sqlite, table: string): { rows: number; isComplete: boolean } {
  const columns = columnsOf(target, table)
  const known = readOrEmpty(() => columnsOf(source, table).map(({ name }) => name))
  const names = columns.map(({ name }) => name).filter((name) => known.length === 0 || known.includes(name))
  const list = names.map((name) => `"${name}"`).join(', ')
  // Names of its own: libsql ends the process for one of a damaged schema.
  const selected = names.map((name) => `"${name}" AS "${name}"`).join(', ')
  const insert = target.prepare(
    `INSERT OR REPLACE INTO "${table}" (${list}) VALUES (${names.map(() => '?').join(', ')})`,
  )
  let [rows, failures] = [0, 0]
  const store = (values: Record<string, unknown>) => {
    try {
      insert.run(names.map((name) => values[name] ?? null))
      rows++
    } catch (error) {
      if (!(error instanceof Error)) throw error
      failures++ // A value has another type than its column: the row is damaged.
    }
  }
  const readAll = (sql: string, parameters: unknown[]) =>
    source.prepare(sql).all(parameters) as Record<string, unknown>[]
  const isWithoutRowid = columns.every(({ name }) => name !== 'rowid') && !hasRowid(target, table)
  target.transaction(() => {
    if (isWithoutRowid) {
      // The primary key in both directions reaches the rows before and after one damaged page.
      for (const order of ['ASC', 'DESC']) {
        const key = columns.filter(({ pk }) => pk > 0).map(({ name }) => `"${name}" ${order}`)
        for (let offset = 0; ; offset += rowsPerRead) {
          const page = readOrUndefined(() =>
            readAll(`SELECT ${selected} FROM "${table}" ORDER BY ${key.join()} LIMIT ? OFFSET ?`, [
              rowsPerRead,
              offset,
            ]),
          )
          if (!page) failures++
          for (const row of page ?? []) store(row)
          if (!page || page.length < rowsPerRead) break
        }
        if (failures === 0) break
      }
      return
    }
    const sql = `SELECT rowid AS "rowid of the row", ${selected} FROM "${table}" WHERE rowid BETWEEN ? AND ? ORDER BY rowid LIMIT ?`
    const ranges: [from: number, to: number][] = [[1, maxRowid]]
    for (let range = ranges.pop(); range && failures < maxFailures; range = ranges.pop()) {
      const [from, to] = range
      const limit = Math.min(rowsPerRead, to - from + 1)
      const page = readOrUndefined(() => readAll(sql, [from, to, limit]))
      if (page) {
        for (const row of page) store(row)
        const last = Number(page.at(-1)?.['rowid of the row'])
        if (page.length === limit && last < to) ranges.push([last + 1, to])
        continue
      }
      failures++
      if (from === to) continue
      const middle = splitPoint(from, to)
      ranges.push([middle + 1, to], [from, middle])
    }
  })
  return { rows, isComplete: failures === 0 }
}

/** Returns a number at which to divide a range: near its start, where the rows are, if it is very long. */
function splitPoint(from: number, to: number): number {
  return to - from > 1_000_000 ? from + Math.floor((to - from) / 1_000) : Math.floor((from + to) / 2)
}

function hasRowid(database: Sqlite, table: string): boolean {
  return (
    readOrUndefined(() => database.prepare(`SELECT rowid AS id FROM "${table}" LIMIT 1`).all()) !== undefined
  )
}

function columnsOf(database: Sqlite, table: string): { name: string; pk: number }[] {
  return database.prepare('SELECT name, pk FROM pragma_table_info(?)').all([table]) as {
    name: string
    pk: number
  }[]
}

function readOrUndefined<Result>(read: () => Result): Result | undefined {
  try {
    return read()
  } catch {
    return undefined // This part of the file is damaged.
  }
}

function readOrEmpty<Item>(read: () => Item[]): Item[] {
  return readOrUndefined(read) ?? []
}

/** Removes changes and records that are no JSON, and completes or removes rows that refer to missing ones. */
function repair(database: Sqlite) {
  const tables = tablesOf(database)
  for (const [table = '', column = ''] of [...jsonColumns].map((name) => name.split('.')))
    if (tables.includes(table))
      database.exec(`DELETE FROM "${table}" WHERE "${column}" IS NOT NULL AND NOT json_valid("${column}")`)
  for (let round = 0; round < 5; round++)
    for (const orphan of orphansOf(database)) insertParent(database, orphan)
  for (let round = 0; round < 5; round++)
    for (const { table, rowid } of orphansOf(database))
      database.prepare(`DELETE FROM "${table}" WHERE rowid = ?`).run([rowid])
}

interface Orphan {
  table: string
  rowid: number
  parent: string
  fkid: number
}

function orphansOf(database: Sqlite): Orphan[] {
  return database.prepare('PRAGMA foreign_key_check').all() as Orphan[]
}

/** Inserts a row with a made-up name for one that was lost, such as a task, so that the entries that refer to it stay. */
function insertParent(database: Sqlite, { table, rowid, parent, fkid }: Orphan) {
  const keys = database.prepare(`PRAGMA foreign_key_list("${table}")`).all() as {
    id: number
    from: string
    to: string | null
  }[]
  const key = keys.find(({ id }) => id === fkid)
  if (!key) return
  const value = database
    .prepare(`SELECT "${key.from}" AS value FROM "${table}" WHERE rowid = ?`)
    .get([rowid]) as { value: unknown } | undefined
  const columns = database
    .prepare('SELECT name, type, "notnull" AS required, dflt_value AS preset FROM pragma_table_info(?)')
    .all([parent]) as { name: string; type: string; required: number; preset: string | null }[]
  const filled = columns.filter(
    ({ name, required, preset }) => name === (key.to ?? 'id') || (required === 1 && preset === null),
  )
  const values = filled.map(({ name, type }) => {
    if (name === (key.to ?? 'id')) return value?.value ?? null
    return type.toUpperCase() === 'TEXT' ? `Lost ${value?.value}` : referenceOf(database, parent, name)
  })
  database
    .prepare(
      `INSERT OR IGNORE INTO "${parent}" (${filled.map(({ name }) => `"${name}"`).join()}) VALUES (${values.map(() => '?').join()})`,
    )
    .run(values)
}

/** Returns the ID of a row to which a column of a made-up row can refer; 0 for a column that is no reference. */
function referenceOf(database: Sqlite, table: string, column: string): unknown {
  const keys = database.prepare(`PRAGMA foreign_key_list("${table}")`).all() as {
    from: string
    table: string
  }[]
  const parent = keys.find(({ from }) => from === column)?.table
  if (parent === undefined) return 0
  const row = database.prepare(`SELECT min(rowid) AS id FROM "${parent}"`).get() as { id: number | null }
  return row.id ?? 1
}
