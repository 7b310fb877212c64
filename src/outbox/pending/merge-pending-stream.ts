import type { Predicates } from '../../api-client/filter/query.js'
import type { WireRecord } from '../../api-client/types.js'
import { dayMs } from '../../lib/time-units.js'
import type { Cache } from '../cache/cache.js'
import type { Outbox } from '../outbox.js'
import type { QueuedChange } from '../queued-change.js'
import { overlayPending, type WithPending } from './pending-overlay.js'

/**
 * Yields batches of time entries with the pending changes applied. Pending entries must match the predicates.
 *
 * Applies the changes that are pending at the beginning, whatever other processes add or deliver. Records that may belong
 * to a change come in the last batch, all others at once.
 */
export async function* mergePendingStream(
  batches: AsyncIterable<WireRecord[]>,
  known: { outbox: Outbox; cache: Cache | undefined },
  predicates: Predicates,
): AsyncGenerator<WithPending[]> {
  const pending = known.outbox.all().filter(({ kind }) => kind === 'entry')
  if (pending.length === 0) {
    for await (const batch of batches) yield overlayPending(batch, [])
    return
  }
  const isAffected = matcherOf(pending)
  const affected: WireRecord[] = []
  for await (const batch of batches) {
    const others: WireRecord[] = []
    for (const record of batch) (isAffected(record) ? affected : others).push(record)
    yield overlayPending(others, [])
  }
  const zone = known.cache?.timeZone()
  const [{ matchesPredicates }, { withoutUncertainRecords }] = await Promise.all([
    import('../../api-client/filter/predicates.js'),
    import('../delivery/lost-create.js'),
  ])
  const changes = withCurrentNames(pending, affected, known.outbox)
  yield overlayPending(withoutUncertainRecords(affected, changes, known), changes).filter(
    ({ record, pending }) => !pending || matchesPredicates(record, predicates, zone),
  )
}

/** Returns a function that tests whether a record belongs to one of the changes, or may have been created by one. */
function matcherOf(changes: readonly QueuedChange[]): (record: WireRecord) => boolean {
  const names = new Set(changes.map(({ record }) => record))
  const days = new Set<number>()
  for (const { record, fields } of changes) {
    const day = dayNumber(fields.time_start)
    if (record.startsWith('~')) for (const near of [day - 1, day, day + 1]) days.add(near)
  }
  return (record) => names.has(String(record.id)) || (days.size > 0 && days.has(dayNumber(record.time_start)))
}

function dayNumber(time: unknown): number {
  return Math.floor(Date.parse(String(time)) / dayMs)
}

/**
 * Returns the changes with the current names of their records, without creates that were delivered since and whose record
 * is among `records`.
 */
function withCurrentNames(
  pending: readonly QueuedChange[],
  records: readonly WireRecord[],
  outbox: Outbox,
): QueuedChange[] {
  // Read before the names: a change that is delivered in between has its name then.
  const unknownOutcomes = pending.map(
    ({ seq, outcomeUnknown }) => outbox.get(seq)?.outcomeUnknown ?? outcomeUnknown,
  )
  const ids = new Set(records.map(({ id }) => String(id)))
  return pending
    .map((change, index) => {
      const record = change.record.startsWith('~') ? outbox.resolve('entry', change.record) : change.record
      return { ...change, record, outcomeUnknown: unknownOutcomes[index] === true && record.startsWith('~') }
    })
    .filter(({ op, record }) => op !== 'create' || !ids.has(record))
}
