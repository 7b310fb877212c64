import { existsSync } from 'node:fs'
import { TtError } from '../../lib/errors.js'
import type { Queries } from '../storage/queries.js'
import { type Sql, sql } from '../storage/sql.js'
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
 * All methods reject with TtError `failure` if a database cannot be used, or if the staging file is missing.
 */
export interface EntryImports {
  /** Returns the staged entries to create or update that the workspace would not accept, without a change. */
  invalidEntries(stagingPath: string): Promise<InvalidStagedEntry[]>
  /**
   * Creates the clients, projects, tasks and task links of the staged combinations that do not exist, and creates and
   * updates the entries. An import that was reverted gets the same IDs again. Has no effect if it is applied already.
   *
   * Rejects with TtError `rejected` for an invalid entry; nothing is changed then.
   */
  apply(id: string, stagingPath: string): Promise<AppliedImport>
  /** Returns the IDs of all applied imports. */
  appliedIds(): Promise<Set<string>>
  /** Counts the entries of an applied import that were changed or deleted since. */
  changesSince(id: string): Promise<ChangesSince>
  /**
   * Deletes the entries that an import has created, restores those that it has updated, and deletes the clients, projects,
   * tasks and task links that it has created and that nothing else uses. Returns the external IDs of the updated entries.
   */
  revert(id: string): Promise<string[]>
}

/** The parts of the local workspace that imports use. */
export interface ImportTarget {
  queries: Queries
  /** The user whose entries are imported. */
  userId: number
  now: Date
}

/** Returns the imports of the local workspace with these queries. */
export function createEntryImports(queries: Queries, userId: number, clock: () => Date): EntryImports {
  const inTransaction = <Result>(work: (target: ImportTarget) => Promise<Result>) =>
    queries.transaction((transaction) => work({ queries: transaction, userId, now: clock() }))
  return {
    invalidEntries: (path) => withStaging(queries, path, () => invalidEntries(queries, userId)),
    apply: (id, path) => withStaging(queries, path, () => inTransaction((target) => applyImport(target, id))),
    async appliedIds() {
      const rows = await queries.all<{ id: string }>(sql`select id from imports where applied = 1`)
      return new Set(rows.map(({ id }) => id))
    },
    changesSince: (id) => changesSince(queries, id),
    revert: (id) =>
      withLargeCache(queries, () =>
        // `deleteUnused` deletes only records without references.
        withPragma(queries, sql`foreign_keys`, [sql`off`, sql`on`], () =>
          inTransaction((target) => revertImport(target, id)),
        ),
      ),
  }
}

/** Runs `work` with the staging file attached as `staging`. */
async function withStaging<Result>(
  queries: Queries,
  path: string,
  work: () => Promise<Result>,
): Promise<Result> {
  // SQLite would create the file.
  if (!existsSync(path)) throw new TtError('failure', `The staging file ${path} of the import is missing.`)
  await queries.all(sql`attach ${path} as staging`)
  try {
    return await withLargeCache(queries, work)
  } finally {
    await queries.all(sql`detach staging`)
  }
}

/** Runs `work` with 16,384 pages of 4 KB in memory; the default of 2 MB is too small for the indexes of 100,000 entries. */
function withLargeCache<Result>(queries: Queries, work: () => Promise<Result>): Promise<Result> {
  return withPragma(queries, sql`cache_size`, [sql`16384`, sql`-2000`], work)
}

/** Runs `work` with another value of a setting of the connection. */
async function withPragma<Result>(
  queries: Queries,
  name: Sql,
  [value, previous]: readonly [Sql, Sql],
  work: () => Promise<Result>,
): Promise<Result> {
  await queries.all(sql`pragma ${name} = ${value}`)
  try {
    return await work()
  } finally {
    await queries.all(sql`pragma ${name} = ${previous}`)
  }
}
