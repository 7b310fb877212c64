import { type Day, eachDay, type Weekday, weekday } from '../calendar/day.js'
import type { DaySpan } from '../calendar/period.js'
import type { Report } from './model.js'

/** Which days are worked on, and how much. */
export interface WorkCalendar {
  isWorkingDay(day: Day): boolean
  /** Seconds to be worked on that day: none on a holiday; undefined where no target is set at all. */
  targetOf(day: Day): number | undefined
}

export interface WorkSettings {
  workingDays: readonly Weekday[]
  /** Seconds for each weekday, from Sunday; undefined where no target is set. */
  targets: readonly number[] | undefined
  holidays: { has(day: Day): boolean }
}

/** A target counts on its weekday, also where that is no working day; on a holiday there is neither. */
export function workCalendar({ workingDays, targets, holidays }: WorkSettings): WorkCalendar {
  return {
    isWorkingDay: (day) => workingDays.includes(weekday(day)) && !holidays.has(day),
    targetOf(day) {
      if (!targets) return undefined
      const seconds = targets[weekday(day)] ?? 0
      return seconds > 0 && holidays.has(day) ? 0 : seconds
    },
  }
}

/** Returns the number of working days from `first` to `last`, both included. */
function workingDaysBetween(calendar: WorkCalendar, first: Day, last: Day): number {
  let count = 0
  for (const day of eachDay(first, last)) if (calendar.isWorkingDay(day)) count++
  return count
}

/** Seconds to be worked from `first` to `last`, both included; undefined where no target is set. */
export function targetBetween(calendar: WorkCalendar, first: Day, last: Day): number | undefined {
  if (calendar.targetOf(last) === undefined) return undefined
  let seconds = 0
  for (const day of eachDay(first, last)) seconds += calendar.targetOf(day) ?? 0
  return seconds
}

/**
 * What a report says of work, for `seconds` tracked within the span of days. Days after `today` do not count; today
 * counts whole, with all of its target and as a whole working day, however early it is. The average is rounded to the
 * second.
 */
export function workTotals(
  calendar: WorkCalendar,
  { first, last }: DaySpan,
  today: Day,
  seconds: number,
): Pick<Report, 'workingDays' | 'averageSeconds' | 'targetSeconds'> {
  const end = last < today ? last : today
  const workingDays = workingDaysBetween(calendar, first, end)
  return {
    workingDays,
    averageSeconds: workingDays === 0 ? null : Math.round(seconds / workingDays),
    targetSeconds: targetBetween(calendar, first, end) ?? null,
  }
}
