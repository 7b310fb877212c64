import { describe, expect, test } from 'vitest'
import { targetProgress } from '../../../src/report/target-progress.js'
import { withTargetsSince, workCalendar } from '../../../src/report/work-calendar.js'

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
