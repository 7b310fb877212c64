import { addDays, type Day, type Weekday, weekday } from './day.js'

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
