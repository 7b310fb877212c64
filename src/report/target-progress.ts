import { type Day, dayOf, endOfDay, startOfDay, startOfWeek, type Weekday } from '../lib/calendar/day.js'
import { type Interval, overlap, splitAtMidnight } from '../lib/calendar/interval.js'
import { parseDate } from '../lib/calendar/period.js'
import { targetBetween, type WorkCalendar } from './work-calendar.js'

/** What was worked and what was to be worked, today and this week; all in whole seconds. */
export interface TargetProgress {
  today: { seconds: number; target: number }
  /** `due` is the target up to and with today, the whole of today. */
  week: { seconds: number; target: number; due: number }
}

/**
 * Returns the progress at `now` with the tracked time; undefined if no target is set. Time after today does not count, nor
 * does time before the first day with a target in the figure of the week.
 */
export function targetProgress(
  tracked: Iterable<Interval>,
  calendar: WorkCalendar,
  { now, weekStart }: { now: Date; weekStart: Weekday },
): TargetProgress | undefined {
  const today = dayOf(now)
  const { first, last } = parseDate('week', now, weekStart)
  const target = targetBetween(calendar, first, last)
  if (target === undefined) return undefined
  const seconds = secondsSoFar(tracked, { now, weekStart, since: calendar.targetSince })
  return {
    today: { seconds: seconds.today, target: calendar.targetOf(today) ?? 0 },
    week: { seconds: seconds.week, target, due: targetBetween(calendar, first, today) ?? 0 },
  }
}

/** Returns the seconds tracked today, and this week from the day `since` on. Time after today does not count. */
export function secondsSoFar(
  tracked: Iterable<Interval>,
  { now, weekStart, since }: { now: Date; weekStart: Weekday; since?: Day | undefined },
): { today: number; week: number } {
  const today = dayOf(now)
  const first = startOfWeek(today, weekStart)
  const sofar = { start: startOfDay(first), end: endOfDay(today) }
  let [weekMs, todayMs] = [0, 0]
  for (const interval of tracked) {
    const part = overlap(interval, sofar)
    if (!part) continue
    for (const { day, start, end } of splitAtMidnight(part)) {
      const lengthMs = end.getTime() - start.getTime()
      if (day >= (since ?? first)) weekMs += lengthMs
      if (day === today) todayMs += lengthMs
    }
  }
  return { today: Math.floor(todayMs / 1000), week: Math.floor(weekMs / 1000) }
}
