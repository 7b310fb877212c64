import { sql } from '../storage/sql.js'
import type { AppliedImport, ImportTarget } from './entry-imports.js'
import { checkEntries } from './invalid-entries.js'
import { type CreatedRecords, createLinks, noRecords, recreate } from './new-links.js'

/** A row of the table `imports`. */
export interface ImportRow {
  user_id: number
  applied: number
  first_entry: number
  last_entry: number
  entries: number
  created_at: number
  created: string
  updated: string
}

/** See `EntryImports.apply`. The staging file is attached as `staging`; `target` is in a transaction. */
export async function applyImport(target: ImportTarget, id: string): Promise<AppliedImport> {
  const { queries, userId, now } = target
  const [earlier] = await queries.all<ImportRow>(sql`select * from imports where id = ${id}`)
  if (earlier?.applied === 1) return { created: 0, updated: 0 }
  await checkEntries(queries, target.userId)
  const known: CreatedRecords = earlier ? JSON.parse(earlier.created) : noRecords
  await recreate(queries, known)
  const links = JSON.stringify(merged(known, await createLinks(queries)))
  const { updatedRows, updated } = await updateEntries(target)
  const { first, last, created } = await createEntries(target, earlier?.first_entry)
  await queries.all(sql`
    insert or replace into imports
      (id, user_id, applied, first_entry, last_entry, entries, created_at, created, updated)
    values (${id}, ${userId}, 1, ${first}, ${last}, ${created}, ${now.getTime()}, ${links}, ${updatedRows})`)
  await queries.all(sql`drop table temp.import_link`)
  return { created, updated }
}

/** Returns the entries to update as they are before, as JSON, and the number of updated ones. */
async function updateEntries(target: ImportTarget): Promise<{ updatedRows: string; updated: number }> {
  const { queries, userId, now } = target
  const isUpdated = sql`
    entry.action = 'update' and stored.id = cast(entry.record as integer) and stored.user_id = ${userId}`
  const [stored] = await queries.all<{ rows: string }>(sql`
    select json_group_array(json_object('id', stored.id, 'time_start', time_start, 'time_end', time_end,
      'notes', stored.notes, 'task_link_id', task_link_id, 'updated_at', updated_at)) as rows
    from staging.entry as entry cross join main.time_entries as stored where ${isUpdated}`)
  await queries.all(sql`
    update main.time_entries as stored set time_start = entry.start_at, time_end = entry.end_at,
      notes = nullif(entry.notes, ''), task_link_id = import_link.link,
      updated_at = max(${now.getTime()}, updated_at + 1)
    from staging.entry as entry join temp.import_link on import_link.combination = entry.combination
    where ${isUpdated}`)
  return { updatedRows: stored?.rows ?? '[]', updated: await changedRows(target) }
}

/**
 * Creates the entries in the order of their start, with consecutive IDs. Skips those whose external ID is in use, as the
 * service does.
 *
 * @param firstId the first ID when the import was applied before; the next unused one without it
 */
async function createEntries(
  target: ImportTarget,
  firstId: number | undefined,
): Promise<{ first: number; last: number; created: number }> {
  const { queries, userId } = target
  const [ids] = await queries.all<{ next: number; count: number }>(sql`
    select coalesce((select seq from main.sqlite_sequence where name = 'time_entries'), 0) + 1 as next,
      (select count(*) from staging.entry where action = 'create') as count`)
  const { next = 1, count = 0 } = ids ?? {}
  const first = firstId ?? next
  const now = target.now.getTime()
  await queries.all(sql`
    insert into main.time_entries
      (id, user_id, time_start, time_end, notes, task_link_id, external_id, created_at, updated_at, version)
    select ${first} + row_number() over (order by start_at, position) - 1, ${userId}, start_at, end_at,
      nullif(notes, ''), import_link.link, external_id, ${now}, ${now}, 1 + abs(random() % 1000000000)
    from staging.entry as entry join temp.import_link on import_link.combination = entry.combination
    where action = 'create' order by start_at, position
    on conflict (user_id, external_id) where external_id is not null do nothing`)
  return { first, last: first + count - 1, created: await changedRows(target) }
}

/** Returns the number of rows that the last statement has changed. */
async function changedRows({ queries }: ImportTarget): Promise<number> {
  const [changed] = await queries.all<{ count: number }>(sql`select changes() as count`)
  return changed?.count ?? 0
}

function merged(known: CreatedRecords, added: CreatedRecords): CreatedRecords {
  const union = <Row extends { id: number }>(one: Row[], other: Row[]) => [...one, ...other]
  return {
    clients: union(known.clients, added.clients),
    projects: union(known.projects, added.projects),
    tasks: union(known.tasks, added.tasks),
    links: union(known.links, added.links),
  }
}
