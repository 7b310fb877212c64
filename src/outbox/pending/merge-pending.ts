import type { Predicates } from '../../api-client/filter/query.js'
import type { RecordKind, WireRecord } from '../../api-client/types.js'
import type { KnownRecords } from '../delivery/lost-create.js'
import { overlayPending, type WithPending } from './pending-overlay.js'

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
      import('../../api-client/filter/conditions.js'),
      import('../delivery/lost-create.js'),
    ])
    return overlayPending(withoutUncertainRecords(records, changes, known), changes).filter(
      ({ record, pending }) => !pending || matchesPredicates(record, predicates, zone),
    )
  }
}
