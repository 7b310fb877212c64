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
  /** What is asked of the service: the predicates, and what surely holds the bounds. */
  servicePredicates: Predicates
}

/**
 * The records that `EntryReader` reads, in batches as they come in, each once, with what waits laid over them; some may
 * lie outside the bounds.
 *
 * `instead` is told when the cache has to answer, and throws where it cannot. That is as long as nothing of the
 * service's own answer was handed on: after that, a failure is thrown.
 */
export function streamEntries(
  query: StreamQuery,
  sources: ReadSources,
  instead: (error: unknown, known: KnownEntries) => void,
): AsyncGenerator<WithPending[]> {
  return mergePendingStream(records(query, sources, instead), sources, query.predicates)
}

async function* records(
  { bounds, predicates, servicePredicates: asked }: StreamQuery,
  { api, cache, now }: ReadSources,
  instead: (error: unknown, known: KnownEntries) => void,
): AsyncGenerator<WireRecord[]> {
  const isWhole = Object.keys(predicates).length === 0
  let answer = isWhole ? cache?.beginStreamedList('entry', bounds, now) : undefined
  const came = new IdSet()
  /** What the disk does not take is read again by the next command: the period is not stored as known. */
  const store = (write: (answer: StreamedList) => void) => {
    try {
      if (answer) write(answer)
    } catch (error) {
      if (!(error instanceof TtError)) throw error
      answer = undefined
    }
  }
  let isBegun = false
  try {
    let isComplete = true
    for await (const batch of api.streamTimeEntries(asked, came)) {
      isBegun ||= batch.length > 0
      isComplete &&= batch.incomplete === undefined
      store((answer) => answer.store(batch))
      yield batch
    }
    // What an incomplete list does not have may be there all the same.
    if (isComplete) store((answer) => answer.finish(came))
  } catch (error) {
    // The cache would tell of the same entries once more.
    if (isBegun || !cache || !isInconclusive(error)) throw error
    const { batches, ...known } = cache.readRangeInBatches('entry', bounds)
    instead(error, known)
    const { matchesPredicates } = await import('../api/filter/predicates.js')
    for (const batch of batches) yield batch.filter((record) => matchesPredicates(record, predicates))
  }
}
