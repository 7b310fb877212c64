import { TtError } from '../../lib/errors.js'
import type { Sqlite } from '../../lib/sqlite/connection.js'
import type { ImportRow } from './apply-import.js'
import type { ChangesSince, ImportTarget } from './entry-imports.js'
import { type CreatedRecords, deleteUnused } from './new-links.js'

/** The entries of an import that it has created, and those that it has updated, as they were before. */
const createdEntries = 'user_id = ? AND id BETWEEN ? AND ?'
const value = (name: string) => `json_extract(before.value, '$.${name}')`

/** See `EntryImports.changesSince`. An entry that was only created or updated by the import has the times of that. */
export function changesSince(database: Sqlite, id: string): ChangesSince {
  const row = appliedRow(database, id)
  if (!row) return { changed: 0, deleted: 0 }
  const created = database
    .prepare(
      `SELECT count(*) AS count, coalesce(sum(updated_at <> created_at), 0) AS changed FROM time_entries
       WHERE ${createdEntries}`,
    )
    .get([row.user_id, row.first_entry, row.last_entry]) as { count: number; changed: number }
  const updated = database
    .prepare(
      `SELECT coalesce(sum(stored.id IS NULL), 0) AS deleted,
         coalesce(sum(stored.updated_at <> max(?, ${value('updated_at')} + 1)), 0) AS changed
       FROM json_each(?) AS before LEFT JOIN time_entries AS stored ON stored.id = ${value('id')}`,
    )
    .get([row.created_at, row.updated]) as { deleted: number; changed: number }
  return {
    changed: created.changed + updated.changed,
    deleted: row.entries - created.count + updated.deleted,
  }
}

/** See `EntryImports.revert`. */
export function revertImport({ database, now }: ImportTarget, id: string): string[] {
  // `deleteUnused` deletes only records without references.
  database.exec('PRAGMA foreign_keys = OFF')
  try {
    return database.transaction(() => {
      const row = appliedRow(database, id)
      if (!row) return []
      requireOpen(database, row)
      database
        .prepare(`DELETE FROM time_entries WHERE ${createdEntries}`)
        .run([row.user_id, row.first_entry, row.last_entry])
      const externalIds = restoreUpdated(database, row, now)
      deleteUnused(database, JSON.parse(row.created) as CreatedRecords)
      database.prepare('UPDATE imports SET applied = 0 WHERE id = ?').run([id])
      return externalIds
    })
  } finally {
    database.exec('PRAGMA foreign_keys = ON')
  }
}

/** Throws TtError `rejected` if an entry to delete or to restore is in the closed period, or was there before. */
function requireOpen(database: Sqlite, row: ImportRow) {
  const { closed_until: day } = database
    .prepare(
      `SELECT max(closed_until) AS closed_until FROM company WHERE closed_before > (SELECT min(start) FROM (
         SELECT time_start AS start FROM time_entries WHERE ${createdEntries}
         UNION ALL SELECT ${value('time_start')} FROM json_each(?) AS before
         UNION ALL SELECT time_start FROM json_each(?) AS before JOIN time_entries ON time_entries.id = ${value('id')}))`,
    )
    .get([row.user_id, row.first_entry, row.last_entry, row.updated, row.updated]) as {
    closed_until: string | null
  }
  if (day === null) return
  throw new TtError('rejected', `The import has entries in the closed period, up to ${day}.`, {
    hint: 'Nothing was changed.',
  })
}

function restoreUpdated(database: Sqlite, { updated }: ImportRow, now: Date): string[] {
  if (updated === '[]') return []
  database
    .prepare(
      `UPDATE time_entries SET time_start = ${value('time_start')}, time_end = ${value('time_end')},
         notes = ${value('notes')}, updated_at = max(?, updated_at + 1),
         task_link_id = coalesce((SELECT id FROM task_links WHERE id = ${value('task_link_id')}), task_link_id)
       FROM json_each(?) AS before WHERE time_entries.id = ${value('id')}`,
    )
    .run([now.getTime(), updated])
  const rows = database
    .prepare(
      `SELECT external_id FROM time_entries
       WHERE external_id IS NOT NULL AND id IN (SELECT ${value('id')} FROM json_each(?) AS before)`,
    )
    .all([updated]) as { external_id: string }[]
  return rows.map((found) => found.external_id)
}

function appliedRow(database: Sqlite, id: string): ImportRow | undefined {
  return database.prepare('SELECT * FROM imports WHERE id = ? AND applied = 1').get([id]) as
    | ImportRow
    | undefined
}
