import type { Predicates } from '../api/filter/query.js'
import type { WireRecord } from '../api/types.js'
import type { Cache } from '../cache/cache.js'
import { dayMs } from '../lib/time-units.js'
import type { Outbox } from './outbox.js'
import { overlayPending, type WithPending } from './pending-overlay.js'
import type { QueuedChange } from './queued-change.js'

/** A service may have put a record that it has just made this far from where it was typed, or less. */
/**
 * Time entries that come in batches, with what waits for delivery laid over them; of that, what meets the predicates.
 *
 * What waits when the reading begins is laid over, whatever another process types or delivers meanwhile. The records
 * that it may be about are kept back until all have come; the others go through.
 */
export async function* mergePendingStream(
  batches: AsyncIterable<WireRecord[]>,
  known: { outbox: Outbox; cache: Cache | undefined },
  predicates: Predicates,
): AsyncGenerator<WithPending[]> {
  const waiting = known.outbox.all().filter(({ kind }) => kind === 'entry')
  if (waiting.length === 0) {
    for await (const batch of batches) yield overlayPending(batch, [])
    return
  }
  const isTouched = touching(waiting)
  const kept: WireRecord[] = []
  for await (const batch of batches) {
    const free: WireRecord[] = []
    for (const record of batch) (isTouched(record) ? kept : free).push(record)
    yield overlayPending(free, [])
  }
  const [{ matchesPredicates }, { withoutUncertainRecords }] = await Promise.all([
    import('../api/filter/predicates.js'),
    import('./delivery/lost-create.js'),
  ])
  const changes = asNamedNow(waiting, kept, known.outbox)
  yield overlayPending(withoutUncertainRecords(kept, changes, known), changes).filter(
    ({ record, pending }) => !pending || matchesPredicates(record, predicates),
  )
}

/** Whether a record is one that the changes are about, or may have been made by one of them. */
function touching(changes: readonly QueuedChange[]): (record: WireRecord) => boolean {
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
 * The changes, with the names that their records have by now. A create that was delivered meanwhile has made one: where
 * that is among the records, the create is left out.
 */
function asNamedNow(
  waiting: readonly QueuedChange[],
  records: readonly WireRecord[],
  outbox: Outbox,
): QueuedChange[] {
  // Looked at before the names: what is delivered in between has its name then.
  const doubts = waiting.map(({ seq, outcomeUnknown }) => outbox.get(seq)?.outcomeUnknown ?? outcomeUnknown)
  const came = new Set(records.map(({ id }) => String(id)))
  return waiting
    .map((change, index) => {
      const record = change.record.startsWith('~') ? outbox.resolve('entry', change.record) : change.record
      return { ...change, record, outcomeUnknown: doubts[index] === true && record.startsWith('~') }
    })
    .filter(({ op, record }) => op !== 'create' || !came.has(record))
}
