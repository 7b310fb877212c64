import { existsSync } from 'node:fs'
import { TtError } from '../../lib/errors.js'
import type { Sqlite } from '../../lib/sqlite/connection.js'
import { applyImport } from './apply-import.js'
import { type InvalidStagedEntry, invalidEntries } from './invalid-entries.js'
import { changesSince, revertImport } from './revert-import.js'

/** What an import has changed in the workspace. */
export interface AppliedImport {
  /** Entries with an external ID that the workspace already has are not created. */
  created: number
  /** Entries that were deleted since the comparison are not updated. */
  updated: number
}

/** The entries of an import that other commands have changed or deleted since. */
export interface ChangesSince {
  changed: number
  deleted: number
}

/**
 * The imports into a local workspace. They read the tables of a staging file (src/importer/staging.ts) in the database
 * itself, so that the time for an entry is that of its insertion. Each change is one transaction, in which the table
 * `imports` records that it is applied.
 *
 * All methods throw TtError `failure` if a database cannot be used, or if the staging file is missing.
 */
export interface EntryImports {
  /** Returns the staged entries to create or update that the workspace would not accept, without a change. */
  invalidEntries(stagingPath: string): InvalidStagedEntry[]
  /**
   * Creates the clients, projects, tasks and task links of the staged combinations that do not exist, and creates and
   * updates the entries. An import that was reverted gets the same IDs again. Has no effect if it is applied already.
   *
   * Throws TtError `rejected` for an invalid entry; nothing is changed then.
   */
  apply(id: string, stagingPath: string): AppliedImport
  /** Returns the IDs of all applied imports. */
  appliedIds(): Set<string>
  /** Counts the entries of an applied import that were changed or deleted since. */
  changesSince(id: string): ChangesSince
  /**
   * Deletes the entries that an import has created, restores those that it has updated, and deletes the clients, projects,
   * tasks and task links that it has created and that nothing else uses. Returns the external IDs of the updated entries.
   */
  revert(id: string): string[]
}

/** The parts of the local workspace that imports use. */
export interface ImportTarget {
  database: Sqlite
  /** The user whose entries are imported. */
  userId: number
  now: Date
}

/** Pages of 4 KB in memory during an import; the default of 2 MB is too small for the indexes of 100,000 entries. */
const cachedPages = 16_384
const defaultCachedPages = -2000

/** Returns the imports of the local workspace with that database. */
export function createEntryImports(database: Sqlite, userId: number, clock: () => Date): EntryImports {
  const target = (): ImportTarget => ({ database, userId, now: clock() })
  return {
    invalidEntries: (path) => withStaging(database, path, () => invalidEntries(database)),
    apply: (id, path) => withStaging(database, path, () => applyImport(target(), id)),
    appliedIds() {
      const rows = database.prepare('SELECT id FROM imports WHERE applied = 1').all() as { id: string }[]
      return new Set(rows.map(({ id }) => id))
    },
    changesSince: (id) => changesSince(database, id),
    revert: (id) => withLargeCache(database, () => revertImport(target(), id)),
  }
}

/** Runs `work` with the staging file attached as `staging`. */
function withStaging<Result>(database: Sqlite, path: string, work: () => Result): Result {
  // SQLite would create the file.
  if (!existsSync(path)) throw new TtError('failure', `The staging file ${path} of the import is missing.`)
  database.prepare('ATTACH ? AS staging').run([path])
  try {
    return withLargeCache(database, work)
  } finally {
    database.exec('DETACH staging')
  }
}

function withLargeCache<Result>(database: Sqlite, work: () => Result): Result {
  database.exec(`PRAGMA cache_size = ${cachedPages}`)
  try {
    return work()
  } finally {
    database.exec(`PRAGMA cache_size = ${defaultCachedPages}`)
  }
}
