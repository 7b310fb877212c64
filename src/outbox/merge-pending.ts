import type { Predicates } from '../api/filter/query.js'
import type { RecordKind, WireRecord } from '../api/types.js'
import type { KnownRecords } from './delivery/lost-create.js'
import { overlayPending, type WithPending } from './pending-overlay.js'

/** How often it is read again when another process delivers meanwhile. */
const readings = 3

/**
 * The records that `read` answers, with what waits for delivery laid over them; of that, what meets the predicates,
 * which the service could not apply to it.
 */
export async function mergePending(
  kind: RecordKind,
  known: KnownRecords,
  read: () => Promise<WireRecord[]>,
  predicates: Predicates,
): Promise<WithPending[]> {
  const waiting = () => known.outbox.all().filter((change) => change.kind === kind)
  for (let reading = 1; ; reading++) {
    const before = waiting()
    const records = await read()
    const changes = waiting()
    if (changes.length === 0 && before.length === 0) return overlayPending(records, [])
    // What another process has delivered meanwhile may be missing in both.
    const isDelivered = before.some(({ seq }) => !changes.some((change) => change.seq === seq))
    if (isDelivered && reading < readings) continue
    const [{ matchesPredicates }, { withoutUncertainRecords }] = await Promise.all([
      import('../api/filter/predicates.js'),
      import('./delivery/lost-create.js'),
    ])
    return overlayPending(withoutUncertainRecords(records, changes, known), changes).filter(
      ({ record, pending }) => !pending || matchesPredicates(record, predicates),
    )
  }
}
