import { openSqlite } from '../../src/lib/sqlite/open.js'

/** Adds entries with different notes ("Note 1", "Note 2", …) to a local workspace: one an hour, of its first task link. */
export async function addNotedEntries(file: string, count: number, firstStart: string): Promise<void> {
  const database = await openSqlite(file)
  const insert = database.prepare(
    `insert into time_entries (user_id, time_start, time_end, notes, task_link_id, created_at, updated_at)
     select (select min(id) from users), ?, ?, ?, (select min(id) from task_links), 0, 0`,
  )
  const firstMs = Date.parse(firstStart)
  database.transaction(() => {
    for (let index = 0; index < count; index++) {
      const startMs = firstMs + index * 3_600_000
      insert.run([startMs, startMs + 1_800_000, `Note ${index + 1}`])
    }
  })
  database.close()
}
