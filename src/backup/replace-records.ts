import { TtError } from '../lib/errors.js'
import type { Sqlite } from '../lib/sqlite/connection.js'

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
export function replaceRecords(database: Sqlite, id: number, preservedTables: readonly string[] = []) {
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
export function restoreIdOf(database: Sqlite): number {
  return (database.prepare('PRAGMA main.application_id').get() as { application_id: number }).application_id
}

/** Throws TtError `failure` if a row refers to a missing one. */
export function checkReferences(database: Sqlite) {
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
