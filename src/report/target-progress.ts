import { type Day, dayOf, endOfDay, startOfDay, type Weekday } from '../calendar/day.js'
import type { DurationDisplay } from '../calendar/duration-display.js'
import { type Interval, overlap, splitAtMidnight } from '../calendar/interval.js'
import { parseDate } from '../calendar/period.js'
import { startOfWeek } from '../calendar/week.js'
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

/**
 * Returns a sentence that shows each figure once: `Today 3h 10m of 8h 00m; this week 20h 10m of 40h 00m, 3h 50m still due
 * by the end of today.` All figures are computed from the displayed ones, so that they add up.
 */
export function formatTargetProgress(progress: TargetProgress, durations: DurationDisplay): string {
  const { today, week } = displayedProgress(progress, durations)
  const format = (seconds: number) => durations.format(seconds)
  const targetText = (target: number) => (target > 0 ? `of ${format(target)}` : 'without a target')
  const isAllToday = week.seconds === today.seconds
  const hasSameTarget = week.target === today.target
  if (isAllToday && hasSameTarget)
    return `Today and this week ${format(week.seconds)} ${targetText(week.target)}.`
  const todayText = `${format(today.seconds)} ${targetText(today.target)}`
  const weekWorked = isAllToday ? 'the same' : format(week.seconds)
  const weekTarget = hasSameTarget && week.target > 0 ? 'of the same' : targetText(week.target)
  return `Today ${todayText}; this week ${weekWorked} ${weekTarget}${balanceText({ today, week }, format)}.`
}

/** Returns the progress in displayed durations, in seconds. */
function displayedProgress({ today, week }: TargetProgress, durations: DurationDisplay): TargetProgress {
  const rounded = (seconds: number) => durations.rounded(seconds)
  return {
    today: { seconds: rounded(today.seconds), target: rounded(today.target) },
    week: { seconds: rounded(week.seconds), target: rounded(week.target), due: rounded(week.due) },
  }
}

/** Returns the balance of the week by the end of today; empty where the figures of today show it. */
function balanceText({ today, week }: TargetProgress, format: (seconds: number) => string): string {
  if (week.target === 0) return ''
  if (week.due === 0) return ', and nothing is due yet'
  if (week.due === today.target && week.seconds === today.seconds) return ''
  const ahead = week.seconds - week.due
  if (ahead === 0) return ', as much as due by the end of today'
  if (ahead > 0) return `, ${format(ahead)} more than due by the end of today`
  if (ahead === today.seconds - today.target) return ', with nothing due from earlier days'
  const due = -ahead === week.target ? 'all of it' : `${format(-ahead)} still`
  return `, ${due} due by the end of today`
}
