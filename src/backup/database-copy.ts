import { closeSync, openSync } from 'node:fs'
import { TtError } from '../lib/errors.js'
import type { Sqlite } from '../lib/sqlite/connection.js'
import { openReadOnly, openSqlite } from '../lib/sqlite/open.js'

/**
 * Copies the database at `source` to the new file `target`, for its owner only. The copy is that of one moment, also
 * while other processes write, who do not wait. Deleted data is not copied. Throws TtError `failure`.
 *
 * @param prepare called with the source before it is copied
 */
export async function copyDatabase(
  source: string,
  target: string,
  prepare: (source: Sqlite) => Promise<void> = async () => {},
): Promise<void> {
  // SQLite writes into this empty file, so that the copy has its mode from the beginning.
  closeSync(openSync(target, 'wx', 0o600))
  const database = await openSqlite(source)
  try {
    await prepare(database)
    database.prepare('VACUUM INTO ?').run([target])
  } finally {
    database.close()
  }
}

/**
 * Checks the pages, the indexes and the references of a database that no process is using. Throws TtError `failure` with
 * the first flaw.
 *
 * @param name the database in the message
 */
export async function checkIntegrity(path: string, name: string): Promise<void> {
  const database = await openReadOnly(path)
  if (!database) throw new TtError('failure', `${name} is missing.`)
  try {
    const [first] = database.prepare('PRAGMA integrity_check(1)').all() as { integrity_check: string }[]
    const [orphan] = database.prepare('PRAGMA foreign_key_check').all() as { table: string }[]
    const flaw =
      first?.integrity_check !== 'ok'
        ? (first?.integrity_check ?? 'no result')
        : orphan && `a row of the table ${orphan.table} refers to a missing row`
    if (flaw === undefined) return
    throw new TtError('failure', `${name} is damaged (${flaw}).`, {
      hint: 'Nothing was changed. Check the disk, then repeat the command; otherwise restore an earlier backup.',
    })
  } finally {
    database.close()
  }
}
