import { TtError } from '../../lib/errors.js'
import type { Queries } from '../storage/queries.js'
import { joinSql, rawSql, type Sql, sql } from '../storage/sql.js'
import {
  checkEntries,
  checkRemovedEntries,
  type InvalidStagedEntry,
  invalidEntries,
} from './invalid-entries.js'
import { type CreatedRecords, createLinks, deleteUnused, recreate, replaceMissingLinks } from './new-links.js'

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

/** A row of the table `imports`. */
interface ImportRow {
  id: string
  user_id: number
  applied: number
  first_entry: number
  last_entry: number
  entries: number
  created_at: number
  created: string
  updated: string
}

/** See `EntryImports.apply`. */
async function applyImport(target: ImportTarget, id: string, staged: StagedEntries): Promise<AppliedImport> {
  const { queries, userId, now } = target
  await checkEntries(target, staged)
  const links = JSON.stringify(await createLinks(queries, staged))
  const { updatedRows, updated } = await updateEntries(target, staged)
  const { first, last, created } = await createEntries(target, staged)
  await queries.all(sql`
    insert into imports (id, user_id, applied, first_entry, last_entry, entries, created_at, created, updated)
    values (${id}, ${userId}, 1, ${first}, ${last}, ${created}, ${now.getTime()}, ${links}, ${updatedRows})`)
  await queries.all(sql`drop table temp.import_link`)
  return { created, updated }
}

/** Returns the entries to update as they are before, as JSON, and the number of updated ones. */
async function updateEntries(
  target: ImportTarget,
  { entry }: StagedEntries,
): Promise<{ updatedRows: string; updated: number }> {
  const { queries, userId, now } = target
  const isUpdated = sql`
    entry.action = 'update' and stored.id = cast(entry.record as integer) and stored.user_id = ${userId}`
  const [stored] = await queries.all<{ rows: string }>(sql`
    select json_group_array(${storedFields(sql`stored`)}) as rows
    from ${entry} as entry cross join main.time_entries as stored where ${isUpdated}`)
  await queries.all(sql`
    update main.time_entries as stored set time_start = entry.start_at, time_end = entry.end_at,
      notes = nullif(entry.notes, ''), task_link_id = import_link.link,
      updated_at = max(${now.getTime()}, updated_at + 1)
    from ${entry} as entry join temp.import_link on import_link.combination = entry.combination
    where ${isUpdated}`)
  return { updatedRows: stored?.rows ?? '[]', updated: await changedRows(target) }
}

/** Returns the JSON of the fields of an entry that an import changes. */
function storedFields(table: Sql): Sql {
  return sql`json_object('id', ${table}.id, 'time_start', ${table}.time_start, 'time_end', ${table}.time_end,
    'notes', ${table}.notes, 'task_link_id', ${table}.task_link_id, 'updated_at', ${table}.updated_at)`
}

/**
 * Creates the entries in the order of their start, with consecutive IDs. Skips those whose external ID is in use, as the
 * service does.
 */
async function createEntries(
  target: ImportTarget,
  { entry }: StagedEntries,
): Promise<{ first: number; last: number; created: number }> {
  const { queries, userId } = target
  const [ids] = await queries.all<{ next: number; count: number }>(sql`
    select coalesce((select seq from main.sqlite_sequence where name = 'time_entries'), 0) + 1 as next,
      (select count(*) from ${entry} where action = 'create') as count`)
  const { next: first = 1, count = 0 } = ids ?? {}
  const now = target.now.getTime()
  await queries.all(sql`
    insert into main.time_entries
      (id, user_id, time_start, time_end, notes, task_link_id, external_id, created_at, updated_at, version)
    select ${first} + row_number() over (order by start_at, position) - 1, ${userId}, start_at, end_at,
      nullif(notes, ''), import_link.link, external_id, ${now}, ${now}, 1 + abs(random() % 1000000000)
    from ${entry} as entry join temp.import_link on import_link.combination = entry.combination
    where action = 'create' order by start_at, position
    on conflict (user_id, external_id) where external_id is not null do nothing`)
  return { first, last: first + count - 1, created: await changedRows(target) }
}

/** Returns the number of rows that the last statement has changed. */
async function changedRows({ queries }: ImportTarget): Promise<number> {
  const [changed] = await queries.all<{ count: number }>(sql`select changes() as count`)
  return changed?.count ?? 0
}

/** The entries of an import that it has created, and those that it has updated, as they were before. */
const createdEntries = (row: ImportRow) =>
  sql`user_id = ${row.user_id} and id between ${row.first_entry} and ${row.last_entry}`
const before = (row: ImportRow) => sql`json_each(${row.updated}) as before`
const value = (name: string) => rawSql(`json_extract(before.value, '$.${name}')`)

/** See `EntryImports.changesSince`. An entry that was only created or updated by the import has the times of that. */
async function changesSince(queries: Queries, id: string): Promise<ChangesSince> {
  const row = await appliedRow(queries, id)
  if (!row) return { changed: 0, deleted: 0 }
  const [created] = await queries.all<{ count: number; changed: number }>(sql`
    select count(*) as count, coalesce(sum(updated_at <> created_at), 0) as changed from time_entries
    where ${createdEntries(row)}`)
  const [updated] = await queries.all<{ deleted: number; changed: number }>(sql`
    select coalesce(sum(stored.id is null), 0) as deleted,
      coalesce(sum(stored.updated_at <> max(${row.created_at}, ${value('updated_at')} + 1)), 0) as changed
    from ${before(row)} left join time_entries as stored on stored.id = ${value('id')}`)
  if (!created || !updated) throw new Error(`The entries of the import ${id} were not counted.`)
  return {
    changed: created.changed + updated.changed,
    deleted: row.entries - created.count + updated.deleted,
  }
}

/** See `EntryImports.entryIds`. */
async function entryIdsOf(queries: Queries, id: string) {
  const [row] = await queries.all<ImportRow>(sql`select * from imports where id = ${id}`)
  const updated = JSON.parse(row?.updated ?? '[]') as { id: number }[]
  return {
    ...{ firstCreated: row?.first_entry ?? 0, lastCreated: row?.last_entry ?? -1 },
    updated: updated.map((entry) => entry.id),
  }
}

/** See `EntryImports.revert`. The removed entries move to the table `undone_entries`. */
async function revertImport({ queries, now }: ImportTarget, id: string): Promise<string[]> {
  const row = await appliedRow(queries, id)
  if (!row) return []
  await requireOpen(queries, row)
  await queries.all(sql`
    insert into undone_entries (import, ${entryColumns})
    select ${id}, ${entryColumns} from time_entries where ${createdEntries(row)}`)
  await queries.all(sql`delete from time_entries where ${createdEntries(row)}`)
  const externalIds = await exchangeUpdated(queries, { id, row, now })
  await deleteUnused(queries, JSON.parse(row.created) as CreatedRecords)
  await queries.all(sql`update imports set applied = 0 where id = ${id}`)
  return externalIds
}

/** See `EntryImports.repeat`. */
async function repeatImport(target: ImportTarget, id: string): Promise<void> {
  const { queries, now, userId } = target
  const [row] = await queries.all<ImportRow>(sql`select * from imports where id = ${id} and applied = 0`)
  if (!row) return
  const created = JSON.parse(row.created) as CreatedRecords
  await recreate(queries, created)
  for (const { from, to } of await replaceMissingLinks(queries, created))
    await queries.all(
      sql`update undone_entries set task_link_id = ${to} where import = ${id} and task_link_id = ${from}`,
    )
  await requireOpen(queries, row)
  await checkRemovedEntries(target, id)
  await queries.all(sql`
    insert into time_entries (user_id, version, ${entryColumns})
    select ${userId}, 1 + abs(random() % 1000000000), ${entryColumns} from undone_entries where import = ${id}
    order by id on conflict (user_id, external_id) where external_id is not null do nothing`)
  await queries.all(sql`delete from undone_entries where import = ${id}`)
  await exchangeUpdated(queries, { id, row, now })
  await queries.all(sql`
    update imports set applied = 1, created = ${JSON.stringify(created)}, entries = (
      select count(*) from time_entries where ${createdEntries(row)}) where id = ${id}`)
}

/** The columns of a removed entry. */
const entryColumns = rawSql(
  'id, time_start, time_end, notes, task_link_id, external_id, created_at, updated_at',
)

/** Throws TtError `rejected` if an entry to delete or to restore is in the closed period, or was there before. */
async function requireOpen(queries: Queries, row: ImportRow): Promise<void> {
  const [closed] = await queries.all<{ closed_until: string }>(sql`
    select closed_until from company where closed_before > (select min(start) from (
      select time_start as start from time_entries where ${createdEntries(row)}
      union all select time_start from undone_entries where import = ${row.id}
      union all select ${value('time_start')} from ${before(row)}
      union all select time_start from ${before(row)} join time_entries on time_entries.id = ${value('id')}))`)
  if (!closed) return
  throw new TtError(
    'rejected',
    `The import has entries in the closed period, up to ${closed.closed_until}.`,
    {
      hint: 'Nothing was changed.',
    },
  )
}

/**
 * Gives the updated entries the values of the other side of the update, and stores the current ones in their place. Returns
 * their external IDs.
 */
async function exchangeUpdated(
  queries: Queries,
  { id, row, now }: { id: string; row: ImportRow; now: Date },
): Promise<string[]> {
  if (row.updated === '[]') return []
  const stored = await queries.all<{ fields: string; external_id: string | null }>(sql`
    select ${storedFields(sql`time_entries`)} as fields, external_id from time_entries
    where id in (select ${value('id')} from ${before(row)})`)
  await queries.all(sql`
    update time_entries set time_start = ${value('time_start')}, time_end = ${value('time_end')},
      notes = ${value('notes')}, updated_at = max(${now.getTime()}, time_entries.updated_at + 1),
      task_link_id = coalesce((select id from task_links where id = ${value('task_link_id')}), task_link_id)
    from ${before(row)} where time_entries.id = ${value('id')}`)
  const updated = `[${stored.map(({ fields }) => fields).join()}]`
  await queries.all(
    sql`update imports set updated = ${updated}, created_at = ${now.getTime()} where id = ${id}`,
  )
  return stored.flatMap(({ external_id: externalId }) => externalId ?? [])
}

async function appliedRow(queries: Queries, id: string): Promise<ImportRow | undefined> {
  const [row] = await queries.all<ImportRow>(sql`select * from imports where id = ${id} and applied = 1`)
  return row
}
