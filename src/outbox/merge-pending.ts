import type { Predicates } from '../api/filter/query.js'
import type { WireRecord } from '../api/types.js'
import type { Known } from './delivery/lost-create.js'
import { overlay, type Projected } from './pending-overlay.js'
import type { Kind } from './queued-change.js'

/** How often it is read again when another process delivers meanwhile. */
const readings = 3

/**
 * The records that `read` answers, with what waits for delivery laid over them; of that, what meets the predicates,
 * which the service could not apply to it.
 */
export async function current(
  kind: Kind,
  known: Known,
  read: () => Promise<WireRecord[]>,
  predicates: Predicates,
): Promise<Projected[]> {
  const waiting = () => known.outbox.all().filter((change) => change.kind === kind)
  for (let reading = 1; ; reading++) {
    const before = waiting()
    const records = await read()
    const changes = waiting()
    if (changes.length === 0 && before.length === 0) return overlay(records, [])
    // What another process has delivered meanwhile may be missing in both.
    const isDelivered = before.some(({ seq }) => !changes.some((change) => change.seq === seq))
    if (isDelivered && reading < readings) continue
    const [{ meets }, { withoutDoubtful }] = await Promise.all([
      import('../api/filter/predicates.js'),
      import('./delivery/lost-create.js'),
    ])
    return overlay(withoutDoubtful(records, changes, known), changes).filter(
      ({ record, pending }) => !pending || meets(record, predicates),
    )
  }
}
