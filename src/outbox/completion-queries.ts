import type { RecordKind, WireRecord } from '../api-client/types.js'
import type { Sqlite } from '../lib/sqlite/connection.js'
import { hasTable } from './cache/inspect-state.js'
import type { PendingChange } from './pending.js'
import { fromRow } from './queued-change.js'

/** Reads the pending and rejected changes of a kind, in order. Another process may have the database open. */
export function readChanges(database: Sqlite, kind: RecordKind): PendingChange[] {
  return database
    .prepare('SELECT kind, op, record, fields, base, state FROM outbox WHERE kind = ? ORDER BY seq')
    .all([kind])
    .map((row) => fromRow(row))
}

/** A change without its fields. `seq` is its number in the outbox. */
export type ChangeSummary = Pick<PendingChange, 'kind' | 'op' | 'record' | 'state'> & { seq: number }

/** Reads all pending and rejected changes, in order. Another process may have the database open. */
export function readChangeSummaries(database: Sqlite): ChangeSummary[] {
  return database
    .prepare('SELECT seq, kind, op, record, state FROM outbox ORDER BY seq')
    .all() as ChangeSummary[]
}

/** Returns the number, client and total of each invoice, the latest first; none for a state of an older version. */
export function readInvoiceSummaries(state: Sqlite): { number: string; client: string; total: string }[] {
  if (!hasTable(state, 'invoice')) return []
  return state
    .prepare(
      `SELECT number, json_extract(body, '$.client') AS client,
         json_extract(body, '$.total') || ' ' || json_extract(body, '$.currency') AS total
       FROM invoice ORDER BY at DESC, rowid DESC`,
    )
    .all() as { number: string; client: string; total: string }[]
}

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
