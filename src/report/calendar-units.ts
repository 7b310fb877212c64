import { addDays, countDays, type Day, parts, type Weekday } from '../lib/calendar/day.js'
import { pad } from '../lib/calendar/wall-time.js'
import { dayInWeek, startOfWeek } from '../lib/calendar/week.js'
import type { CalendarDimension, Dimension } from '../records/report-names.js'
import { isOfCalendar } from './keys.js'

/** A unit of the calendar by which a report is grouped. */
export type CalendarUnit = Exclude<CalendarDimension, 'weekday'>

const epoch: Day = '1970-01-01'
const monthsIn = { month: 1, quarter: 3, year: 12 } as const

export function isCalendarUnit(by: Dimension): by is CalendarUnit {
  return isOfCalendar(by) && by !== 'weekday'
}

/** Returns the first day of the unit with this key (see `Group`). */
export function firstDayOf(unit: CalendarUnit, key: string): Day {
  if (unit === 'quarter') return `${key.slice(0, 4)}-${pad(3 * Number(key.slice(-1)) - 2)}-01`
  return unit === 'month' ? `${key}-01` : unit === 'year' ? `${key}-01-01` : key
}

/** Returns how many units the unit of `day` is after that of `since`: 1 for the next month. */
export function unitsBetween(unit: CalendarUnit, since: Day, day: Day, weekStart: Weekday): number {
  return ordinalOf(unit, day, weekStart) - ordinalOf(unit, since, weekStart)
}

/** Returns the first day of the unit that is `count` units after that of `since`. */
export function addUnits(unit: CalendarUnit, since: Day, count: number, weekStart: Weekday): Day {
  if (unit === 'day') return addDays(since, count)
  if (unit === 'week') return addDays(startOfWeek(since, weekStart), 7 * count)
  const months = (ordinalOf(unit, since, weekStart) + count) * monthsIn[unit]
  return `${Math.floor(months / 12)}-${pad((months % 12) + 1)}-01`
}

/** Returns the number of the unit of a day since a fixed date. */
function ordinalOf(unit: CalendarUnit, day: Day, weekStart: Weekday): number {
  if (unit === 'day') return countDays(epoch, day)
  if (unit === 'week') return Math.floor((countDays(epoch, day) - dayInWeek(day, weekStart)) / 7)
  const { year, month } = parts(day)
  return Math.floor((year * 12 + month - 1) / monthsIn[unit])
}
