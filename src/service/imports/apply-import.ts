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

/** See `EntryImports.apply`. The staging file is attached as `staging`. */
export function applyImport(target: ImportTarget, id: string): AppliedImport {
  const { database } = target
  return database.transaction(() => {
    const earlier = database.prepare('SELECT * FROM imports WHERE id = ?').get([id]) as ImportRow | undefined
    if (earlier?.applied === 1) return { created: 0, updated: 0 }
    checkEntries(database)
    const known: CreatedRecords = earlier ? JSON.parse(earlier.created) : noRecords
    recreate(database, known)
    const links = createLinks(database)
    const { updatedRows, updated } = updateEntries(target)
    const { first, last, created } = createEntries(target, earlier?.first_entry)
    database
      .prepare(
        `INSERT OR REPLACE INTO imports
           (id, user_id, applied, first_entry, last_entry, entries, created_at, created, updated)
         VALUES (?, ?, 1, ?, ?, ?, ?, ?, ?)`,
      )
      .run([
        ...[id, target.userId, first, last, created, target.now.getTime()],
        ...[JSON.stringify(merged(known, links)), updatedRows],
      ])
    database.exec('DROP TABLE temp.import_link')
    return { created, updated }
  })
}

/** Returns the entries to update as they are before, as JSON, and the number of updated ones. */
function updateEntries({ database, userId, now }: ImportTarget): { updatedRows: string; updated: number } {
  const isUpdated = `entry.action = 'update' AND stored.id = CAST(entry.record AS INTEGER) AND stored.user_id = ?`
  const { rows } = database
    .prepare(
      `SELECT json_group_array(json_object('id', stored.id, 'time_start', time_start, 'time_end', time_end,
         'notes', stored.notes, 'task_link_id', task_link_id, 'updated_at', updated_at)) AS rows
       FROM staging.entry AS entry CROSS JOIN main.time_entries AS stored WHERE ${isUpdated}`,
    )
    .get([userId]) as { rows: string }
  const { changes } = database
    .prepare(
      `UPDATE main.time_entries AS stored SET time_start = entry.start_at, time_end = entry.end_at,
         notes = nullif(entry.notes, ''), task_link_id = import_link.link, updated_at = max(?, updated_at + 1)
       FROM staging.entry AS entry JOIN temp.import_link ON import_link.combination = entry.combination
       WHERE ${isUpdated}`,
    )
    .run([now.getTime(), userId])
  return { updatedRows: rows, updated: Number(changes) }
}

/**
 * Creates the entries in the order of their start, with consecutive IDs. Skips those whose external ID is in use, as the
 * service does.
 *
 * @param firstId the first ID when the import was applied before; the next unused one without it
 */
function createEntries(
  { database, userId, now }: ImportTarget,
  firstId: number | undefined,
): { first: number; last: number; created: number } {
  const { next, count } = database
    .prepare(
      `SELECT coalesce((SELECT seq FROM main.sqlite_sequence WHERE name = 'time_entries'), 0) + 1 AS next,
         (SELECT count(*) FROM staging.entry WHERE action = 'create') AS count`,
    )
    .get() as { next: number; count: number }
  const first = firstId ?? next
  const { changes } = database
    .prepare(
      `INSERT INTO main.time_entries
         (id, user_id, time_start, time_end, notes, task_link_id, external_id, created_at, updated_at, version)
       SELECT ? + row_number() OVER (ORDER BY start_at, position) - 1, ?, start_at, end_at, nullif(notes, ''),
         import_link.link, external_id, ?, ?, 1 + abs(random() % 1000000000)
       FROM staging.entry AS entry JOIN temp.import_link ON import_link.combination = entry.combination
       WHERE action = 'create' ORDER BY start_at, position
       ON CONFLICT (user_id, external_id) WHERE external_id IS NOT NULL DO NOTHING`,
    )
    .run([first, userId, now.getTime(), now.getTime()])
  return { first, last: first + count - 1, created: Number(changes) }
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
