import { tellsNothing } from '../api/failures.js'
import { IdSet } from '../api/id-set.js'
import type { Predicates } from '../api/query.js'
import type { WireRecord } from '../api/types.js'
import { currentInBatches } from './current-in-batches.js'
import type { Bounds } from './entries.js'
import type { Projected } from './overlay.js'
import type { Known, Sources } from './reading.js'

export interface LongQuery {
  bounds: Bounds
  predicates: Predicates
  /** What is asked of the service: the predicates, and what surely holds the bounds. */
  asked: Predicates
}

/**
 * The records that `EntryReader` reads, in batches as they come in, each once, with what waits laid over them; some may
 * lie outside the bounds.
 *
 * `instead` is told when the cache has to answer, and throws where it cannot. That is as long as nothing of the
 * service's own answer was handed on: after that, a failure is thrown.
 */
export function projectedInBatches(
  query: LongQuery,
  sources: Sources,
  instead: (error: unknown, known: Known) => void,
): AsyncGenerator<Projected[]> {
  return currentInBatches(records(query, sources, instead), sources, query.predicates)
}

async function* records(
  { bounds, predicates, asked }: LongQuery,
  { api, cache, now }: Sources,
  instead: (error: unknown, known: Known) => void,
): AsyncGenerator<WireRecord[]> {
  const isWhole = Object.keys(predicates).length === 0
  const answer = isWhole ? cache?.longAnswer('entry', bounds, now) : undefined
  const came = new IdSet()
  let isBegun = false
  try {
    let isComplete = true
    for await (const batch of api.timeEntriesInBatches(asked, came)) {
      isBegun ||= batch.length > 0
      isComplete &&= batch.incomplete === undefined
      answer?.keep(batch)
      yield batch
    }
    // What an incomplete list does not have may be there all the same.
    if (isComplete) answer?.end(came)
  } catch (error) {
    // The cache would tell of the same entries once more.
    if (isBegun || !cache || !tellsNothing(error)) throw error
    const { batches, ...known } = cache.withinInBatches('entry', bounds)
    instead(error, known)
    const { meets } = await import('./predicates.js')
    for (const batch of batches) yield batch.filter((record) => meets(record, predicates))
  }
}
