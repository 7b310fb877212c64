import type { Api } from '../../../api-client/api.js'
import type { KnownCapabilities } from '../../../api-client/capabilities.js'
import type { Predicates } from '../../../api-client/filter/query.js'
import { addDays, dayOf } from '../../../lib/calendar/day.js'
import type { TimeRange } from '../../../lib/calendar/interval.js'
import type { Cache } from '../../../outbox/cache/cache.js'
import type { Coverage } from '../../../outbox/cache/fetched-ranges.js'
import type { Clocks } from '../../../outbox/delivery/settling-time.js'
import type { InvoicedRecords } from '../../../outbox/invoiced-records.js'
import type { Outbox } from '../../../outbox/outbox.js'
import type { Catalog } from '../../catalog/catalog.js'
import type { Entry } from '../entry.js'

/** What entries are read from. */
export interface ReadSources {
  api: Api
  catalog: Catalog
  outbox: Outbox
  /** undefined in the local workspace, which is always available. */
  cache: Cache | undefined
  invoiced: InvoicedRecords
  capabilities: KnownCapabilities
  now: Date
  clocks: Clocks
  /** Warns that cached data is used, with the error of the service. */
  warnStale(error: unknown, known: Coverage, predicates?: Predicates): void
}

/**
 * Returns documented filters that include the bounds. A service reads a date as midnight in a time zone that is unknown
 * and may be 26 hours away, so they add two days on either side; the caller filters by the exact bounds.
 */
export function aroundStart({ start, end }: TimeRange): Predicates {
  return {
    ...(start ? { time_start_gteq: addDays(dayOf(start), -2) } : {}),
    ...(end ? { time_start_lt: addDays(dayOf(end), 2) } : {}),
  }
}

/**
 * Yields batches in the order of the starts. The finished entries must be in that order already; running ones may come
 * earlier.
 */
export async function* withRunningInOrder(batches: AsyncIterable<readonly Entry[]>): AsyncGenerator<Entry[]> {
  let running: Entry[] = []
  for await (const batch of batches) {
    const finished = batch.filter(({ end }) => end !== null)
    running.push(...batch.filter(({ end }) => end === null))
    const last = finished.at(-1)
    if (!last) continue
    const isDue = ({ start }: Entry) => start <= last.start
    yield [...running.filter(isDue), ...finished].sort(byStart)
    running = running.filter((entry) => !isDue(entry))
  }
  if (running.length > 0) yield running.sort(byStart)
}

function byStart(a: Entry, b: Entry): number {
  return a.start.getTime() - b.start.getTime()
}
