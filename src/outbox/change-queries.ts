import type { RecordKind } from '../api-client/types.js'
import type { Sqlite } from '../lib/sqlite/connection.js'
import type { PendingChange } from './pending-overlay.js'

interface OutboxRow extends Omit<PendingChange, 'fields' | 'base'> {
  fields: string
  base: string | null
}

/** Reads the pending and rejected changes of a kind, in order. Another process may have the database open. */
export function readChanges(database: Sqlite, kind: RecordKind): PendingChange[] {
  const rows = database
    .prepare('SELECT kind, op, record, fields, base, state FROM outbox WHERE kind = ? ORDER BY seq')
    .all([kind]) as OutboxRow[]
  return rows.map(({ fields, base, ...row }) => ({
    ...row,
    fields: JSON.parse(fields),
    base: base === null ? null : JSON.parse(base),
  }))
}

/** A change without its fields. `seq` is its number in the outbox. */
export type ChangeSummary = Pick<PendingChange, 'kind' | 'op' | 'record' | 'state'> & { seq: number }

/** Reads all pending and rejected changes, in order. Another process may have the database open. */
export function readChangeSummaries(database: Sqlite): ChangeSummary[] {
  return database
    .prepare('SELECT seq, kind, op, record, state FROM outbox ORDER BY seq')
    .all() as ChangeSummary[]
}
