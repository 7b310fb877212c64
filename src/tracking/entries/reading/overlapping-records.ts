import { isServerFault, RejectedError } from '../../../api-client/api-errors.js'
import type { Predicates } from '../../../api-client/filter/query.js'
import { IdSet, type RecordList } from '../../../api-client/paging/record-list.js'
import type { EntryTimes, Id, TimeEntry, WireRecord } from '../../../api-client/types.js'
import { addDays, dayOf } from '../../../lib/calendar/day.js'
import type { TimeRange } from '../../../lib/calendar/interval.js'
import { TtError } from '../../../lib/errors.js'
import { dayMs } from '../../../lib/time-units.js'
import { writeIfPossible } from '../../../outbox/cache/client-state.js'
import { isTimes } from '../entry.js'
import { aroundStart, type ReadSources } from './read-sources.js'

export interface OverlapQuery {
  range: TimeRange
  predicates: Predicates
  /** Running entries that start later are found, also before the range. */
  openSince: Date
  /** Finds running entries of any age, by reading all entries that start before the end of the range. */
  isUnlimited?: boolean
  /** Whether `EntryTimes` suffice, which a service may yield instead of records. */
  timesSuffice?: boolean
}

/** A service that applies `time_end_gteq` returns no entry that ends so long before the range, in any time zone. */
const marginMs = 5 * dayMs

/**
 * Yields the records of the entries that overlap a range in batches as they arrive, each once; some may be outside it.
 * Stores them in the cache. Throws the errors of the service at any batch.
 *
 * Most of them start in the range. Two filters find those that start before it: `time_end_gteq` with `time_start_lt`
 * finds the finished ones, however long; a service that rejects or ignores `time_end_gteq`, or fails on it, lists the
 * entries that start within the duration of the longest known entry before the range instead. Running ones are in the list by start, which
 * goes back to `openSince`. The local workspace finds them by `time_end_eq`.
 */
export async function* overlappingRecords(
  query: OverlapQuery,
  sources: ReadSources,
): AsyncGenerator<WireRecord[]> {
  const { range, predicates } = query
  const { start } = range
  const { cache, now } = sources
  if (!cache) return yield* query.timesSuffice ? localTimes(query, sources) : localRecords(query, sources)
  const starting = startingRange(query)
  const isCacheable = Object.keys(predicates).length === 0
  const earlierRequest =
    start && starting.start
      ? readEarlier({ from: start, before: starting.start, predicates }, sources)
      : undefined
  // Awaited below: its error must not end the process before.
  earlierRequest?.catch(() => {})
  const ids = new IdSet()
  const isWhole = yield* startingRecords({ ...query, range: starting }, ids, sources)
  const earlier = await earlierRequest
  if (earlier?.hasFault) sources.capabilities.set('endFilter', 'failed')
  if (isCacheable && isWhole && earlier?.isOverlapList)
    writeIfPossible(() => cache.addFetchedRange('overlap', range, now))
  if (earlier) yield earlier.records.filter(({ id }) => ids.add(id))
}

/** Returns the range of starts to list: from `openSince` on where that is before the range, and not after it. */
function startingRange({ range, openSince, isUnlimited = false }: OverlapQuery): TimeRange {
  const { start, ...bound } = range
  if (!start || isUnlimited) return bound
  const mayBeRunning = openSince < start && !(bound.end && bound.end <= openSince)
  return { start: mayBeRunning ? openSince : start, ...bound }
}

interface EarlierQuery {
  /** The entries end here or later … */
  from: Date
  /** … and start before this. */
  before: Date
  predicates: Predicates
}

interface EarlierEntries {
  records: WireRecord[]
  /** Whether the records are all that overlap the range, as the service found them by their end. */
  isOverlapList: boolean
  /** Whether the service failed on the filter by end. If the other requests succeed, only that filter fails. */
  hasFault: boolean
}

/** Reads the finished entries that start before a range and reach into it. */
async function readEarlier(query: EarlierQuery, sources: ReadSources): Promise<EarlierEntries> {
  const { api, cache, now, capabilities } = sources
  const { from, before, predicates } = query
  const isCacheable = Object.keys(predicates).length === 0
  const byEnd = capabilities.get('endFilter') ? 'unsupported' : await requestEarlier(query, sources)
  if (typeof byEnd !== 'string') {
    const isOverlapList = isCacheable && byEnd.incomplete === undefined
    if (isOverlapList) writeIfPossible(() => cache?.storeEarlier(from, before, byEnd, now))
    return { records: byEnd, isOverlapList, hasFault: false }
  }
  const outcome = { isOverlapList: false, hasFault: byEnd === 'fault' }
  const reach = new Date(from.getTime() - (cache?.longestEntryMs() ?? 0))
  if (reach >= before) return { records: [], ...outcome }
  const range = { start: reach, end: before }
  const records = await api.listTimeEntries({ ...aroundStart(range), ...predicates })
  if (isCacheable) writeIfPossible(() => cache?.storeRange('entry', range, records, now))
  return { records, ...outcome }
}

/**
 * Requests them by `time_end_gteq`. Returns `unsupported` for a service that rejects that filter or ignores it, and
 * `fault` for one that fails on it (500 or 501).
 */
export async function requestEarlier(
  { from, before, predicates }: EarlierQuery,
  { api, capabilities }: Pick<ReadSources, 'api' | 'capabilities'>,
): Promise<RecordList<TimeEntry> | 'unsupported' | 'fault'> {
  const bounds = { ...aroundStart({ end: before }), time_end_gteq: addDays(dayOf(from), -2) }
  const found: RecordList<TimeEntry> = []
  try {
    for await (const batch of api.streamTimeEntries({ ...bounds, ...predicates }, { isTentative: true })) {
      if (!('time_end_gteq' in predicates) && batch.some((entry) => endsBefore(entry, from))) {
        capabilities.set('endFilter', 'unsupported')
        return 'unsupported'
      }
      for (const entry of batch) found.push(entry)
      if (batch.incomplete !== undefined) found.incomplete = batch.incomplete
    }
    return found
  } catch (error) {
    if (isServerFault(error)) return 'fault'
    if (!(error instanceof RejectedError)) throw error
    // With predicates of the user, it may have rejected one of those; the other list fails then, too.
    if (Object.keys(predicates).length === 0) capabilities.set('endFilter', 'unsupported')
    return 'unsupported'
  }
}

function endsBefore({ time_end: end }: TimeEntry, from: Date): boolean {
  return end !== null && Date.parse(end) < from.getTime() - marginMs
}

/** Yields the entries of the local workspace, which compares exactly and with null. */
async function* localRecords(query: OverlapQuery, { api }: ReadSources): AsyncGenerator<WireRecord[]> {
  const { running, finished } = localFilters(query)
  const open = running ? await api.listTimeEntries(running) : []
  yield open
  // An entry that is stopped in between is in both lists.
  const ids = new Set(open.map(({ id }) => id))
  for await (const batch of api.streamTimeEntries(finished))
    yield ids.size === 0 ? batch : batch.filter(({ id }) => !ids.has(id))
}

/** Yields the times of the same entries. */
async function* localTimes(query: OverlapQuery, { api }: ReadSources): AsyncGenerator<WireRecord[]> {
  const { running, finished } = localFilters(query)
  const ids = new Set<Id>()
  if (running) {
    for await (const batch of api.streamEntryTimes(running)) {
      for (const { id } of batch) ids.add(id)
      yield batch
    }
  }
  for await (const batch of api.streamEntryTimes(finished))
    yield ids.size === 0 ? batch : batch.filter(({ id }) => !ids.has(id))
}

/** Returns the filters of the local workspace: for running entries, unless one list has all, and for finished ones. */
function localFilters({ range, predicates }: OverlapQuery): {
  running: Predicates | undefined
  finished: Predicates
} {
  const start: Predicates = range.end ? { time_start_lt: range.end.toISOString() } : {}
  if (!range.start) return { running: undefined, finished: { ...start, ...predicates } }
  const end = { time_end_gteq: range.start.toISOString() }
  return {
    running: { ...start, time_end_eq: null, ...predicates },
    finished: { ...start, ...end, ...predicates },
  }
}

type StartQuery = Pick<OverlapQuery, 'range' | 'predicates' | 'timesSuffice'>

/**
 * Yields the entries that start in a range, stores them in the cache, and returns whether all of them are stored. Adds
 * their IDs to `ids`.
 *
 * Where times suffice and the cache has entries of the range, the service may send only times. The entries whose version
 * differs from the cached one are then requested again as records, so that the cache has the same as after a list of
 * records.
 */
async function* startingRecords(
  { range, predicates, timesSuffice = false }: StartQuery,
  ids: IdSet,
  sources: ReadSources,
): AsyncGenerator<WireRecord[], boolean> {
  const { api, now } = sources
  const cache = Object.keys(predicates).length === 0 ? sources.cache : undefined
  const filters = { ...aroundStart(range), ...predicates }
  const versions = timesSuffice ? cache?.beginVersionCheck(range) : undefined
  const store = untilFailure(cache?.beginStreamedList('entry', range, now))
  const check = untilFailure(versions)
  const list = versions ? api.streamEntryTimes(filters, { ids }) : api.streamTimeEntries(filters, { ids })
  let [isWhole, hasTimes] = [true, false]
  for await (const batch of list) {
    isWhole &&= batch.incomplete === undefined
    if (isTimesBatch(batch)) {
      hasTimes = true
      check((check) => check.add(batch))
    } else store((list) => list.store(batch as TimeEntry[]))
    yield batch
  }
  // A record that an incomplete list does not contain may exist.
  if (!isWhole) return false
  if (hasTimes)
    return storeChanged(
      check((check) => check.finish()),
      range,
      sources,
    )
  store((list) => list.finish(ids))
  return true
}

function isTimesBatch(batch: (EntryTimes | TimeEntry)[]): batch is EntryTimes[] {
  return batch[0] !== undefined && isTimes(batch[0])
}

/**
 * Requests the records of the ranges that have changed, and stores the whole range as fetched. Returns whether that
 * succeeded; without the changed ranges it did not.
 */
async function storeChanged(
  changed: TimeRange[] | undefined,
  range: TimeRange,
  sources: ReadSources,
): Promise<boolean> {
  if (!changed) return false
  try {
    for (const part of changed) if (!(await storeAll(part, sources))) return false
  } catch (error) {
    // The caller has all times. The cache keeps its age, and the next command requests the records again.
    if (error instanceof TtError) return false
    throw error
  }
  writeIfPossible(() => sources.cache?.addFetchedRange('entry', range, sources.now))
  return true
}

async function storeAll(range: TimeRange, sources: ReadSources): Promise<boolean> {
  const records = startingRecords({ range, predicates: {} }, new IdSet(), sources)
  for (;;) {
    const { done, value } = await records.next()
    if (done) return value
  }
}

/**
 * Returns a function that works on `target` until its first error of the database, which it ignores: then the range is
 * not stored as fetched, so that the next command reads it again.
 */
function untilFailure<Target>(target: Target | undefined) {
  let current = target
  return <Result>(work: (target: Target) => Result): Result | undefined => {
    try {
      return current && work(current)
    } catch (error) {
      if (!(error instanceof TtError)) throw error
      current = undefined
      return undefined
    }
  }
}
