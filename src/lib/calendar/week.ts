import { getISOWeek } from 'date-fns/getISOWeek'
import { getISOWeekYear } from 'date-fns/getISOWeekYear'
import { addDays, type Day, startOfDay, type Weekday, weekday } from './day.js'
import { pad } from './wall-time.js'

/** Returns the position of a day in its week, from 0 for `weekStart` to 6. */
export function dayInWeek(day: Day, weekStart: Weekday): number {
  return (weekday(day) - weekStart + 7) % 7
}

/** Returns the first day of the week of a day. Throws TtError `usage` before the year 1000. */
export function startOfWeek(day: Day, weekStart: Weekday): Day {
  return addDays(day, -dayInWeek(day, weekStart))
}

/** Returns the Monday of an ISO 8601 week, or undefined if the year has no week of that number. */
export function mondayOfIsoWeek(year: number, week: number): Day | undefined {
  const inWeekOne: Day = `${year}-01-04`
  const monday = addDays(inWeekOne, 7 * (week - 1) - dayInWeek(inWeekOne, 1))
  return addDays(monday, 3).startsWith(String(year)) ? monday : undefined
}

/** Returns the ISO 8601 week of a day, such as `2024-W18`: weeks begin on Monday and belong to the year of their Thursday. */
export function isoWeek(day: Day): string {
  const date = startOfDay(day)
  return `${getISOWeekYear(date)}-W${pad(getISOWeek(date))}`
}
