import type { WireFields, WireRecord } from '../../api-client/types.js'
import type { QueuedChange } from '../queued-change.js'

/** A record with its pending changes applied. */
export interface WithPending {
  record: WireRecord
  /** Whether it has pending changes. */
  pending: boolean
}

/** The parts of a change that are applied to its record. */
export type PendingChange = Pick<QueuedChange, 'kind' | 'op' | 'record' | 'fields' | 'base' | 'state'>

/** Returns the records with the pending changes applied: with created records, without deleted ones. */
export function overlayPending(
  records: readonly WireRecord[],
  changes: readonly PendingChange[],
): WithPending[] {
  if (changes.length === 0) return records.map((record) => ({ record, pending: false }))
  const merged = new Map<string, WithPending | undefined>(
    records.map((record) => [String(record.id), { record, pending: false }]),
  )
  for (const change of changes) {
    if (isShown(change)) merged.set(change.record, applyChange(change, merged.get(change.record)))
  }
  return [...merged.values()].filter((found) => found !== undefined)
}

/** Returns one record with its changes applied; undefined if it is deleted or does not exist. */
export function applyPending(
  record: WireRecord | undefined,
  changes: readonly PendingChange[],
): WithPending | undefined {
  let merged: WithPending | undefined = record && { record, pending: false }
  for (const change of changes) if (isShown(change)) merged = applyChange(change, merged)
  return merged
}

/** Whether a change is applied: pending ones are, and rejected creates, whose record exists only here. */
function isShown({ state, op }: PendingChange): boolean {
  return state === 'waiting' || state === 'held' || op === 'create'
}

function applyChange(change: PendingChange, known: WithPending | undefined): WithPending | undefined {
  if (change.op === 'delete') return undefined
  if (change.op === 'create') return { record: toRecord(change), pending: true }
  const record = known?.record ?? change.base
  return record ? { record: { ...record, ...change.fields }, pending: true } : undefined
}

/** The values of fields that a create does not set. */
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

/** Returns the record of a create. */
function toRecord({ kind, record, fields }: PendingChange): WireRecord {
  return { id: record, ...unset[kind], ...fields }
}
