import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { IdSet } from '../../../../src/api-client/paging/record-list.js'
import type { WireRecord } from '../../../../src/api-client/types.js'
import { Cache } from '../../../../src/outbox/cache/cache.js'
import { openTestState } from '../fixtures.js'

const at = (time: string) => new Date(`2024-05-01T${time}Z`)
const day = (text: string) => new Date(`${text}T00:00:00Z`)
const entry = (id: number | string, time: string, notes = ''): WireRecord => ({
  id,
  time_start: at(time).toISOString(),
  notes,
})
const morning = { start: at('08:00'), end: at('12:00') }

async function newCache() {
  const { database } = await openTestState()
  return { cache: new Cache(database), database }
}

describe('a record', () => {
  test('is returned as it was stored last, with unknown fields and the time', async () => {
    const { cache } = await newCache()
    cache.store('entry', { ...entry(1, '09:00'), colour: { name: 'red' } }, at('10:00'))
    expect(cache.get('entry', '1')).toEqual({
      record: { ...entry(1, '09:00'), colour: { name: 'red' } },
      at: at('10:00'),
    })
    cache.store('entry', entry(1, '09:30', 'moved'), at('11:00'))
    expect(cache.get('entry', '1')).toEqual({ record: entry(1, '09:30', 'moved'), at: at('11:00') })
  })

  test('has the same row after an update, and later records have higher rows', async () => {
    const { cache } = await newCache()
    expect(cache.lastRow()).toBe(0)
    cache.store('entry', entry('a', '09:00'), at('10:00'))
    const row = cache.lastRow()
    cache.store('entry', entry('b', '09:00'), at('10:00'))
    cache.store('entry', entry('a', '09:00', 'again'), at('10:01'))
    cache.storeRange('entry', morning, [entry('a', '09:00', 'once more'), entry('b', '09:00')], at('10:02'))
    expect(cache.wasKnownAt('entry', 'a', row)).toBe(true)
    expect(cache.wasKnownAt('entry', 'b', row)).toBe(false)
    expect(cache.wasKnownAt('entry', 'b', cache.lastRow())).toBe(true)
    expect(cache.wasKnownAt('expense', 'a', row)).toBe(false)
  })

  test('is as new as the last list that had it unchanged', async () => {
    const { cache } = await newCache()
    cache.storeRange('expense', {}, [], at('12:00'))
    cache.storeRange('entry', morning, [entry(1, '09:00')], at('10:00'))
    cache.storeRange('entry', morning, [entry(1, '09:00')], at('11:00'))
    expect(cache.get('entry', '1')?.at).toEqual(at('11:00'))
  })
})

describe('a range', () => {
  test('loses nothing to an incomplete list, which does not count as fetched', async () => {
    const { cache } = await newCache()
    cache.storeRange('entry', morning, [entry(1, '09:00')], at('13:00'))
    const incomplete = Object.assign([entry(2, '09:30')], { incomplete: 'the second page failed' })
    cache.storeRange('entry', morning, incomplete, at('14:00'))
    expect(cache.readRange('entry', morning)).toMatchObject({
      records: [{ id: 1 }, { id: 2 }],
      at: at('13:00'),
    })
  })

  test('has exactly its records, ordered by start', async () => {
    const { cache } = await newCache()
    const records = [entry(2, '09:30'), entry(1, '09:00'), entry(3, '11:59:59.999'), entry(4, '12:00')]
    cache.storeRange('entry', morning, records, at('13:00'))
    expect(cache.readRange('entry', morning)).toEqual({
      records: [entry(1, '09:00'), entry(2, '09:30'), entry(3, '11:59:59.999')],
      at: at('13:00'),
      complete: true,
    })
    expect(cache.get('entry', '4')?.record).toEqual(entry(4, '12:00'))
  })

  test('removes only its own records that are missing in the list', async () => {
    const { cache } = await newCache()
    const before = [entry(1, '07:59:59.999'), entry(2, '08:00'), entry(3, '11:00'), entry(4, '12:00')]
    for (const record of before) cache.store('entry', record, at('07:00'))
    cache.store('expense', { id: 2, spent_on: '2024-05-01' }, at('07:00'))
    cache.storeRange('entry', morning, [entry(3, '11:00')], at('13:00'))
    expect(cache.readRange('entry', {}).records.map(({ id }) => id)).toEqual([1, 3, 4])
    expect(cache.get('entry', '2')).toBeUndefined()
    expect(cache.get('expense', '2')).toBeDefined()
  })

  test('has an entry that was moved into it', async () => {
    const { cache } = await newCache()
    cache.storeRange('entry', {}, [entry(1, '07:00')], at('13:00'))
    cache.storeRange('entry', morning, [entry(1, '09:00')], at('14:00'))
    expect(cache.readRange('entry', {}).records).toEqual([entry(1, '09:00')])
  })

  test('does not overwrite records of a later command', async () => {
    const { cache } = await newCache()
    cache.store('entry', entry(1, '09:00', 'edited'), at('10:00:02'))
    cache.store('entry', entry(2, '09:00', 'created'), at('10:00:02'))
    cache.storeRange('entry', morning, [entry(1, '09:00', 'old')], at('10:00:01'))
    expect(cache.readRange('entry', morning).records.map(({ notes }) => notes)).toEqual(['edited', 'created'])
  })

  test('overwrites records that were stored while the clock was far ahead', async () => {
    const { cache } = await newCache()
    const wrong = new Date('2031-05-01T09:00:00Z')
    cache.storeRange('entry', morning, [entry(1, '09:00', 'old'), entry(2, '09:00')], wrong)
    cache.storeRange('entry', morning, [entry(1, '09:00', 'new')], at('10:00'))
    expect(cache.readRange('entry', morning)).toMatchObject({
      records: [entry(1, '09:00', 'new')],
      at: at('10:00'),
    })
  })

  test('of expenses is ordered by day; those without a day come first', async () => {
    const { cache } = await newCache()
    const expenses = [
      { id: 1, spent_on: '2024-05-01' },
      { id: 2, spent_on: '2024-05-02' },
      { id: 3, spent_on: null },
    ]
    cache.storeRange('expense', {}, expenses, at('13:00'))
    const ids = (from?: string, to?: string) =>
      cache
        .readRange('expense', { ...(from ? { start: day(from) } : {}), ...(to ? { end: day(to) } : {}) })
        .records.map(({ id }) => id)
    expect(ids('2024-05-01', '2024-05-02')).toEqual([1])
    expect(ids('2024-05-02')).toEqual([2])
    expect(ids(undefined, '2024-05-02')).toEqual([3, 1])
    expect(ids()).toEqual([3, 1, 2])
  })

  test('that was never fetched has no age, even with a cached record', async () => {
    const { cache } = await newCache()
    cache.store('entry', entry(1, '09:00'), at('10:00'))
    expect(cache.readRange('entry', morning)).toEqual({
      records: [entry(1, '09:00')],
      at: undefined,
      complete: false,
    })
    cache.storeRange('expense', {}, [], at('10:00'))
    expect(cache.readRange('entry', morning).complete).toBe(false)
  })

  test('is unchanged when it cannot be stored completely', async () => {
    const { cache } = await newCache()
    cache.storeRange('entry', morning, [entry(1, '09:00')], at('10:00'))
    const circular: WireRecord = { id: 3 }
    circular.self = circular
    expect(() => cache.storeRange('entry', morning, [entry(2, '09:00'), circular], at('11:00'))).toThrow()
    expect(cache.readRange('entry', morning)).toEqual({
      records: [entry(1, '09:00')],
      at: at('10:00'),
      complete: true,
    })
  })
})

describe('the age of a range', () => {
  const dayMs = 86_400_000
  const days = (from: number, to: number) => ({ start: new Date(from * dayMs), end: new Date(to * dayMs) })

  test('agrees with a model of single days for all fetched ranges', async () => {
    const { cache, database } = await newCache()
    const period = fc
      .tuple(fc.nat(30), fc.integer({ min: 1, max: 10 }))
      .map(([from, length]) => [from, from + length] as const)
    fc.assert(
      fc.property(fc.array(period, { maxLength: 8 }), period, (ranges, [from, to]) => {
        database.exec('DELETE FROM asked')
        cache.storeRange('expense', days(0, 40), [], new Date(9))
        const lastFetch: (number | undefined)[] = []
        for (const [index, [start, end]] of ranges.entries()) {
          cache.storeRange('entry', days(start, end), [], new Date(index))
          for (let day = start; day < end; day++) lastFetch[day] = index
        }
        const expected = Array.from({ length: to - from }, (_, index) => lastFetch[from + index])
        const known = expected.filter((index) => index !== undefined)
        const { at, complete } = cache.readRange('entry', days(from, to))
        expect(at?.getTime()).toBe(known.length > 0 ? Math.min(...known) : undefined)
        expect(complete).toBe(known.length === expected.length)
        expect(cache.readRange('expense', days(0, 40))).toMatchObject({ at: new Date(9), complete: true })
        expect(database.prepare('SELECT * FROM asked WHERE from_at >= to_at').all()).toEqual([])
      }),
    )
  })

  test('needs few rows when each command fetches the last month', async () => {
    const { cache, database } = await newCache()
    const minuteMs = 60_000
    const commands = 3 * 24 * 60
    for (let n = 0; n < commands; n += 10)
      cache.storeRange('entry', { start: new Date(n * minuteMs) }, [], new Date(n))
    expect(database.prepare('SELECT * FROM asked').all().length).toBeLessThan(8)
    for (const n of [0, 1, 2]) {
      const { at, complete } = cache.readRange('entry', days(n, n + 1))
      expect(complete).toBe(true)
      expect(at?.getTime()).toBeLessThanOrEqual(n * 24 * 60)
      expect(at?.getTime()).toBeGreaterThan((n - 1) * 24 * 60 - 10)
    }
    expect(cache.readRange('entry', { start: new Date(0) })).toMatchObject({
      at: new Date(0),
      complete: true,
    })
  })

  test('covers all time when its parts touch, to the millisecond', async () => {
    const { cache } = await newCache()
    const [first, second] = [new Date(1_700_000_000_001), new Date(1_700_000_000_004)]
    cache.storeRange('entry', { end: first }, [], at('08:00'))
    cache.storeRange('entry', { start: second }, [], at('08:00'))
    cache.storeRange('entry', { start: first, end: new Date(second.getTime() - 1) }, [], at('08:00'))
    expect(cache.readRange('entry', {}).complete).toBe(false)
    cache.storeRange('entry', { start: first, end: second }, [], at('08:00'))
    expect(cache.readRange('entry', {}).complete).toBe(true)
  })
})

describe('a streamed list', () => {
  const ids = (...those: (number | string)[]) => {
    const set = new IdSet()
    for (const id of those) set.add(id)
    return set
  }

  test('has the same effect on the cache as a list that arrives at once', { tags: 'slow' }, async () => {
    const record = fc.record({ id: fc.nat(30), hour: fc.integer({ min: 6, max: 13 }), notes: fc.string() })
    const records = fc.uniqueArray(record, { selector: ({ id }) => id })
    const wire = (all: { id: number; hour: number; notes: string }[]) =>
      all.map(({ id, hour, notes }) => entry(id, `${String(hour).padStart(2, '0')}:00`, notes))
    await fc.assert(
      fc.asyncProperty(records, records, fc.integer({ min: 1, max: 5 }), async (first, second, size) => {
        const [{ cache: whole }, { cache: long }] = [await newCache(), await newCache()]
        for (const cache of [whole, long]) cache.storeRange('entry', {}, wire(first), at('10:00'))
        const came = wire(second)
        whole.storeRange('entry', morning, came, at('11:00'))
        const list = long.beginStreamedList('entry', morning, at('11:00'))
        for (let from = 0; from < came.length; from += size) list.store(came.slice(from, from + size))
        list.finish(ids(...came.map(({ id }) => id as number)))
        for (const bounds of [{}, morning, { start: at('12:00') }])
          expect(long.readRange('entry', bounds)).toEqual(whole.readRange('entry', bounds))
      }),
      { numRuns: 30 },
    )
  })

  test('that is interrupted removes nothing and does not count as fetched', async () => {
    const { cache } = await newCache()
    cache.storeRange('entry', morning, [entry(1, '09:00'), entry(2, '10:00')], at('12:00'))
    cache.beginStreamedList('entry', {}, at('13:00')).store([entry(1, '09:00', 'edited')])
    expect(cache.readRange('entry', morning)).toEqual({
      records: [entry(1, '09:00', 'edited'), entry(2, '10:00')],
      at: at('12:00'),
      complete: true,
    })
    expect(cache.readRange('entry', {}).complete).toBe(false)
  })

  test('does not overwrite records that another command stores while it arrives', async () => {
    const { cache } = await newCache()
    cache.storeRange('entry', morning, [entry(1, '09:00'), entry(2, '09:00')], at('09:30'))
    const list = cache.beginStreamedList('entry', morning, at('10:00:00'))
    cache.store('entry', entry(1, '09:00', 'edited'), at('10:00:30'))
    // This command was entered earlier and has waited for its turn.
    cache.store('entry', entry(3, '09:00', 'created'), at('09:59:00'))
    list.store([entry(1, '09:00', 'old')])
    list.finish(ids(1))
    expect(cache.readRange('entry', morning).records.map(({ notes }) => notes)).toEqual(['edited', 'created'])
  })

  test('of several batches is read in batches, each record once, in order', { tags: 'slow' }, async () => {
    const { cache } = await newCache()
    const all = Array.from({ length: 4500 }, (_, id) => ({
      ...entry(id, id % 2 ? '09:00' : '10:00'),
      time_end: at('11:00').toISOString(),
    }))
    cache.storeRange('entry', {}, [...all, entry('late', '13:00')], at('14:00'))
    const { batches, ...known } = cache.readOverlappingInBatches(morning)
    const sizes: number[] = []
    const found: WireRecord[] = []
    for (const batch of batches) {
      sizes.push(batch.length)
      found.push(...batch)
    }
    expect(known).toEqual({ at: at('14:00'), complete: true, isEmpty: false })
    expect(sizes).toEqual([1000, 1000, 1000, 1000, 500])
    expect(found).toEqual(cache.readRange('entry', morning).records)
  })
})
