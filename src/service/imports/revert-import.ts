import { TtError } from '../../lib/errors.js'
import type { Queries } from '../storage/queries.js'
import { rawSql, sql } from '../storage/sql.js'
import type { ImportRow } from './apply-import.js'
import type { ChangesSince, ImportTarget } from './entry-imports.js'
import { type CreatedRecords, deleteUnused } from './new-links.js'

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

/** See `EntryImports.revert`. `target` is in a transaction, with foreign keys off. */
export async function revertImport({ queries, now }: ImportTarget, id: string): Promise<string[]> {
  const row = await appliedRow(queries, id)
  if (!row) return []
  await requireOpen(queries, row)
  await queries.all(sql`delete from time_entries where ${createdEntries(row)}`)
  const externalIds = await restoreUpdated(queries, row, now)
  await deleteUnused(queries, JSON.parse(row.created) as CreatedRecords)
  await queries.all(sql`update imports set applied = 0 where id = ${id}`)
  return externalIds
}

/** Throws TtError `rejected` if an entry to delete or to restore is in the closed period, or was there before. */
async function requireOpen(queries: Queries, row: ImportRow): Promise<void> {
  const [closed] = await queries.all<{ closed_until: string }>(sql`
    select closed_until from company where closed_before > (select min(start) from (
      select time_start as start from time_entries where ${createdEntries(row)}
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

async function restoreUpdated(queries: Queries, row: ImportRow, now: Date): Promise<string[]> {
  if (row.updated === '[]') return []
  await queries.all(sql`
    update time_entries set time_start = ${value('time_start')}, time_end = ${value('time_end')},
      notes = ${value('notes')}, updated_at = max(${now.getTime()}, updated_at + 1),
      task_link_id = coalesce((select id from task_links where id = ${value('task_link_id')}), task_link_id)
    from ${before(row)} where time_entries.id = ${value('id')}`)
  const rows = await queries.all<{ external_id: string }>(sql`
    select external_id from time_entries
    where external_id is not null and id in (select ${value('id')} from ${before(row)})`)
  return rows.map((found) => found.external_id)
}

async function appliedRow(queries: Queries, id: string): Promise<ImportRow | undefined> {
  const [row] = await queries.all<ImportRow>(sql`select * from imports where id = ${id} and applied = 1`)
  return row
}
