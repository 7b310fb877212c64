import { IdSet } from '../../../api-client/paging/id-set.js'
import type { EntryTimes, TimeEntry, WireRecord } from '../../../api-client/types.js'
import type { TimeRange } from '../../../lib/calendar/interval.js'
import { TtError } from '../../../lib/errors.js'
import { writeIfPossible } from '../../../outbox/cache/client-state.js'
import { isTimes } from '../entry.js'
import type { OverlapQuery } from './overlapping-records.js'
import type { ReadSources } from './read-sources.js'
import { aroundStart } from './start-filter.js'

type StartQuery = Pick<OverlapQuery, 'range' | 'predicates' | 'timesSuffice'>

/**
 * Yields the entries that start in a range, stores them in the cache, and returns whether all of them are stored. Adds
 * their IDs to `ids`.
 *
 * Where times suffice and the cache has entries of the range, the service may send only times. The entries whose version
 * differs from the cached one are then requested again as records, so that the cache has the same as after a list of
 * records.
 */
export async function* startingRecords(
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
