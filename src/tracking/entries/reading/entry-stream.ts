import { isInconclusive } from '../../../api-client/api-errors.js'
import type { Predicates } from '../../../api-client/filter/query.js'
import type { WireRecord } from '../../../api-client/types.js'
import { mergePendingStream } from '../../../outbox/pending/merge-pending-stream.js'
import type { WithPending } from '../../../outbox/pending/pending-overlay.js'
import type { KnownEntries } from './entry-reader.js'
import { type OverlapQuery, overlappingRecords } from './overlapping-records.js'
import type { ReadSources } from './read-sources.js'

/** Called before cached records are used instead of those of the service, with its error; may throw. */
export type UseCache = (error: unknown, known: KnownEntries, predicates: Predicates) => void

/**
 * Yields the records of a query in batches as they arrive, each once, with pending changes; some may be outside the
 * range.
 *
 * Uses the cache if the service fails before its first record. A later failure is thrown.
 */
export function streamEntries(
  query: OverlapQuery,
  sources: ReadSources,
  useCache: UseCache,
): AsyncGenerator<WithPending[]> {
  return mergePendingStream(streamRecords(query, sources, useCache), sources, query.predicates)
}

/** Yields the same without pending changes; `EntryTimes` where they suffice and the service sends them. */
export async function* streamRecords(
  query: OverlapQuery,
  sources: ReadSources,
  useCache: UseCache,
): AsyncGenerator<WireRecord[]> {
  let hasRecords = false
  try {
    for await (const batch of overlappingRecords(query, sources)) {
      hasRecords ||= batch.length > 0
      yield batch
    }
  } catch (error) {
    // The cache would repeat the records that were yielded already.
    if (hasRecords) throw error
    yield* cachedRecords(query, sources, useCache, error)
  }
}

/** Returns all records of a query, from the cache if the service fails at any time. */
export async function overlappingList(
  query: OverlapQuery,
  sources: ReadSources,
  useCache: UseCache,
): Promise<WireRecord[]> {
  const found: WireRecord[] = []
  const add = (batch: WireRecord[]) => {
    for (const record of batch) found.push(record)
  }
  try {
    for await (const batch of overlappingRecords(query, sources)) add(batch)
  } catch (error) {
    found.splice(0)
    for await (const batch of cachedRecords(query, sources, useCache, error)) add(batch)
  }
  return found
}

/** Yields the cached records of a query in the order of their starts, then those that pending changes may belong to. */
export function streamCached(query: OverlapQuery, sources: ReadSources): AsyncGenerator<WithPending[]> {
  return mergePendingStream(matchingCached(query, sources), sources, query.predicates)
}

/** Yields the cached records of a query after an error of the service; throws the error where they cannot replace it. */
async function* cachedRecords(
  { range, predicates }: OverlapQuery,
  { cache }: ReadSources,
  useCache: UseCache,
  error: unknown,
): AsyncGenerator<WireRecord[]> {
  if (!cache || !isInconclusive(error)) throw error
  const { at, complete, isEmpty } = cache.readOverlappingInBatches(range)
  useCache(error, { at, complete, isEmpty }, predicates)
  yield* matchingCached({ range, predicates }, { cache })
}

async function* matchingCached(
  { range, predicates }: Pick<OverlapQuery, 'range' | 'predicates'>,
  { cache }: Pick<ReadSources, 'cache'>,
): AsyncGenerator<WireRecord[]> {
  if (!cache) return
  const { batches } = cache.readOverlappingInBatches(range)
  const { matchesPredicates } = await import('../../../api-client/filter/predicates.js')
  const zone = cache.timeZone()
  for (const batch of batches) yield batch.filter((record) => matchesPredicates(record, predicates, zone))
}
