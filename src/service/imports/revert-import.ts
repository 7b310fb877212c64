import { TtError } from '../../lib/errors.js'
import type { Queries } from '../storage/queries.js'
import { rawSql, sql } from '../storage/sql.js'
import { type ImportRow, storedFields } from './apply-import.js'
import type { ChangesSince, ImportTarget } from './entry-imports.js'
import { checkRemovedEntries } from './invalid-entries.js'
import { type CreatedRecords, deleteUnused, recreate, replaceMissingLinks } from './new-links.js'

/** The entries of an import that it has created, and those that it has updated, as they were before. */
const createdEntries = (row: ImportRow) =>
  sql`user_id = ${row.user_id} and id between ${row.first_entry} and ${row.last_entry}`
const before = (row: ImportRow) => sql`json_each(${row.updated}) as before`
const value = (name: string) => rawSql(`json_extract(before.value, '$.${name}')`)

/** See `EntryImports.changesSince`. An entry that was only created or updated by the import has the times of that. */
export async function changesSince(queries: Queries, id: string): Promise<ChangesSince> {
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
export async function entryIdsOf(queries: Queries, id: string) {
  const [row] = await queries.all<ImportRow>(sql`select * from imports where id = ${id}`)
  const updated = JSON.parse(row?.updated ?? '[]') as { id: number }[]
  return {
    ...{ firstCreated: row?.first_entry ?? 0, lastCreated: row?.last_entry ?? -1 },
    updated: updated.map((entry) => entry.id),
  }
}

/** See `EntryImports.revert`. The removed entries move to the table `undone_entries`. */
export async function revertImport({ queries, now }: ImportTarget, id: string): Promise<string[]> {
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
export async function repeatImport(target: ImportTarget, id: string): Promise<void> {
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
