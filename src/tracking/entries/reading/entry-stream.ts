import { isInconclusive } from '../../../api-client/api-errors.js'
import type { Predicates } from '../../../api-client/filter/query.js'
import type { WireRecord } from '../../../api-client/types.js'
import { dayMs } from '../../../lib/time-units.js'
import type { Cache } from '../../../outbox/cache/cache.js'
import type { Outbox } from '../../../outbox/outbox.js'
import { overlayPending, type WithPending } from '../../../outbox/pending.js'
import type { QueuedChange } from '../../../outbox/queued-change.js'
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
  const { matchesPredicates } = await import('../../../api-client/filter/conditions.js')
  const zone = cache.timeZone()
  for (const batch of batches) yield batch.filter((record) => matchesPredicates(record, predicates, zone))
}

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
    import('../../../api-client/filter/conditions.js'),
    import('../../../outbox/delivery/lost-create.js'),
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
