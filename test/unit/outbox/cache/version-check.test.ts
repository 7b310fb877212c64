import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EntryTimes, WireRecord } from '../../../../src/api-client/types.js'
import { Cache } from '../../../../src/outbox/cache/cache.js'
import { openTestState } from '../fixtures.js'

interface Entry {
  id: number
  start: number
  version: number
}

const fetchedAt = new Date('2024-05-01T12:00:00Z')
const range = { start: new Date(1000), end: new Date(1020) }

const toRecord = ({ id, start, version }: Entry): WireRecord => ({
  id,
  time_start: new Date(start).toISOString(),
  time_end: null,
  updated_at: new Date(version).toISOString(),
})

const toTimes = ({ id, start, version }: Entry): EntryTimes => ({
  id,
  time_start: start,
  time_end: null,
  task_link_id: null,
  updated_at: version,
})

/** Stores entries in a new cache, in this order, as those of the range. */
async function cacheWith(entries: readonly Entry[]) {
  const cache = new Cache((await openTestState()).database)
  cache.storeRange('entry', range, entries.map(toRecord), fetchedAt)
  return cache
}

/** Returns the parts of the range that differ from a list that arrives in batches of this size. */
function changedParts(cache: Cache, listed: readonly Entry[], batchSize: number, within = range) {
  const check = cache.beginVersionCheck(within)
  for (let index = 0; index < listed.length; index += batchSize)
    check?.add(listed.slice(index, index + batchSize).map(toTimes))
  return check?.finish()
}

const byOrder = (a: Entry, b: Entry) => a.start - b.start || a.id - b.id

/** Entries in and around the range, many of them with the same start. */
const entriesArbitrary = fc
  .uniqueArray(
    fc.record({
      id: fc.integer({ min: 1, max: 12 }),
      start: fc.integer({ min: 998, max: 1022 }),
      version: fc.integer({ min: 0, max: 2 }),
    }),
    { selector: ({ id }) => id },
  )
  // A change of the start changes the version, too.
  .map((entries) => entries.map((entry) => ({ ...entry, version: entry.start * 10 + entry.version })))
  .map((entries) => entries.sort(byOrder))

test('the parts that differ contain every changed, new and deleted entry of the range, and no other part differs', {
  tags: 'slow',
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      entriesArbitrary,
      entriesArbitrary,
      fc.integer({ min: 1, max: 5 }),
      async (cached, listed, batchSize) => {
        const parts = changedParts(await cacheWith(cached), listed, batchSize) ?? []
        const isInRange = ({ start }: Entry) => start >= 1000 && start < 1020
        const key = ({ id, start, version }: Entry) => `${id} ${start} ${version}`
        const [before, after] = [cached, listed].map((list) => new Set(list.filter(isInRange).map(key)))
        const differing = [...cached, ...listed].filter(
          (entry) => isInRange(entry) && before?.has(key(entry)) !== after?.has(key(entry)),
        )
        const isCovered = ({ start }: Entry) =>
          parts.some(({ start: from, end: to }) => Number(from) <= start && start < Number(to))
        expect(differing.filter((entry) => !isCovered(entry))).toEqual([])
        expect(parts.length > 0).toBe(differing.length > 0)
        for (const { start: from, end: to } of parts)
          expect(differing.some(({ start }) => Number(from) <= start && start < Number(to))).toBe(true)
      },
    ),
    { numRuns: 100 },
  )
})

test('entries with the same start are equal in any order of the cache, and in any batches', async () => {
  const entries = [3, 1, 2].map((id) => ({ id, start: 1005, version: id }))
  const cache = await cacheWith(entries)
  for (const batchSize of [1, 2, 3])
    expect(changedParts(cache, entries.toSorted(byOrder), batchSize)).toEqual([])
})

test('a list in another order differs as a whole', async () => {
  const entries = [
    { id: 1, start: 1010, version: 0 },
    { id: 2, start: 1005, version: 0 },
  ]
  expect(changedParts(await cacheWith(entries), entries, 5)).toEqual([range])
})

test('a range without bounds has changed parts without bounds', async () => {
  const entries = [{ id: 1, start: 1005, version: 0 }]
  const cache = await cacheWith(entries)
  expect(changedParts(cache, [], 5, {} as typeof range)).toEqual([{}])
  expect(changedParts(cache, entries, 5, {} as typeof range)).toEqual([])
})

test('a range without fetched entries is not compared', async () => {
  const cache = await cacheWith([])
  expect(cache.beginVersionCheck({ start: new Date(2000), end: new Date(3000) })).toBeUndefined()
  expect(cache.beginVersionCheck({ start: new Date(1019), end: new Date(3000) })).toBeDefined()
})

test('records without updated_at differ, also when all of them are deleted', async () => {
  const cache = new Cache((await openTestState()).database)
  const { updated_at: _, ...record } = toRecord({ id: 1, start: 1005, version: 0 })
  cache.storeRange('entry', range, [record as WireRecord], fetchedAt)
  expect(changedParts(cache, [], 5)).toEqual([range])
  expect(changedParts(cache, [{ id: 1, start: 1005, version: 0 }], 5)).not.toEqual([])
})
