import { openReadOnly, openSqlite } from '../../src/lib/sqlite/open.js'

/**
 * Returns the rows of a query of a database file; none if there is no file. A file without a log beside it is read as if
 * nothing changed it: no process may use it.
 */
export async function readRows<Row = Record<string, unknown>>(path: string, sql: string): Promise<Row[]> {
  const database = await openReadOnly(path)
  try {
    return (database?.prepare(sql).all() ?? []) as Row[]
  } finally {
    database?.close()
  }
}

/** Runs SQL in a database file. */
export async function runSql(path: string, sql: string): Promise<void> {
  const database = await openSqlite(path)
  try {
    database.exec(sql)
  } finally {
    database.close()
  }
}
