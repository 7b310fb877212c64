import { describe, expect, test } from 'vitest'
import { DurationDisplay, durationFormats } from '../../../src/calendar/duration-display.js'
import { formatTargetProgress, targetProgress } from '../../../src/report/target-progress.js'
import { withTargetsSince, workCalendar } from '../../../src/report/work-calendar.js'
import { inZone } from '../calendar/zone.js'

const hour = 3600
const calendar = workCalendar({
  workingDays: [1, 2, 3, 4, 5],
  targets: [0, 8, 8, 8, 8, 8, 0].map((hours) => hours * hour),
  holidays: new Set(['2024-05-09']),
})
/** A Wednesday. */
const now = new Date('2024-05-08T12:00:00')
const monday = { now, weekStart: 1 } as const
const span = (start: string, end: string) => ({ start: new Date(start), end: new Date(end) })

describe('the progress towards the target', () => {
  test('covers today and the week, with the target up to and including today', () => {
    const tracked = [
      span('2024-05-06T09:00', '2024-05-06T17:00'),
      span('2024-05-08T09:00', '2024-05-08T12:00'),
    ]
    expect(targetProgress(tracked, calendar, monday)).toEqual({
      today: { seconds: 3 * hour, target: 8 * hour },
      week: { seconds: 11 * hour, target: 32 * hour, due: 24 * hour },
    })
  })

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
    const sunday = { now, weekStart: 0 } as const
    expect(targetProgress(tracked, calendar, sunday)).toMatchObject({ week: { seconds: 7.5 * hour } })
  })

  test('includes the actual hours over a clock change', () => {
    inZone('Europe/Berlin', () => {
      const spring = [span('2024-03-31T01:00:00+01:00', '2024-03-31T04:00:00+02:00')]
      const progress = targetProgress(spring, calendar, {
        now: new Date('2024-03-31T12:00:00+02:00'),
        weekStart: 1,
      })
      expect(progress).toMatchObject({ today: { seconds: 2 * hour }, week: { seconds: 2 * hour } })
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
      week: { seconds: 5 * hour, target: 24 * hour, due: 16 * hour },
    })
  })

  test('is undefined without a target', () => {
    const without = workCalendar({ workingDays: [1], targets: undefined, holidays: new Set<string>() })
    expect(targetProgress([], without, monday)).toBeUndefined()
  })
})

const durations = DurationDisplay.of('1h 24m')

const words = (today: [number, number], week: [number, number, number]) =>
  formatTargetProgress(
    {
      today: { seconds: today[0] * hour, target: today[1] * hour },
      week: { seconds: week[0] * hour, target: week[1] * hour, due: week[2] * hour },
    },
    durations,
  )

test.each([
  [
    'time still due',
    [3, 8],
    [11, 40, 24],
    'Today 3h 00m of 8h 00m; this week 11h 00m of 40h 00m, 13h 00m still due by the end of today.',
  ],
  [
    'a day without a target',
    [2, 0],
    [41, 40, 40],
    'Today 2h 00m without a target; this week 41h 00m of 40h 00m, 1h 00m more than due by the end of today.',
  ],
  [
    'exactly the time due',
    [7, 8],
    [24, 40, 24],
    'Today 7h 00m of 8h 00m; this week 24h 00m of 40h 00m, as much as due by the end of today.',
  ],
  [
    'earlier days that reached their targets',
    [0, 6],
    [8, 36, 14],
    'Today 0m of 6h 00m; this week 8h 00m of 36h 00m, with nothing due from earlier days.',
  ],
  ['the first day', [3, 8], [3, 40, 8], 'Today 3h 00m of 8h 00m; this week the same of 40h 00m.'],
  [
    'time of today only, after days without any',
    [3, 8],
    [3, 40, 24],
    'Today 3h 00m of 8h 00m; this week the same of 40h 00m, 21h 00m still due by the end of today.',
  ],
  [
    'no time in a week that ends today',
    [0, 0],
    [0, 38, 38],
    'Today 0m without a target; this week the same of 38h 00m, all of it due by the end of today.',
  ],
  [
    'a week before its first working day',
    [0, 0],
    [0, 32, 0],
    'Today 0m without a target; this week the same of 32h 00m, and nothing is due yet.',
  ],
  [
    'a week with one working day',
    [2, 8],
    [3, 8, 8],
    'Today 2h 00m of 8h 00m; this week 3h 00m of the same, 5h 00m still due by the end of today.',
  ],
  ['only today’s target and time', [3, 8], [3, 8, 8], 'Today and this week 3h 00m of 8h 00m.'],
  ['a week of holidays', [1, 0], [1, 0, 0], 'Today and this week 1h 00m without a target.'],
  [
    'a day and a week without a target',
    [1, 0],
    [2, 0, 0],
    'Today 1h 00m without a target; this week 2h 00m without a target.',
  ],
] as const)('the sentence shows each figure once for %s', (_, today, week, expected) => {
  const text = words([...today], [...week])
  expect(text).toBe(expected)
  const figures = text.match(/(\d+h )?\d+m/g) ?? []
  expect(new Set(figures).size).toBe(figures.length)
})

test('the durations in the text add up', () => {
  const week = { seconds: 20 * hour + 630, target: 40 * hour, due: 24 * hour }
  const progress = { today: { seconds: 0, target: 0 }, week }
  const expected = {
    '1h 24m': 'this week 20h 10m of 40h 00m, 3h 50m still due',
    '1:24': 'this week 20:10 of 40:00, 3:50 still due',
    '1.40': 'this week 20.18 of 40.00, 3.82 still due',
  }
  for (const format of durationFormats)
    expect(formatTargetProgress(progress, DurationDisplay.of(format))).toContain(expected[format])
})
