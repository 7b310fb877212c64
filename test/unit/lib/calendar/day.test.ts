import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  addDays,
  dayAround,
  dayInWeek,
  dayOf,
  eachDay,
  endOfDay,
  isDay,
  isoWeek,
  mondayOfIsoWeek,
  startOfDay,
  startOfWeek,
  type Weekday,
  weekday,
} from '../../../../src/lib/calendar/day.js'
import { usageErrorOf } from '../../../support/usage-error.js'
import { anyInstant, anyZone, inZone } from './zone.js'

const anyDay = fc.integer({ min: -40_000, max: 40_000 }).map((n) => addDays('2000-01-01', n))
const anyWeekday = fc.integer({ min: 0, max: 6 }).map((number) => number as Weekday)

describe('startOfDay and endOfDay', () => {
  test.each([
    ['Europe/Berlin', '2024-05-01', '2024-04-30T22:00:00.000Z', 24],
    ['Europe/Berlin', '2024-03-31', '2024-03-30T23:00:00.000Z', 23],
    ['Europe/Berlin', '2024-10-27', '2024-10-26T22:00:00.000Z', 25],
    ['Australia/Lord_Howe', '2024-10-06', '2024-10-05T13:30:00.000Z', 23.5],
    ['Australia/Lord_Howe', '2024-04-07', '2024-04-06T13:00:00.000Z', 24.5],
    // Midnight does not exist: the day starts at 01:00.
    ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00.000Z', 23],
    // The hour before midnight happens twice.
    ['America/Sao_Paulo', '2018-02-17', '2018-02-17T02:00:00.000Z', 25],
    // Midnight happens twice: the first one counts.
    ['America/Havana', '2024-11-03', '2024-11-03T04:00:00.000Z', 25],
    // From 23:30 to 00:30: the day starts at half past.
    ['America/Toronto', '1919-03-31', '1919-03-31T04:30:00.000Z', 23.5],
    // From 00:01 back to 23:01 of the day before.
    ['America/St_Johns', '2010-11-07', '2010-11-07T02:30:00.000Z', 25],
    ['Pacific/Apia', '2011-12-29', '2011-12-29T10:00:00.000Z', 24],
    ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00.000Z', 0],
    ['Pacific/Apia', '2011-12-31', '2011-12-30T10:00:00.000Z', 24],
    ['UTC', '9999-12-31', '9999-12-31T00:00:00.000Z', 24],
  ])('in %s, %s starts at %s and has %d hours', (zone, day, start, hours) => {
    inZone(zone, () => {
      expect(startOfDay(day).toISOString()).toBe(start)
      expect((endOfDay(day).getTime() - startOfDay(day).getTime()) / 3_600_000).toBe(hours)
    })
  })

  test('the next day starts where a day ends', () => {
    fc.assert(
      fc.property(anyZone, anyDay, (zone, day) =>
        inZone(zone, () => {
          expect(endOfDay(day)).toEqual(startOfDay(addDays(day, 1)))
        }),
      ),
    )
  })
})

describe('dayAround', () => {
  const bounds = (day: string) => ({
    day,
    fromMs: startOfDay(day).getTime(),
    toMs: endOfDay(day).getTime(),
  })

  test('agrees with dayOf, startOfDay and endOfDay at any time in any zone', () => {
    fc.assert(
      fc.property(anyZone, anyInstant, (zone, instant) =>
        inZone(zone, () => {
          expect(dayAround(instant.getTime())).toEqual(bounds(dayOf(instant)))
        }),
      ),
      { numRuns: 2000 },
    )
  })

  test.each([
    ['Europe/Berlin', '2024-03-30T00:00:00Z'],
    ['Europe/Berlin', '2024-10-26T00:00:00Z'],
    ['America/Sao_Paulo', '2018-11-03T00:00:00Z'],
    ['America/Sao_Paulo', '2018-02-16T00:00:00Z'],
    ['America/Havana', '2024-11-02T00:00:00Z'],
    ['America/St_Johns', '2010-11-06T00:00:00Z'],
    ['Pacific/Apia', '2011-12-28T00:00:00Z'],
    ['America/Toronto', '1919-03-29T00:00:00Z'],
  ])('agrees with them around a clock change in %s after %s', (zone, start) => {
    inZone(zone, () => {
      const startMs = Date.parse(start)
      for (let ms = startMs; ms < startMs + 4 * 86_400_000; ms += 29 * 60_000)
        expect(dayAround(ms)).toEqual(bounds(dayOf(new Date(ms))))
    })
  })
})

describe('dayOf', () => {
  test.each([
    ['Europe/Berlin', '2024-05-01T21:59:59.999Z', '2024-05-01'],
    ['Europe/Berlin', '2024-05-01T22:00:00Z', '2024-05-02'],
    ['Pacific/Apia', '2011-12-30T09:59:59Z', '2011-12-29'],
    ['Pacific/Apia', '2011-12-30T10:00:00Z', '2011-12-31'],
    ['Asia/Beirut', '2024-10-26T21:30:00Z', '2024-10-26'],
    ['America/St_Johns', '2010-11-07T02:29:59Z', '2010-11-06'],
    ['America/St_Johns', '2010-11-07T02:30:30Z', '2010-11-07'],
    // The clocks show 23:30 of the 6th again, half an hour after the 7th has begun.
    ['America/St_Johns', '2010-11-07T03:00:00Z', '2010-11-07'],
  ])('in %s, %s is on %s', (zone, instant, day) => {
    inZone(zone, () => expect(dayOf(new Date(instant))).toBe(day))
  })

  test('the day of an instant contains that instant', () => {
    fc.assert(
      fc.property(anyZone, anyInstant, (zone, instant) =>
        inZone(zone, () => {
          const day = dayOf(instant)
          expect(startOfDay(day).getTime()).toBeLessThanOrEqual(instant.getTime())
          expect(endOfDay(day).getTime()).toBeGreaterThan(instant.getTime())
        }),
      ),
      { numRuns: 1000 },
    )
  })
})

describe('eachDay', () => {
  test('yields the same days as addDays, across centuries', () => {
    fc.assert(
      fc.property(anyDay, fc.integer({ min: 0, max: 1000 }), (first, count) => {
        const days = Array.from({ length: count + 1 }, (_, n) => addDays(first, n))
        expect([...eachDay(first, days.at(-1) ?? first)]).toEqual(days)
      }),
    )
  })

  test('ends with the last day that a calendar has, and is empty for a last day before the first', () => {
    expect([...eachDay('9999-12-30', '9999-12-31')]).toEqual(['9999-12-30', '9999-12-31'])
    expect([...eachDay('2024-05-02', '2024-05-01')]).toEqual([])
  })
})

describe('addDays', () => {
  test.each([
    ['2024-02-28', 1, '2024-02-29'],
    ['2023-02-28', 1, '2023-03-01'],
    ['2024-01-01', -1, '2023-12-31'],
    ['2024-05-01', 0, '2024-05-01'],
    ['2011-12-29', 1, '2011-12-30'],
  ])('adds to %s %d days: %s', (day, n, result) => {
    for (const zone of ['UTC', 'Pacific/Apia', 'America/Sao_Paulo'])
      inZone(zone, () => expect(addDays(day, n)).toBe(result))
  })

  test('subtracting the same days gives the first day, and the weekday moves along', () => {
    fc.assert(
      fc.property(anyZone, anyDay, fc.integer({ min: -10_000, max: 10_000 }), (zone, day, n) =>
        inZone(zone, () => {
          const moved = addDays(day, n)
          expect(addDays(moved, -n)).toBe(day)
          expect(weekday(moved)).toBe((((weekday(day) + n) % 7) + 7) % 7)
          expect(isDay(moved)).toBe(true)
          expect(moved < day).toBe(n < 0)
        }),
      ),
    )
  })

  test('does not exceed the years 1000 to 9999', () => {
    for (const [day, n] of [
      ['9999-12-31', 1],
      ['1000-01-01', -1],
      ['2024-05-01', 1e15],
    ] as const)
      expect(usageErrorOf(() => addDays(day, n)).message).toContain('out of range')
  })
})

test.each(['2024-02-29', '2000-02-29', '1000-01-01', '9999-12-31', '2011-12-30'])('%s is a day', (text) => {
  expect(isDay(text)).toBe(true)
})

test.each([
  '2023-02-29',
  '1900-02-29',
  '2024-13-01',
  '2024-00-10',
  '2024-01-00',
  '0024-01-01',
  '12024-01-01',
  '2024-5-1',
  '20240501',
  '2024-05-01T00:00',
  ' 2024-05-01',
  '',
])('%j is not a day', (text) => {
  expect(isDay(text)).toBe(false)
})

test('the weekday of a day is 0 on Sunday and 6 on Saturday, in every zone', () => {
  for (const zone of ['UTC', 'America/New_York', 'Pacific/Apia']) {
    inZone(zone, () => {
      expect(weekday('2024-05-05')).toBe(0)
      expect(weekday('2024-05-01')).toBe(3)
      expect(weekday('2024-05-04')).toBe(6)
    })
  }
})

test('a week contains its days and begins on the given weekday', () => {
  fc.assert(
    fc.property(anyDay, anyWeekday, (day, weekStart) => {
      const first = startOfWeek(day, weekStart)
      expect(weekday(first)).toBe(weekStart)
      expect(addDays(first, dayInWeek(day, weekStart))).toBe(day)
      expect(dayInWeek(day, weekStart)).toBeLessThan(7)
    }),
  )
})

test.each([
  ['2024-05-01', '2024-W18'],
  ['2024-12-29', '2024-W52'],
  ['2024-12-30', '2025-W01'],
  ['2021-01-03', '2020-W53'],
  ['2021-01-04', '2021-W01'],
])('%s is in ISO week %s', (day, week) => {
  expect(isoWeek(day)).toBe(week)
})

test('an ISO week contains its Monday, in every zone', () => {
  fc.assert(
    fc.property(anyDay, anyZone, (day, zone) => {
      const [year = '', week = ''] = inZone(zone, () => isoWeek(day)).split('-W')
      expect(mondayOfIsoWeek(Number(year), Number(week))).toBe(startOfWeek(day, 1))
    }),
  )
})

test.each([
  ['Pacific/Apia', '2011-12-30', '2011-W52'],
  ['Pacific/Kiritimati', '1994-12-31', '1994-W52'],
  ['Asia/Manila', '1844-12-31', '1845-W01'],
])('in %s, the skipped day %s is in ISO week %s', (zone, day, week) => {
  expect(inZone(zone, () => isoWeek(day))).toBe(week)
})

test('a year has 52 or 53 ISO weeks', () => {
  expect(mondayOfIsoWeek(2020, 53)).toBe('2020-12-28')
  expect(mondayOfIsoWeek(2021, 53)).toBeUndefined()
  expect(mondayOfIsoWeek(2024, 0)).toBeUndefined()
})
