import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Predicates } from '../api-client/filter/query.js'
import type { RecordKind, WireFields, WireRecord } from '../api-client/types.js'
import { hasTable, withDatabase } from './cache/inspect-state.js'
import type { KnownRecords } from './delivery/lost-create.js'
import type { QueuedChange } from './queued-change.js'

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

/** The number of changes that the service does not have, total and by state, and the time of the oldest. */
export interface PendingChangeCount {
  total: number
  count: Record<QueuedChange['state'], number>
  oldest: Date | undefined
}

/** The changes in the outbox of another profile. */
export interface OtherPendingChangeCount extends PendingChangeCount {
  /** The key of the state; see `clientStatePath`. */
  stateKey: string
  path: string
}

/** Counts the changes in the outbox of the client state at `path`; zero without a file. Throws TtError `failure`. */
export async function countPendingChanges(path: string): Promise<PendingChangeCount> {
  const counts = await withDatabase(path, (database) =>
    hasTable(database, 'outbox')
      ? (database
          .prepare('SELECT state, count(*) AS count, min(typed_at) AS oldest FROM outbox GROUP BY state')
          .all() as { state: QueuedChange['state']; count: number; oldest: number }[])
      : [],
  )
  const rows = counts ?? []
  const count = { waiting: 0, held: 0, refused: 0, conflict: 0, ambiguous: 0 }
  for (const row of rows) count[row.state] = row.count
  return {
    total: rows.reduce((sum, row) => sum + row.count, 0),
    count,
    oldest: rows.length === 0 ? undefined : new Date(Math.min(...rows.map(({ oldest }) => oldest))),
  }
}

/**
 * Counts the changes in the outboxes of all profiles except `stateKey`, whose state is at `path`. Skips states that cannot
 * be read: commands of their own profiles report them.
 */
export async function countOtherPendingChanges(
  path: string,
  stateKey: string,
): Promise<OtherPendingChangeCount[]> {
  const all = dirname(dirname(path))
  const keys = existsSync(all) ? readdirSync(all).filter((key) => key !== stateKey) : []
  const others: OtherPendingChangeCount[] = []
  for (const key of keys.sort()) {
    const other = join(all, key, basename(path))
    const pending = await countPendingChanges(other).catch(() => undefined)
    if (pending && pending.total > 0) others.push({ ...pending, stateKey: key, path: other })
  }
  return others
}

/** Upper bound for reading the records again while another process delivers. */
const maxReads = 3

/**
 * Returns the records that `read` returns, with the pending changes applied. Pending records must match the predicates,
 * which the service could not check.
 */
export async function mergePending(
  kind: RecordKind,
  known: KnownRecords,
  read: () => Promise<WireRecord[]>,
  predicates: Predicates,
): Promise<WithPending[]> {
  const pendingChanges = () => known.outbox.all().filter((change) => change.kind === kind)
  for (let reads = 1; ; reads++) {
    const before = pendingChanges()
    const records = await read()
    const changes = pendingChanges()
    if (changes.length === 0 && before.length === 0) return overlayPending(records, [])
    // A change that another process has just delivered may be missing in both.
    const remaining = new Set(changes.map(({ seq }) => seq))
    const isDelivered = before.some(({ seq }) => !remaining.has(seq))
    if (isDelivered && reads < maxReads) continue
    const zone = known.cache?.timeZone()
    const [{ matchesPredicates }, { withoutUncertainRecords }] = await Promise.all([
      import('../api-client/filter/conditions.js'),
      import('./delivery/lost-create.js'),
    ])
    return overlayPending(withoutUncertainRecords(records, changes, known), changes).filter(
      ({ record, pending }) => !pending || matchesPredicates(record, predicates, zone),
    )
  }
}
