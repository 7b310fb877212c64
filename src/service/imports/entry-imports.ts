import type { Queries } from '../storage/queries.js'
import { joinSql, rawSql, type Sql, sql } from '../storage/sql.js'
import { applyImport } from './apply-import.js'
import { type InvalidStagedEntry, invalidEntries } from './invalid-entries.js'
import { changesSince, entryIdsOf, repeatImport, revertImport } from './revert-import.js'

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

/** The names of the temporary tables with staged entries (src/import-export/importer/staging.ts). */
interface StagedTables {
  entry: string
  combination: string
}

/**
 * The imports into a local workspace. They read staged entries in the database itself, so that the time for an entry is
 * that of its insertion. The caller begins the transaction.
 *
 * All methods reject with TtError `failure` if the database cannot be used.
 */
export interface EntryImports {
  /** Runs `work`, which begins the transaction of a change of many entries, with fitting settings of the connection. */
  inBulk<Result>(work: () => Promise<Result>): Promise<Result>
  /** Returns the staged entries to create or update that the workspace would not accept, without a change. */
  invalidEntries(tables: StagedTables): Promise<InvalidStagedEntry[]>
  /**
   * Creates the clients, projects, tasks and task links of the staged combinations that do not exist, and creates and
   * updates the entries. Rejects with TtError `rejected` for an invalid entry.
   */
  apply(id: string, tables: StagedTables): Promise<AppliedImport>
  /** Counts the entries of an applied import that were changed or deleted since. */
  changesSince(id: string): Promise<ChangesSince>
  /** Returns the IDs of the entries that an import has created and updated, also where they were deleted since. */
  entryIds(id: string): Promise<{ firstCreated: number; lastCreated: number; updated: number[] }>
  /**
   * Removes the entries that an import has created, restores those that it has updated, and deletes the clients, projects,
   * tasks and task links that it has created and that nothing else uses. Returns the external IDs of the updated entries.
   * Call it within `inBulk`.
   */
  revert(id: string): Promise<string[]>
  /** Applies a reverted import again, with the same IDs. Rejects with TtError `rejected` like `apply`. */
  repeat(id: string): Promise<void>
  /** Forgets the imports that are not among these, which can be neither reverted nor repeated any more. */
  forget(known: readonly string[]): Promise<void>
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
  const target = (): ImportTarget => ({ queries, userId, now: clock() })
  return {
    inBulk: (work) =>
      withPragmas(
        queries,
        [
          // 16,384 pages of 4 KB in memory: the default of 2 MB is too small for the indexes of 100,000 entries.
          [sql`cache_size`, sql`16384`, sql`-2000`],
          // For each deleted task link, the database would read all entries; `deleteUnused` checks them at once.
          [sql`foreign_keys`, sql`off`, sql`on`],
        ],
        work,
      ),
    invalidEntries: (tables) => invalidEntries(target(), stagedEntries(tables)),
    apply: (id, tables) => applyImport(target(), id, stagedEntries(tables)),
    changesSince: (id) => changesSince(queries, id),
    entryIds: (id) => entryIdsOf(queries, id),
    revert: (id) => revertImport(target(), id),
    repeat: (id) => repeatImport(target(), id),
    async forget(known) {
      const isForgotten = sql`not in (${joinSql(known)})`
      await queries.all(sql`delete from undone_entries where import ${isForgotten}`)
      await queries.all(sql`delete from imports where id ${isForgotten}`)
    },
  }
}

/** The tables of staged entries in SQL. */
export interface StagedEntries {
  entry: Sql
  combination: Sql
}

function stagedEntries({ entry, combination }: StagedTables): StagedEntries {
  return { entry: rawSql(`temp.${entry}`), combination: rawSql(`temp.${combination}`) }
}

/** Runs `work` with other values of settings of the connection. */
async function withPragmas<Result>(
  queries: Queries,
  pragmas: readonly (readonly [name: Sql, value: Sql, previous: Sql])[],
  work: () => Promise<Result>,
): Promise<Result> {
  for (const [name, value] of pragmas) await queries.all(sql`pragma ${name} = ${value}`)
  try {
    return await work()
  } finally {
    for (const [name, , previous] of pragmas) await queries.all(sql`pragma ${name} = ${previous}`)
  }
}
