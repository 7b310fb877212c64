import type { RecordKind } from '../api-client/types.js'
import type { Sqlite } from '../lib/sqlite/connection.js'
import { fromRow } from './outbox-columns.js'
import type { PendingChange } from './pending/pending-overlay.js'

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
