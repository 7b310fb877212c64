import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorMessage, TtError } from '../lib/errors.js'
import { syncDirectory } from '../lib/private-file.js'
import type { Sqlite } from '../lib/sqlite/connection.js'
import { openReadOnly } from '../lib/sqlite/open.js'
import { hasTable } from '../outbox/cache/inspect-state.js'
import { checkIntegrity, copyDatabase } from './database-copy.js'
import { removeUnfinishedCopies, unfinishedPath } from './restore-journal.js'

/** The records in the copy of a database. */
export interface DatabaseContents {
  users: number
  entries: number
  expenses: number
  /** Whether it has the history of a local workspace, too. */
  hasHistory: boolean
}

/**
 * Saves a complete copy of the SQLite database of a service, with its credentials, to a file for its owner only. The
 * service may be running. The file is replaced when the copy is complete and verified.
 *
 * Throws TtError `not_found` if there is no database, `usage` if it is not one of a service, and `failure` if it is
 * damaged or `target` cannot be written.
 *
 * @param prepare called with the source before it is copied
 */
export async function saveDatabase(
  source: string,
  target: string,
  prepare: (source: Sqlite) => Promise<void>,
): Promise<DatabaseContents> {
  if (!existsSync(dirname(target))) {
    throw new TtError('failure', `${target} could not be written: its directory does not exist.`, {
      hint: 'Create the directory first.',
    })
  }
  const temporary = unfinishedPath(target)
  try {
    removeUnfinishedCopies(target)
    await copyDatabase(source, temporary, prepare)
    await checkIntegrity(temporary, `The copy of ${source}`)
    const contents = await countRecords(temporary, source)
    putInPlace(temporary, target)
    return contents
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${temporary}${suffix}`, { force: true })
  }
}

async function countRecords(path: string, source: string): Promise<DatabaseContents> {
  const database = await openReadOnly(path)
  try {
    if (database && ['users', 'time_entries', 'expenses'].every((table) => hasTable(database, table)))
      return count(database)
  } finally {
    database?.close()
  }
  throw new TtError('usage', `${source} is not the database of a service.`, {
    hint: 'Use the database that is served.',
  })
}

function count(database: Sqlite): DatabaseContents {
  const counts = database
    .prepare(
      `SELECT (SELECT count(*) FROM users) AS users, (SELECT count(*) FROM time_entries) AS entries,
         (SELECT count(*) FROM expenses) AS expenses`,
    )
    .get() as Omit<DatabaseContents, 'hasHistory'>
  return { ...counts, hasHistory: hasTable(database, 'history') }
}

function putInPlace(temporary: string, target: string) {
  try {
    const file = openSync(temporary, 'r+')
    fsyncSync(file)
    closeSync(file)
    renameSync(temporary, target)
    syncDirectory(dirname(target))
  } catch (cause) {
    throw new TtError('failure', `${target} could not be written: ${errorMessage(cause)}.`, {
      hint: 'Check the permissions of the directory and the space on the disk. An existing file is unchanged.',
      cause,
    })
  }
}
