import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  addDays,
  dayInWeek,
  isoWeek,
  mondayOfIsoWeek,
  startOfWeek,
  type Weekday,
  weekday,
} from '../../../../src/lib/calendar/day.js'
import { anyZone, inZone } from './zone.js'

const anyDay = fc.integer({ min: -40_000, max: 40_000 }).map((days) => addDays('2000-01-01', days))
const anyWeekday = fc.integer({ min: 0, max: 6 }).map((number) => number as Weekday)

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
  ['2024-01-01', '2024-W01'],
  ['2024-12-29', '2024-W52'],
  ['2024-12-30', '2025-W01'],
  ['2021-01-03', '2020-W53'],
  ['2021-01-04', '2021-W01'],
  ['2023-01-01', '2022-W52'],
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
  ['Pacific/Kwajalein', '1993-08-21', '1993-W33'],
  ['Asia/Manila', '1844-12-31', '1845-W01'],
])('in %s, the skipped day %s is in ISO week %s', (zone, day, week) => {
  expect(inZone(zone, () => isoWeek(day))).toBe(week)
})

test('a year has 52 or 53 ISO weeks', () => {
  expect(mondayOfIsoWeek(2020, 53)).toBe('2020-12-28')
  expect(mondayOfIsoWeek(2021, 53)).toBeUndefined()
  expect(mondayOfIsoWeek(2024, 0)).toBeUndefined()
})
