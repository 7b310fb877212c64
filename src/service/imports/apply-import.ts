import { type Sql, sql } from '../storage/sql.js'
import type { AppliedImport, ImportTarget, StagedEntries } from './entry-imports.js'
import { checkEntries } from './invalid-entries.js'
import { createLinks } from './new-links.js'

/** A row of the table `imports`. */
export interface ImportRow {
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
export async function applyImport(
  target: ImportTarget,
  id: string,
  staged: StagedEntries,
): Promise<AppliedImport> {
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
export function storedFields(table: Sql): Sql {
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
