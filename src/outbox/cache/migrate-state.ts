import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { TtError } from '../../lib/errors.js'
import type { Sqlite } from '../../lib/sqlite/connection.js'
import { schemaMismatchError } from '../../lib/sqlite/database-errors.js'
import { hourMs } from '../../lib/time-units.js'
import { stateContents } from './client-state.js'
import { migrations, schemaVersion } from './state-schema.js'

/**
 * Copies the database file to the same directory, then applies the missing migrations. Throws TtError `failure` if one
 * of them fails.
 *
 * @param version reads the current version of the schema
 */
export function migrate(database: Sqlite, path: string, version: () => number) {
  const oldVersion = version()
  // Another process may already have migrated the file.
  if (oldVersion > 0 && oldVersion < schemaVersion) {
    // If the version number is wrong, this fails before an older copy is replaced.
    runAndRollBack(database, () => applyMigrations(database, path, version()))
    makeCopy(database, `${path}.version-${oldVersion}`, oldVersion)
  }
  database.transaction(() => {
    // Read again under the lock: another process may have migrated since.
    applyMigrations(database, path, version())
    database.exec(`PRAGMA user_version = ${schemaVersion}`)
  })
}

/**
 * Applies the migrations after `version`, within the open transaction. Throws TtError `failure` if they do not fit the
 * tables.
 *
 * @param path the database file, for the error
 * @param target the last migration
 */
export function applyMigrations(database: Sqlite, path: string, version: number, target = schemaVersion) {
  try {
    if (version < 0) throw new RangeError(`version ${version}`)
    for (const migration of migrations.slice(version, target)) database.exec(migration)
  } catch (error) {
    throw schemaMismatchError(error, path, stateContents)
  }
}

/** Runs `work` in a transaction that is rolled back. */
export function runAndRollBack<Result>(database: Sqlite, work: () => Result): Result {
  database.exec('BEGIN IMMEDIATE')
  try {
    return work()
  } finally {
    database.rollBack()
  }
}

/** Writes a copy of the database that only its owner may read: to a temporary file, then renamed to `copy`. */
function makeCopy(database: Sqlite, copy: string, version: number) {
  const temporaryPath = `${copy}.${process.pid}`
  try {
    removeUnfinishedCopies(copy)
    rmSync(temporaryPath, { force: true })
    // SQLite writes into this empty file, so that the copy has its mode from the beginning.
    writeFileSync(temporaryPath, '', { mode: 0o600 })
    database.prepare('VACUUM INTO ?').run([temporaryPath])
    // If another process has migrated the file since, it has also made a copy.
    if (versionOnDisk(temporaryPath) === version) renameSync(temporaryPath, copy)
  } catch (error) {
    if (error instanceof TtError) throw error
    throw new TtError('failure', `The state could not be copied to ${copy}. Nothing was changed.`, {
      hint: 'tt makes a copy before it migrates the state. Check the free space and the permissions there.',
      cause: error,
    })
  } finally {
    rmSync(temporaryPath, { force: true })
  }
}

/**
 * Removes temporary copies of processes that were ended while they made them: those that were not written for an hour.
 * Several machines or containers may use the same home, and this one does not see the processes of the others.
 */
function removeUnfinishedCopies(copy: string) {
  const prefix = `${basename(copy)}.`
  for (const name of readdirSync(dirname(copy))) {
    const [, pid] =
      /^([1-9]\d*)(-journal)?$/.exec(name.startsWith(prefix) ? name.slice(prefix.length) : '') ?? []
    const path = join(dirname(copy), name)
    if (pid !== undefined && !isRunning(Number(pid)) && ageMs(path) > hourMs) rmSync(path, { force: true })
  }
}

/** Returns the time since a file was written, in milliseconds; 0 for a file that no longer exists. */
function ageMs(path: string): number {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats ? Date.now() - stats.mtimeMs : 0
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // A process of another user may not receive signals.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Syncs a database file to the disk and returns the version in its header (sqlite.org/fileformat2.html section 1.3). */
function versionOnDisk(path: string): number {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
    const header = Buffer.alloc(100)
    readSync(file, header, 0, header.length, 0)
    return header.readUInt32BE(60)
  } finally {
    closeSync(file)
  }
}
