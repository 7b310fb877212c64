import { describe, expect, test } from 'vitest'
import { targetProgress } from '../../../src/report/target-progress.js'
import { withTargetsSince, workCalendar, workTotals } from '../../../src/report/work-calendar.js'
import { inZone } from '../lib/calendar/zone.js'

const hour = 3600
const settings = {
  workingDays: [1, 2, 3, 4, 5] as const,
  targets: [0, 8, 8, 8, 8, 6, 2].map((hours) => hours * hour),
  holidays: new Set(['2024-05-01', '2024-05-04']),
}
const calendar = workCalendar(settings)
const without = workCalendar({ ...settings, targets: undefined })

test.each([
  ['2024-04-30', true, 8],
  ['2024-05-01', false, 0], // a holiday
  ['2024-05-03', true, 6],
  ['2024-05-04', false, 0], // a holiday on a Saturday
  ['2024-05-11', false, 2], // a Saturday with a target
  ['2024-05-12', false, 0],
])('%s is a working day: %j, with a target of %d hours', (day, isWorkingDay, hours) => {
  expect(calendar.isWorkingDay(day)).toBe(isWorkingDay)
  expect(calendar.targetOf(day)).toBe(hours * hour)
  expect(without.isWorkingDay(day)).toBe(isWorkingDay)
  expect(without.targetOf(day)).toBeUndefined()
})

test.each([
  ['Pacific/Apia', '2011-12-30', '2011-12-29', '2011-12-31'],
  ['Pacific/Kwajalein', '1993-08-21', '1993-08-20', '1993-08-22'],
])('in %s, %s was skipped and is no working day', (zone, skipped, before, after) => {
  inZone(zone, () => {
    const every = workCalendar({
      ...settings,
      workingDays: [0, 1, 2, 3, 4, 5, 6],
      targets: Array(7).fill(hour),
    })
    expect([before, skipped, after].map((day) => every.isWorkingDay(day))).toEqual([true, false, true])
    expect([before, skipped, after].map((day) => every.targetOf(day))).toEqual([hour, 0, hour])
    const span = { first: before, last: after }
    expect(workTotals(every, span, after, 4 * hour)).toMatchObject({
      ...{ workingDays: 2, averageSeconds: 2 * hour, targetSeconds: 2 * hour },
    })
  })
})

describe('the average of a report', () => {
  const week = { first: '2024-05-06', last: '2024-05-12' }

  test('is undefined for a future period or without a working day', () => {
    expect(workTotals(calendar, week, '2024-05-05', hour)).toEqual({
      workingDays: 0,
      averageSeconds: null,
      targetSeconds: 0,
      targetSince: null,
    })
    const weekend = { first: '2024-05-11', last: '2024-05-12' }
    expect(workTotals(without, weekend, '2024-06-01', hour)).toEqual({
      workingDays: 0,
      averageSeconds: null,
      targetSeconds: null,
      targetSince: null,
    })
  })

  test('includes working days before the first target, and the target excludes them', () => {
    for (const limited of [
      withTargetsSince(calendar, '2024-05-07'),
      workCalendar({ ...settings, targetSince: '2024-05-07' }),
    ])
      expect(workTotals(limited, week, '2024-05-08', 20 * hour)).toEqual({
        workingDays: 3,
        averageSeconds: 24_000,
        targetSeconds: 16 * hour,
        targetSince: '2024-05-07',
      })
    const fromStart = withTargetsSince(calendar, '2024-05-06')
    expect(workTotals(fromStart, week, '2024-05-08', 0)).toMatchObject({ targetSince: null })
    const future = withTargetsSince(calendar, '2024-05-09')
    expect(workTotals(future, week, '2024-05-08', 0)).toMatchObject({ targetSeconds: 0 })
    const unset = withTargetsSince(without, '2024-05-07')
    expect(workTotals(unset, week, '2024-05-08', 0)).toMatchObject({ targetSeconds: null, targetSince: null })
  })
})

describe('the progress towards the target', () => {
  /** A Wednesday. */
  const now = new Date('2024-05-08T12:00:00')
  const monday = { now, weekStart: 1 } as const
  const span = (start: string, end: string) => ({ start: new Date(start), end: new Date(end) })

  test('includes only the time within the day and within the week', () => {
    const tracked = [
      span('2024-05-05T22:00', '2024-05-06T02:00'), // from Sunday
      span('2024-05-07T23:00', '2024-05-08T01:30'),
      span('2024-05-08T23:00', '2024-05-09T03:00'), // into tomorrow
      span('2024-05-10T09:00', '2024-05-10T10:00'), // planned
    ]
    expect(targetProgress(tracked, calendar, monday)).toMatchObject({
      today: { seconds: 2.5 * hour },
      week: { seconds: 5.5 * hour },
    })
    expect(targetProgress(tracked, calendar, { now, weekStart: 0 })).toMatchObject({
      week: { seconds: 7.5 * hour },
    })
  })

  test('excludes the days before the first one with a target', () => {
    const tracked = [
      span('2024-05-06T09:00', '2024-05-06T17:00'),
      span('2024-05-06T23:00', '2024-05-07T02:00'),
      span('2024-05-08T09:00', '2024-05-08T12:00'),
    ]
    expect(targetProgress(tracked, withTargetsSince(calendar, '2024-05-07'), monday)).toEqual({
      today: { seconds: 3 * hour, target: 8 * hour },
      week: { seconds: 5 * hour, target: 32 * hour, due: 16 * hour },
    })
  })

  test('is undefined without a target', () => {
    expect(targetProgress([], without, monday)).toBeUndefined()
  })
})
