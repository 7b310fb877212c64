import { addDays, type Day, dayOf, endOfDay, parts, startOfDay, type Weekday, weekday } from './day.js'
import { pad } from './wall.js'
import { indexOfName, readDay, simplify, unreadable } from './words.js'

/** Days of the user's calendar, both ends included. */
export interface DaySpan {
  first: Day
  last: Day
}

/** From `from` up to, but not including, `to`. */
export interface Period {
  from: Date
  to: Date
}

/** The instants of a span of days, in the user's zone. */
export function periodOf(span: DaySpan): Period {
  return { from: startOfDay(span.first), to: endOfDay(span.last) }
}

/**
 * Reads a date as the user writes it (design section 3, DATE) and answers the days that it names.
 *
 * One day: `2024-05-01`, `today`, `yesterday`, `tomorrow`, a weekday or its first three letters (the most recent
 * one, today included), `last monday` (before today), `-7d`, `-2w`, `7 days ago`, `2w ago`. Several: `week`,
 * `month`, `year`, the same after `this` or `last`, a month by name (the most recent that has begun) or with
 * its year (`may 2023`, `2023-05`), a year (`2024`), an ISO 8601 week (`2024-W18`, from Monday).
 * `weekStart` is the first day of the user's own weeks.
 *
 * Throws TtError `usage` for what cannot be read whole.
 */
export function parseDate(text: string, now: Date, weekStart: Weekday = 1): DaySpan {
  const plain = simplify(text)
  if (plain === '') throw unreadable('date', text, 'nothing was given')
  const today = dayOf(now)
  const day = readDay(plain, today) ?? readDaysAgo(plain, text, today)
  if (day !== undefined) return { first: day, last: day }
  const span = readUnit(plain, today, weekStart) ?? readMonthName(plain, today) ?? readNumbers(plain, text)
  if (span === undefined) throw unreadable('date', text)
  return span
}

const daysInCentury = 36_525
const daysAgo = /^(?:-(\d+) ?(d|w)|(\d+) ?(d|days?|w|weeks?) ago)$/

function readDaysAgo(plain: string, text: string, today: Day): Day | undefined {
  const match = daysAgo.exec(plain)
  if (!match) return undefined
  const [, count = match[3], unit = match[4] ?? ''] = match
  const days = Number(count) * (unit.startsWith('w') ? 7 : 1)
  if (days > daysInCentury) throw unreadable('date', text, 'it is more than a century ago')
  return addDays(today, -days)
}

function readUnit(plain: string, today: Day, weekStart: Weekday): DaySpan | undefined {
  const [, which, unit] = /^(?:(this|last) )?(week|month|year)$/.exec(plain) ?? []
  const back = which === 'last' ? 1 : 0
  const { year, month } = parts(today)
  if (unit === 'week') return weekFrom(addDays(today, -((weekday(today) - weekStart + 7) % 7) - 7 * back))
  if (unit === 'month') return month > back ? monthOf(year, month - back) : monthOf(year - 1, 12)
  if (unit === 'year') return yearOf(year - back)
  return undefined
}

const monthNames = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
]

function readMonthName(plain: string, today: Day): DaySpan | undefined {
  const [, name = '', year] = /^([a-z]+)(?: ([1-9]\d{3}))?$/.exec(plain) ?? []
  const index = indexOfName(name, monthNames)
  if (index === undefined) return undefined
  const current = parts(today)
  const recentYear = index + 1 <= current.month ? current.year : current.year - 1
  return monthOf(year === undefined ? recentYear : Number(year), index + 1)
}

/** A year, and the month or the ISO week of one. */
function readNumbers(plain: string, text: string): DaySpan | undefined {
  if (/^\d{4}-\d\d-\d\d$/.test(plain)) throw unreadable('date', text, `there is no day ${plain}`)
  const match = /^([1-9]\d{3})(?:-(\d\d)|-w(\d\d))?$/.exec(plain)
  if (!match) return undefined
  const [, year, month, week] = match
  if (month !== undefined) {
    if (month < '01' || month > '12') throw unreadable('date', text, `there is no month ${month}`)
    return monthOf(Number(year), Number(month))
  }
  if (week === undefined) return yearOf(Number(year))
  const monday = mondayOf(Number(year), Number(week))
  if (monday === undefined) throw unreadable('date', text, `${year} has no week ${week}`)
  return weekFrom(monday)
}

/** The Monday of an ISO 8601 week: week 1 holds 4 January, and a week belongs to the year of its Thursday. */
function mondayOf(year: number, week: number): Day | undefined {
  const fourth: Day = `${year}-01-04`
  const monday = addDays(fourth, 7 * (week - 1) - ((weekday(fourth) + 6) % 7))
  return parts(addDays(monday, 3)).year === year ? monday : undefined
}

function weekFrom(first: Day): DaySpan {
  return { first, last: addDays(first, 6) }
}

function monthOf(year: number, month: number): DaySpan {
  const lastDate = new Date(Date.UTC(year, month, 0)).getUTCDate()
  return { first: `${year}-${pad(month)}-01`, last: `${year}-${pad(month)}-${lastDate}` }
}

function yearOf(year: number): DaySpan {
  return { first: `${year}-01-01`, last: `${year}-12-31` }
}
