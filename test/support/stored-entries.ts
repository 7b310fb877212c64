import { openSqlite } from '../../src/lib/sqlite/open.js'

/** An entry to add to a workspace. */
export interface StoredEntry {
  startMs: number
  /** Null for a running entry. */
  lengthMs: number | null
  notes: string | null
  /** The position of its task link, in the order in which the links were created; 0 by default. */
  link?: number
}

/** Adds many entries to a local workspace at once. */
export async function storeManyEntries(file: string, entries: Iterable<StoredEntry>): Promise<void> {
  const database = await openSqlite(file)
  const links = database.prepare('select id from task_links order by id').all() as { id: number }[]
  const insert = database.prepare(
    `insert into time_entries (user_id, time_start, time_end, notes, task_link_id, created_at, updated_at)
     select min(id), ?, ?, ?, ?, 0, 0 from users`,
  )
  database.transaction(() => {
    for (const { startMs, lengthMs, notes, link = 0 } of entries)
      insert.run([startMs, lengthMs === null ? null : startMs + lengthMs, notes, links[link]?.id])
  })
  database.close()
}

/** Returns entries of half an hour, one an hour, with different notes: "Note 1", "Note 2", …. */
export function entriesWithNotes(count: number, firstStart: string): StoredEntry[] {
  const [firstMs, hourMs] = [Date.parse(firstStart), 3_600_000]
  return Array.from({ length: count }, (_, index) => ({
    startMs: firstMs + index * hourMs,
    lengthMs: hourMs / 2,
    notes: `Note ${index + 1}`,
  }))
}
