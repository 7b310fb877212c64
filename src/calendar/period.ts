import { indexOfName, monthNames } from './calendar-names.js'
import { addDays, type Day, dayOf, daysInMonth, parts, quarterOf, type Weekday } from './day.js'
import { invalidFormatError, normalizeText, parseDay } from './parse-words.js'
import { pad } from './wall-time.js'
import { mondayOfIsoWeek, startOfWeek } from './week.js'

/** Days of the user's calendar, both ends included. `Partial<Period>` is unlimited without a bound. */
export interface Period {
  first: Day
  last: Day
}

/**
 * Parses a date as users write it, and returns the days it names.
 *
 * One day: `2024-05-01`, `today`, `yesterday`, `tomorrow`, a weekday or its first three letters (the most recent
 * one, including today), `last monday` (before today), `-7d`, `-2w`, `7 days ago`, `2w ago`.
 *
 * Several days: `week`, `month`, `quarter`, `year`, also after `this` or `last` with a space or hyphen; a month (`may`),
 * quarter (`q2`) or ISO 8601 week (`w18`, from Monday), which means the most recent one that has begun; the same with a
 * year (`may 2023`, `2023-05`, `q2 2023`, `2023-Q2`, `w18 2023`, `2023-W18`); a year (`2024`). `weekStart` is the first
 * day of the user's weeks.
 *
 * Throws TtError `usage` if any part of the text cannot be parsed.
 */
export function parseDate(text: string, now: Date, weekStart: Weekday = 1): Period {
  const plain = normalizeText(text)
  if (plain === '') throw invalidFormatError('date', text, 'it is empty')
  const today = dayOf(now)
  const day = parseDay(plain, today) ?? readDaysAgo(plain, text, today)
  if (day !== undefined) return { first: day, last: day }
  const span =
    readUnit(plain, today, weekStart) ??
    readMonthName(plain, today) ??
    readNumbered(plain, text, today) ??
    readNumbers(plain, text)
  if (span === undefined) throw invalidFormatError('date', text)
  return span
}

const daysInCentury = 36_525
const daysAgoPattern = /^(?:-(\d+) ?(d|w)|(\d+) ?(d|days?|w|weeks?) ago)$/

function readDaysAgo(plain: string, text: string, today: Day): Day | undefined {
  const match = daysAgoPattern.exec(plain)
  if (!match) return undefined
  const [, count = match[3], unit = match[4] ?? ''] = match
  const days = Number(count) * (unit.startsWith('w') ? 7 : 1)
  if (days > daysInCentury) throw invalidFormatError('date', text, 'it is more than a century ago')
  return addDays(today, -days)
}

function readUnit(plain: string, today: Day, weekStart: Weekday): Period | undefined {
  const [, thisOrLast, unit] = /^(?:(this|last)[ -])?(week|month|quarter|year)$/.exec(plain) ?? []
  const back = thisOrLast === 'last' ? 1 : 0
  const { year, month } = parts(today)
  if (unit === 'week') return weekFrom(addDays(startOfWeek(today, weekStart), -7 * back))
  if (unit === 'month') return month > back ? monthOf(year, month - back) : monthOf(year - 1, 12)
  if (unit === 'quarter') return quarterBefore(year, quarterOf(today), back)
  if (unit === 'year') return yearOf(year - back)
  return undefined
}

function readMonthName(plain: string, today: Day): Period | undefined {
  const [, name = '', year] = /^([a-z]+)(?: ([1-9]\d{3}))?$/.exec(plain) ?? []
  const index = indexOfName(name, monthNames)
  if (index === undefined) return undefined
  const current = parts(today)
  const recentYear = index + 1 <= current.month ? current.year : current.year - 1
  return monthOf(year === undefined ? recentYear : Number(year), index + 1)
}

/** Parses a quarter or an ISO week: its number, with or without a year. */
function readNumbered(plain: string, text: string, today: Day): Period | undefined {
  const match =
    /^(?<letter>[qw])(?<number>\d{1,2})(?: (?<year>[1-9]\d{3}))?$/.exec(plain) ??
    /^(?<year>[1-9]\d{3})-(?<letter>q|w(?=\d\d$))(?<number>\d{1,2})$/.exec(plain)
  if (!match?.groups) return undefined
  const { letter, number, year } = match.groups
  const [name, highest, spanOf] =
    letter === 'q' ? (['quarter', 4, quarterInYear] as const) : (['week', 53, isoWeekSpan] as const)
  const requested = Number(number)
  if (year !== undefined) {
    const span = spanOf(Number(year), requested)
    if (span === undefined) throw invalidFormatError('date', text, `${year} has no ${name} ${number}`)
    return span
  }
  if (requested < 1 || requested > highest)
    throw invalidFormatError('date', text, `there is no ${name} ${number}`)
  // Starts with next year, whose first ISO week may have begun. The last week 53 may be several years ago.
  for (let candidate = parts(today).year + 1; ; candidate--) {
    const span = spanOf(candidate, requested)
    if (span !== undefined && span.first <= today) return span
  }
}

/** Parses a year, or a year and a month. */
function readNumbers(plain: string, text: string): Period | undefined {
  if (/^\d{4}-\d\d-\d\d$/.test(plain)) throw invalidFormatError('date', text, `there is no day ${plain}`)
  const match = /^([1-9]\d{3})(?:-(\d\d))?$/.exec(plain)
  if (!match) return undefined
  const [, year, month] = match
  if (month === undefined) return yearOf(Number(year))
  if (month < '01' || month > '12') throw invalidFormatError('date', text, `there is no month ${month}`)
  return monthOf(Number(year), Number(month))
}

/** Returns the days of an ISO 8601 week; undefined if the year has no week of that number. */
function isoWeekSpan(year: number, week: number): Period | undefined {
  const monday = mondayOfIsoWeek(year, week)
  return monday === undefined ? undefined : weekFrom(monday)
}

/** Returns the days of a quarter, 1 to 4; undefined for other numbers. */
function quarterInYear(year: number, quarter: number): Period | undefined {
  return quarter >= 1 && quarter <= 4 ? quarterBefore(year, quarter, 0) : undefined
}

/** Returns the days of the quarter that is `back` quarters before another. */
function quarterBefore(year: number, quarter: number, back: number): Period {
  const index = year * 4 + quarter - 1 - back
  const [ofYear, firstMonth] = [Math.floor(index / 4), (index % 4) * 3 + 1]
  return { first: monthOf(ofYear, firstMonth).first, last: monthOf(ofYear, firstMonth + 2).last }
}

function weekFrom(first: Day): Period {
  return { first, last: addDays(first, 6) }
}

function monthOf(year: number, month: number): Period {
  const yearAndMonth = `${year}-${pad(month)}`
  return { first: `${yearAndMonth}-01`, last: `${yearAndMonth}-${daysInMonth(year, month)}` }
}

function yearOf(year: number): Period {
  return { first: `${year}-01-01`, last: `${year}-12-31` }
}
