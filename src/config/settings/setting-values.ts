import { type Day, eachDay, isDay, type Weekday } from '../../calendar/day.js'
import { parseDuration } from '../../calendar/duration.js'
import { indexOfName, weekdayNames } from '../../calendar/names.js'
import { simplify } from '../../calendar/parse-words.js'
import { TtError } from '../../lib/errors.js'
import { branchPattern } from '../branch-notes.js'

/** How the values of settings are read. Each throws TtError `usage` with a sentence that says what is wrong. */

/** A weekday, or its first three letters. */
export function readWeekday(text: string): Weekday {
  const index = indexOfName(simplify(text), weekdayNames)
  if (index === undefined) throw invalidValueError(text, 'is not a weekday')
  return index as Weekday
}

/** Weekdays between commas, each once, in the order of the week from Sunday. */
export function readWeekdays(text: string): Weekday[] {
  const days = splitList(text).map(readWeekday)
  return [...new Set(days)].sort((a, b) => a - b)
}

/** Times of day between commas, `9:00-12:00,13:00-17:00`, in minutes since midnight; `none` is none at all. */
export function readHours(text: string): { from: number; to: number }[] {
  if (simplify(text) === 'none') return []
  const hours = splitList(text).map(readSpan)
  for (const [index, { from }] of hours.entries()) {
    const before = hours[index - 1]
    if (before && from <= before.to)
      throw invalidValueError(text, 'is not in order, with a break between all of its parts')
  }
  return hours
}

function readSpan(text: string): { from: number; to: number } {
  const [, from, to] = /^([\d:]+)\s*[-–]\s*([\d:]+)$/.exec(text) ?? []
  const span = { from: readClock(from), to: readClock(to) }
  if (span.from === undefined || span.to === undefined)
    throw invalidValueError(text, 'is not a span of times of day')
  if (span.from >= span.to) throw invalidValueError(text, 'ends before it begins')
  return { from: span.from, to: span.to }
}

/** Minutes since midnight; 24:00 is the end of the day. */
function readClock(text = ''): number | undefined {
  const [, hour, minute = '0'] = /^(\d{1,2})(?::([0-5]\d))?$/.exec(text) ?? []
  if (hour === undefined) return undefined
  const minutes = Number(hour) * 60 + Number(minute)
  return minutes <= 24 * 60 ? minutes : undefined
}

/** A duration of at least `least` seconds. */
export function readAtLeast(text: string, least: number, words: string): number {
  const seconds = parseDuration(text)
  if (seconds < least) throw invalidValueError(text, `is less than ${words}`)
  return seconds
}

/** What is to be worked, in seconds, at most `most`; `none` is none at all. */
export function readTarget(text: string, most: number, words: string): number {
  if (/^(none|0h?)$/.test(simplify(text))) return 0
  const seconds = parseDuration(text)
  if (seconds > most) throw invalidValueError(text, `is more than ${words} has`)
  return seconds
}

const longestSpanDays = 366

/** Days, and spans of them, between commas: `2024-05-01,2024-12-24..2025-01-01`. */
export function readDays(text: string): Day[] {
  return splitList(text).flatMap((part) => {
    const at = part.indexOf('..')
    const first = (at < 0 ? part : part.slice(0, at)).trim()
    const last = at < 0 ? first : part.slice(at + 2).trim()
    if (!isDay(first) || !isDay(last))
      throw invalidValueError(part, 'is not a day (YYYY-MM-DD), nor two of them with .. between')
    if (last < first) throw invalidValueError(part, 'ends before it begins')
    const days: Day[] = []
    for (const day of eachDay(first, last)) {
      if (days.push(day) > longestSpanDays) throw invalidValueError(part, 'is longer than a year')
    }
    return days
  })
}

/** A code of ISO 4217. */
export function readCurrency(text: string): string {
  const code = text.trim().toUpperCase()
  if (!/^[A-Z]{3}$/.test(code)) throw invalidValueError(text, 'is not the code of a currency (ISO 4217)')
  return code
}

/** An hourly rate, with a currency or without: "95", "95.50 EUR". */
export function readRate(text: string): string {
  const [, amount, currency] = /^(\d{1,12}(?:\.\d{1,6})?)(?:\s+(\S+))?$/.exec(text.trim()) ?? []
  if (amount === undefined) throw invalidValueError(text, 'is not an hourly rate')
  return currency === undefined ? amount : `${amount} ${readCurrency(currency)}`
}

/** A path from the root, or from `~`. */
export function readPath(text: string): string {
  if (!/^(~?[\\/]|[A-Za-z]:[\\/])/.test(text)) throw invalidValueError(text, 'is not a whole path')
  return text
}

/** A regular expression that says what of the name of a branch are notes. */
export function readBranchPattern(text: string): RegExp {
  const pattern = branchPattern(text)
  if (!pattern)
    throw invalidValueError(text, 'is no regular expression with one group, or one that is named notes')
  return pattern
}

/** Patterns of client/project/task between commas, each perhaps after `!`. */
export function readPatterns(text: string): string[] {
  const patterns = splitList(text)
  for (const pattern of patterns) checkPattern(pattern.replace(/^!\s*/, ''))
  return patterns
}

/** Throws for what is no pattern of client/project/task. */
export function checkPattern(text: string) {
  const names = text.split('/').map((name) => name.trim())
  if (names.length > 3 || names.includes(''))
    throw invalidValueError(text, 'is no pattern of client/project/task')
}

function splitList(text: string): string[] {
  const parts = text.split(',').map((part) => part.trim())
  if (parts.includes(''))
    throw invalidValueError(text, text.trim() === '' ? 'is empty' : 'has nothing between two commas')
  return parts
}

/** The error for a value that cannot be. */
export function invalidValueError(text: string, problem: string): TtError {
  return new TtError('usage', `${JSON.stringify(text)} ${problem}.`)
}
