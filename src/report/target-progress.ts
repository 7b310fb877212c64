import { dayOf, endOfDay, startOfDay, type Weekday } from '../calendar/day.js'
import { formatDuration } from '../calendar/duration.js'
import { type Interval, overlap, splitAtMidnight } from '../calendar/interval.js'
import { parseDate } from '../calendar/period.js'
import { targetBetween, type WorkCalendar } from './work-calendar.js'

/** What was worked and what was to be worked, today and this week; all in whole seconds. */
export interface TargetProgress {
  today: { seconds: number; target: number }
  /** `due` is the target up to and with today, the whole of today. */
  week: { seconds: number; target: number; due: number }
}

/** The progress at `now` with what was tracked; undefined where no target is set. What lies after today is left out. */
export function targetProgress(
  tracked: Iterable<Interval>,
  calendar: WorkCalendar,
  { now, weekStart }: { now: Date; weekStart: Weekday },
): TargetProgress | undefined {
  const today = dayOf(now)
  const { first, last } = parseDate('week', now, weekStart)
  const target = targetBetween(calendar, first, last)
  if (target === undefined) return undefined
  const sofar = { start: startOfDay(first), end: endOfDay(today) }
  let [weekMs, todayMs] = [0, 0]
  for (const interval of tracked) {
    const part = overlap(interval, sofar)
    if (!part) continue
    for (const { day, start, end } of splitAtMidnight(part)) {
      const lengthMs = end.getTime() - start.getTime()
      weekMs += lengthMs
      if (day === today) todayMs += lengthMs
    }
  }
  return {
    today: { seconds: Math.floor(todayMs / 1000), target: calendar.targetOf(today) ?? 0 },
    week: { seconds: Math.floor(weekMs / 1000), target, due: targetBetween(calendar, first, today) ?? 0 },
  }
}

/**
 * One sentence: `Today 3h 10m of 8h 00m; this week 20h 10m of 40h 00m, 3h 50m short of the 24h 00m due by the end of
 * today.`
 */
export function formatTargetProgress({ today, week }: TargetProgress): string {
  return `Today ${workedText(today)}; this week ${workedText(week)}${balanceText(week)}.`
}

function workedText({ seconds, target }: { seconds: number; target: number }): string {
  return `${formatDuration(seconds)} ${target > 0 ? `of ${formatDuration(target)}` : 'without a target'}`
}

/** Counted in the minutes that are shown, so that the figures of the sentence add up. */
function balanceText({ seconds, target, due }: TargetProgress['week']): string {
  if (target === 0) return ''
  if (due === 0) return ', and nothing is due yet'
  const ahead = (Math.floor(seconds / 60) - Math.floor(due / 60)) * 60
  const what = `the ${formatDuration(due)} due by the end of today`
  if (ahead === 0) return `, just ${what}`
  return `, ${formatDuration(Math.abs(ahead))} ${ahead < 0 ? 'short of' : 'more than'} ${what}`
}
