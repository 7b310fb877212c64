import { TtError } from '../errors.js'
import { indexOfName, monthNames, weekdayNames } from './calendar-names.js'
import {
  addDays,
  type Day,
  dayOf,
  daysInMonth,
  mondayOfIsoWeek,
  parts,
  quarterOf,
  startOfWeek,
  type Weekday,
} from './day.js'
import { invalidFormatError, normalizeText, parseDay } from './parse-words.js'
import { pad } from './zoned-time.js'

/** Days of the user's calendar, both ends included. `Partial<Period>` is unlimited without a bound. */
export interface Period {
  first: Day
  last: Day
}

/**
 * Parses a period as users write it: a date of `parseDate`, two of them as `DATE..DATE`, or `all`. Either date may be
 * missing: `may..` has no last day. A weekday, month, quarter or week without a year after `..` is the first one that ends
 * after the first date, so that `monday..wednesday` is right on every day. Both ends are undefined for `all`.
 *
 * Throws TtError `usage` if any part of the text cannot be parsed, and for a first day after the last.
 */
export function parsePeriod(text: string, now: Date, weekStart: Weekday = 1): Partial<Period> {
  const words = wordsOf('period', text, now, weekStart)
  if (words.plain === 'all') return {}
  const [from = '', to, ...more] = words.plain.split('..').map((part) => part.trim())
  if (to === undefined) return readDate(words)
  if (more.length > 0 || `${from}${to}` === '') throw words.invalid()
  const begin = from === '' ? undefined : readDate({ ...words, plain: from })
  const end = to === '' ? undefined : readDate({ ...words, plain: to })
  if (begin && end && begin.first > end.last) {
    const next = readNamedAfter({ ...words, plain: to }, begin.first)
    if (next === undefined || begin.first > next.last) {
      const order = `${begin.first} is after ${end.last}`
      throw new TtError('usage', `${JSON.stringify(text)} is not a period: ${order}.`, {
        hint: 'Give the earlier date first.',
      })
    }
    return { first: begin.first, last: next.last }
  }
  return { ...(begin ? { first: begin.first } : {}), ...(end ? { last: end.last } : {}) }
}

/**
 * Parses a date as users write it, and returns the days it names. Words may be joined with hyphens: `last-week`.
 *
 * One day: `2024-05-01`, `1.5.2024`, `today`, `yesterday`, `tomorrow`, a weekday or its first three letters (the most
 * recent one, including today), `last monday` (before today), `-7d`, `-2w`, `7 days ago`, `2w ago`.
 *
 * Several days: `7d`, `2 weeks` or `last 7 days` (until today); `week`, `month`, `quarter`, `year`, also after `this`,
 * `last` or `next`; a month (`may`), quarter (`q2`) or ISO 8601 week (`w18`, from Monday), which means the most recent one that has
 * begun; the same with a year (`may 2023`, `2023-05`, `q2 2023`, `2023-Q2`, `w18 2023`, `2023-W18`); a year (`2024`).
 * `weekStart` is the first day of the user's weeks.
 *
 * Throws TtError `usage` if any part of the text cannot be parsed.
 */
export function parseDate(text: string, now: Date, weekStart: Weekday = 1): Period {
  return readDate(wordsOf('date', text, now, weekStart))
}

/** Typed words in lower case, separated by single spaces, and what their meaning depends on. */
interface Words {
  plain: string
  today: Day
  weekStart: Weekday
  invalid(reason?: string): TtError
}

/** Matches hyphens between words, not those of `2024-05-01`, `2024-Q2`, `2024-W18` and `-7d`. */
const hyphens = /(?<=[a-z])-(?=[a-z\d])|(?<=\d)-(?=[a-z]{2})|(?<=[qw]\d{1,2})-(?=\d{4})/g

function wordsOf(kind: 'date' | 'period', text: string, now: Date, weekStart: Weekday): Words {
  const invalid = (reason?: string) => invalidFormatError(kind, text, reason)
  const plain = normalizeText(text).replace(hyphens, ' ')
  if (plain === '') throw invalid('it is empty')
  return { plain, today: dayOf(now), weekStart, invalid }
}

function readDate(words: Words): Period {
  const day = parseDay(words.plain, words.today) ?? readDaysAgo(words)
  if (day !== undefined) return { first: day, last: day }
  const span = readDayCount(words) ?? readUnit(words) ?? readName(words) ?? readNumbers(words)
  if (span === undefined) throw words.invalid()
  return span
}

/** Parses a weekday, month, quarter or week, and returns the first one that ends on or after a day. */
function readNamedAfter(words: Words, first: Day): Period | undefined {
  const day = indexOfName(words.plain, weekdayNames) === undefined ? undefined : addDays(first, 6)
  if (day === undefined) return readName({ ...words, today: addDays(first, 364) })
  const last = parseDay(words.plain, day)
  return last === undefined ? undefined : { first: last, last }
}

const daysInCentury = 36_525

/** Returns the days of a number of days or weeks. Throws TtError `usage` above a century. */
function countOfDays(count: string, unit: string, { invalid }: Words): number {
  const days = Number(count) * (unit.startsWith('w') ? 7 : 1)
  if (days > daysInCentury) throw invalid('it is more than a century ago')
  return days
}

function readDaysAgo(words: Words): Day | undefined {
  const match = /^(?:-(\d+) ?(d|w)|(\d+) ?(d|days?|w|weeks?) ago)$/.exec(words.plain)
  if (!match) return undefined
  const [, count = match[3] ?? '', unit = match[4] ?? ''] = match
  return addDays(words.today, -countOfDays(count, unit, words))
}

/** Parses `7d` or `last 2 weeks`: that many days until today. */
function readDayCount(words: Words): Period | undefined {
  const [, count, unit = ''] = /^(?:last )?(\d+) ?(d|days?|w|weeks?)$/.exec(words.plain) ?? []
  if (count === undefined) return undefined
  const days = countOfDays(count, unit, words)
  if (days === 0) throw words.invalid('it has no days')
  return { first: addDays(words.today, 1 - days), last: words.today }
}

function readUnit({ plain, today, weekStart }: Words): Period | undefined {
  const [, which = 'this', unit] = /^(?:(this|last|next) )?(week|month|quarter|year)$/.exec(plain) ?? []
  const back = { last: 1, this: 0, next: -1 }[which] ?? 0
  const { year, month } = parts(today)
  if (unit === 'week') return weekFrom(addDays(startOfWeek(today, weekStart), -7 * back))
  if (unit === 'month') return monthBefore(year, month, back)
  if (unit === 'quarter') return quarterBefore(year, quarterOf(today), back)
  if (unit === 'year') return yearOf(year - back)
  return undefined
}

/** Parses a month, a quarter or an ISO week; without a year, it is the most recent one that has begun. */
function readName(words: Words): Period | undefined {
  return readMonthName(words) ?? readNumbered(words)
}

function readMonthName({ plain, today }: Words): Period | undefined {
  const [, name = '', year] = /^([a-z]+)(?: ([1-9]\d{3}))?$/.exec(plain) ?? []
  const index = indexOfName(name, monthNames)
  if (index === undefined) return undefined
  const current = parts(today)
  const recentYear = index + 1 <= current.month ? current.year : current.year - 1
  return monthOf(year === undefined ? recentYear : Number(year), index + 1)
}

/** Parses a quarter or an ISO week: its number, with or without a year. */
function readNumbered({ plain, today, invalid }: Words): Period | undefined {
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
    if (span === undefined) throw invalid(`${year} has no ${name} ${number}`)
    return span
  }
  if (requested < 1 || requested > highest) throw invalid(`there is no ${name} ${number}`)
  // Starts with next year, whose first ISO week may have begun. The last week 53 may be several years ago.
  for (let candidate = parts(today).year + 1; ; candidate--) {
    const span = spanOf(candidate, requested)
    if (span !== undefined && span.first <= today) return span
  }
}

/** Parses a year, or a year and a month. */
function readNumbers({ plain, invalid }: Words): Period | undefined {
  if (/^\d{4}-\d\d-\d\d$/.test(plain)) throw invalid(`there is no day ${plain}`)
  const match = /^([1-9]\d{3})(?:-(\d\d))?$/.exec(plain)
  if (!match) return undefined
  const [, year, month] = match
  if (month === undefined) return yearOf(Number(year))
  if (month < '01' || month > '12') throw invalid(`there is no month ${month}`)
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

/** Returns the days of the month that is `back` months before another. */
function monthBefore(year: number, month: number, back: number): Period {
  const index = year * 12 + month - 1 - back
  return monthOf(Math.floor(index / 12), (index % 12) + 1)
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
