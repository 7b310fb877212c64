import type { RecordKind, WireRecord } from '../../api-client/types.js'
import type { Sqlite } from '../../lib/sqlite/connection.js'

/** Read-only queries of a client state that may be open elsewhere; they create and change nothing. */

/** Returns the latest records of a kind, newest first. */
export function latestRecords(database: Sqlite, kind: RecordKind, limit: number): WireRecord[] {
  const rows = database
    .prepare('SELECT body FROM seen WHERE kind = ? ORDER BY start_at DESC LIMIT ?')
    .all([kind, limit]) as { body: string }[]
  return rows.map(({ body }) => JSON.parse(body) as WireRecord)
}

/** Returns the IDs of the task links of the latest entries, the most used first. */
export function mostUsedLinkIds(database: Sqlite, entryLimit: number): string[] {
  const rows = database
    .prepare(
      `SELECT json_extract(body, '$.task_link_id') AS link, count(*) AS uses
       FROM (SELECT body FROM seen WHERE kind = 'entry' ORDER BY start_at DESC LIMIT ?)
       GROUP BY link ORDER BY uses DESC`,
    )
    .all([entryLimit]) as { link: unknown }[]
  return rows.map(({ link }) => String(link))
}
