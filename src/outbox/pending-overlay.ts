import type { WireFields, WireRecord } from '../api/types.js'
import type { QueuedChange } from './queued-change.js'

/** A record as it will be when all that waits is delivered. */
export interface WithPending {
  record: WireRecord
  /** Something of it is not delivered yet. */
  pending: boolean
}

/** What is laid over a record of a change. */
export type PendingChange = Pick<QueuedChange, 'kind' | 'op' | 'record' | 'fields' | 'base' | 'state'>

/** The records with what waits for delivery applied to them, and those that are only here; those deleted here are gone. */
export function overlayPending(
  records: readonly WireRecord[],
  changes: readonly PendingChange[],
): WithPending[] {
  if (changes.length === 0) return records.map((record) => ({ record, pending: false }))
  const projected = new Map<string, WithPending | undefined>(
    records.map((record) => [String(record.id), { record, pending: false }]),
  )
  for (const change of changes) {
    if (isShown(change)) projected.set(change.record, applied(change, projected.get(change.record)))
  }
  return [...projected.values()].filter((found) => found !== undefined)
}

/** One record with the changes that are its own; undefined where it is deleted, or was never there. */
export function applyPending(
  record: WireRecord | undefined,
  changes: readonly PendingChange[],
): WithPending | undefined {
  let found: WithPending | undefined = record && { record, pending: false }
  for (const change of changes) if (isShown(change)) found = applied(change, found)
  return found
}

/** What was set aside is not what the service has, nor on its way there; but what is nowhere else must not vanish. */
function isShown({ state, op }: PendingChange): boolean {
  return state === 'waiting' || state === 'held' || op === 'create'
}

function applied(change: PendingChange, known: WithPending | undefined): WithPending | undefined {
  if (change.op === 'delete') return undefined
  if (change.op === 'create') return { record: created(change), pending: true }
  const record = known?.record ?? change.base
  return record ? { record: { ...record, ...change.fields }, pending: true } : undefined
}

const unset: Record<QueuedChange['kind'], WireFields> = {
  entry: { time_end: null, notes: null, task_link_id: null, external_id: null },
  expense: {
    spent_on: null,
    amount: null,
    currency: null,
    expense_type_id: null,
    project_id: null,
    notes: null,
  },
}

function created({ kind, record, fields }: PendingChange): WireRecord {
  return { id: record, ...unset[kind], ...fields }
}
