import { shortWeekdayName } from '../../lib/calendar/calendar-names.js'
import { addDays, type Day, parts, quarterOf, type Weekday, weekday } from '../../lib/calendar/day.js'
import type { Period } from '../../lib/calendar/period.js'
import { pad } from '../../lib/calendar/wall-time.js'
import { isoWeek, startOfWeek } from '../../lib/calendar/week.js'
import type { BarUnit } from './chart-model.js'

/** The first day of the week, month or whatever it is that holds the day. */
export function startOf(day: Day, unit: BarUnit, weekStart: Weekday): Day {
  const { year, month } = parts(day)
  switch (unit) {
    case 'day':
      return day
    case 'week':
      return startOfWeek(day, weekStart)
    case 'month':
      return firstOf(year, month)
    case 'quarter':
      return firstOf(year, month - ((month - 1) % 3))
    case 'year':
      return firstOf(year, 1)
    case 'decade':
      return firstOf(year - (year % 10), 1)
  }
}

const monthsOf = { month: 1, quarter: 3, year: 12, decade: 120 }

/** The period cut into days, weeks, months and so on; the first and the last one may be cut short. */
export function spansOf(period: Period, unit: BarUnit, weekStart: Weekday): Period[] {
  const spans: Period[] = []
  for (let first = period.first; ; ) {
    const last = lastOf(startOf(first, unit, weekStart), unit)
    if (last >= period.last) return [...spans, { first, last: period.last }]
    spans.push({ first, last })
    first = addDays(last, 1)
  }
}

function lastOf(start: Day, unit: BarUnit): Day {
  if (unit === 'day') return start
  if (unit === 'week') return addDays(start, 6)
  const { year, month } = parts(start)
  return new Date(Date.UTC(year, month - 1 + monthsOf[unit], 0)).toISOString().slice(0, 10)
}

function firstOf(year: number, month: number): Day {
  return `${String(year).padStart(4, '0')}-${pad(month)}-01`
}

/** The days as people read them; a week by its ISO 8601 number where it starts on Monday, else by its first day. */
export function nameOfSpan({ first }: Period, unit: BarUnit, weekStart: Weekday): string {
  const { year } = parts(first)
  switch (unit) {
    case 'day':
      return `${first} ${shortWeekdayName(weekday(first))}`
    case 'week':
      return weekStart === 1 ? isoWeek(first) : `week of ${startOfWeek(first, weekStart)}`
    case 'month':
      return first.slice(0, 7)
    case 'quarter':
      return `${first.slice(0, 4)}-Q${quarterOf(first)}`
    case 'year':
      return first.slice(0, 4)
    case 'decade':
      return `${year - (year % 10)} to ${year - (year % 10) + 9}`
  }
}
