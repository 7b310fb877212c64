import { isInconclusive } from '../api/errors.js'
import type { Predicates } from '../api/filter/query.js'
import { IdSet } from '../api/paging/id-set.js'
import type { WireRecord } from '../api/types.js'
import type { StreamedList } from '../cache/cache.js'
import type { TimeRange } from '../calendar/interval.js'
import { TtError } from '../lib/errors.js'
import { mergePendingStream } from '../outbox/merge-pending-stream.js'
import type { WithPending } from '../outbox/pending-overlay.js'
import type { KnownEntries, ReadSources } from './entry-reader.js'

export interface StreamQuery {
  bounds: TimeRange
  predicates: Predicates
  /** The filters of the request: the predicates, and filters that include the bounds. */
  servicePredicates: Predicates
}

/**
 * Yields the records of a query in batches as they arrive, each once, with pending changes; some may be outside the
 * bounds.
 *
 * Uses the cache if the service fails before its first record; calls `useCache` then, which may throw. A later failure
 * is thrown.
 */
export function streamEntries(
  query: StreamQuery,
  sources: ReadSources,
  useCache: (error: unknown, known: KnownEntries) => void,
): AsyncGenerator<WithPending[]> {
  return mergePendingStream(records(query, sources, useCache), sources, query.predicates)
}

async function* records(
  { bounds, predicates, servicePredicates }: StreamQuery,
  { api, cache, now }: ReadSources,
  useCache: (error: unknown, known: KnownEntries) => void,
): AsyncGenerator<WireRecord[]> {
  const hasNoPredicates = Object.keys(predicates).length === 0
  let list = hasNoPredicates ? cache?.beginStreamedList('entry', bounds, now) : undefined
  const receivedIds = new IdSet()
  /** After a failed write, the range is not stored as fetched, so that the next command reads it again. */
  const store = (write: (list: StreamedList) => void) => {
    try {
      if (list) write(list)
    } catch (error) {
      if (!(error instanceof TtError)) throw error
      list = undefined
    }
  }
  let hasRecords = false
  try {
    let isWholeList = true
    for await (const batch of api.streamTimeEntries(servicePredicates, receivedIds)) {
      hasRecords ||= batch.length > 0
      isWholeList &&= batch.incomplete === undefined
      store((list) => list.store(batch))
      yield batch
    }
    // A record that an incomplete list does not contain may exist.
    if (isWholeList) store((list) => list.finish(receivedIds))
  } catch (error) {
    // The cache would repeat the records that were yielded already.
    if (hasRecords || !cache || !isInconclusive(error)) throw error
    const { batches, ...known } = cache.readRangeInBatches('entry', bounds)
    useCache(error, known)
    const { matchesPredicates } = await import('../api/filter/predicates.js')
    for (const batch of batches) yield batch.filter((record) => matchesPredicates(record, predicates))
  }
}
