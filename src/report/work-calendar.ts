import { type Day, eachDay, isSkippedDay, type Weekday, weekday } from '../lib/calendar/day.js'
import type { Period } from '../lib/calendar/period.js'
import type { Report } from './report-model.js'

/** The working days, and the targets of days. */
export interface WorkCalendar {
  isWorkingDay(day: Day): boolean
  /** Returns the target of a day in seconds: 0 on a holiday and on a day that the zone skipped; undefined if no target is set at all. */
  targetOf(day: Day): number | undefined
  /** Targets count from this day on; undefined if they count on all days. */
  targetSince?: Day | undefined
}

export interface WorkSettings {
  workingDays: readonly Weekday[]
  /** The target of each weekday in seconds, from Sunday; undefined if no target is set. */
  targets: readonly number[] | undefined
  holidays: { has(day: Day): boolean }
  targetSince?: Day | undefined
}

/**
 * Creates a work calendar. A target applies on its weekday even if that is not a working day, but never on a holiday or on
 * a day that the zone skipped.
 */
export function workCalendar({ workingDays, targets, holidays, targetSince }: WorkSettings): WorkCalendar {
  const isOff = (day: Day) => holidays.has(day) || isSkippedDay(day)
  const calendar: WorkCalendar = {
    isWorkingDay: (day) => workingDays.includes(weekday(day)) && !isOff(day),
    targetOf(day) {
      if (!targets) return undefined
      const seconds = targets[weekday(day)] ?? 0
      return seconds > 0 && isOff(day) ? 0 : seconds
    },
  }
  return targetSince === undefined ? calendar : withTargetsSince(calendar, targetSince)
}

/** Returns a calendar without targets on the days before `since`. */
export function withTargetsSince(calendar: WorkCalendar, since: Day): WorkCalendar {
  return {
    isWorkingDay: calendar.isWorkingDay,
    targetOf(day) {
      const seconds = calendar.targetOf(day)
      return seconds !== undefined && day < since ? 0 : seconds
    },
    targetSince: since,
  }
}

/** Returns the number of working days from `first` to `last`, both included. */
function workingDaysBetween(calendar: WorkCalendar, first: Day, last: Day): number {
  let count = 0
  for (const day of eachDay(first, last)) if (calendar.isWorkingDay(day)) count++
  return count
}

/** Returns the sum of the targets from `first` to `last`, both included, in seconds; undefined if no target is set. */
export function targetBetween(calendar: WorkCalendar, first: Day, last: Day): number | undefined {
  if (calendar.targetOf(last) === undefined) return undefined
  let seconds = 0
  for (const day of eachDay(first, last)) seconds += calendar.targetOf(day) ?? 0
  return seconds
}

/**
 * Returns the working days, the average and the target of a report on `seconds` of tracked time within the span of
 * days. Days after `today` do not count. Today counts as a full day, at any time of day. The average is rounded to
 * whole seconds.
 */
export function workTotals(
  calendar: WorkCalendar,
  { first, last }: Period,
  today: Day,
  seconds: number,
): Pick<Report, 'workingDays' | 'averageSeconds' | 'targetSeconds' | 'targetSince'> {
  const end = last < today ? last : today
  const workingDays = workingDaysBetween(calendar, first, end)
  const targetSeconds = targetBetween(calendar, first, end) ?? null
  const { targetSince } = calendar
  const isWithin = targetSeconds !== null && targetSince !== undefined && targetSince > first
  return {
    workingDays,
    averageSeconds: workingDays === 0 ? null : Math.round(seconds / workingDays),
    targetSeconds,
    targetSince: isWithin ? targetSince : null,
  }
}
