import { indexOfName, weekdayNames } from '../../lib/calendar/calendar-names.js'
import { type Day, eachDay, isDay, type Weekday } from '../../lib/calendar/day.js'
import { formatDuration, parseDuration } from '../../lib/calendar/duration.js'
import { type DurationFormat, durationFormats } from '../../lib/calendar/duration-display.js'
import { normalizeText } from '../../lib/calendar/parse-words.js'
import { parseRounding, type Rounding } from '../../lib/calendar/rounding.js'
import { isCurrency } from '../../lib/currencies.js'
import { TtError } from '../../lib/errors.js'
import { isPattern } from '../../lib/text/match-names.js'
import { readTypedAmount } from '../../lib/typed-amount.js'
import { branchPattern } from '../branch-notes.js'

/** Parsers of the values of settings. Each throws TtError `usage` for an invalid value. */

/** Parses a weekday or its first three letters. */
export function readWeekday(text: string): Weekday {
  const index = indexOfName(normalizeText(text), weekdayNames)
  if (index === undefined) throw invalidValueError(text, 'is not a weekday')
  return index as Weekday
}

/** Parses weekdays separated by commas. Returns each once, Sunday first. */
export function readWeekdays(text: string): Weekday[] {
  const days = splitList(text).map(readWeekday)
  return [...new Set(days)].sort((a, b) => a - b)
}

/** Parses ranges of times separated by commas, `9:00-12:00,13:00-17:00`, or `none`. Returns minutes since midnight. */
export function readHours(text: string): { from: number; to: number }[] {
  if (normalizeText(text) === 'none') return []
  const hours = splitList(text).map(readSpan)
  for (const [index, { from }] of hours.entries()) {
    const before = hours[index - 1]
    if (before && from <= before.to)
      throw invalidValueError(text, 'has ranges that are out of order or not separated by a break')
  }
  return hours
}

function readSpan(text: string): { from: number; to: number } {
  const [, from, to] = /^([\d:]+)\s*[-–]\s*([\d:]+)$/.exec(text) ?? []
  const span = { from: readClock(from), to: readClock(to) }
  if (span.from === undefined || span.to === undefined)
    throw invalidValueError(text, 'is not a range of times of day')
  if (span.from >= span.to) throw invalidValueError(text, 'ends before it begins')
  return { from: span.from, to: span.to }
}

/** Parses a time of day. Returns minutes since midnight; 24:00 is the end of the day. */
function readClock(text = ''): number | undefined {
  const [, hour, minute = '0'] = /^(\d{1,2})(?::([0-5]\d))?$/.exec(text) ?? []
  if (hour === undefined) return undefined
  const minutes = Number(hour) * 60 + Number(minute)
  return minutes <= 24 * 60 ? minutes : undefined
}

/** Parses a time of day. Returns minutes since midnight; undefined for `none`. */
export function readTimeOfDay(text: string): number | undefined {
  if (normalizeText(text) === 'none') return undefined
  const minutes = readClock(text.trim())
  if (minutes === undefined) throw invalidValueError(text, 'is not a time of day')
  return minutes
}

/** Parses a duration of at least `minSeconds`, which `minText` names: "an hour". Returns seconds. */
export function readAtLeast(text: string, minSeconds: number, minText: string): number {
  const seconds = parseDuration(text)
  if (seconds < minSeconds) throw invalidValueError(text, `is less than ${minText}`)
  return seconds
}

/** Parses a target of at most `maxSeconds`, the length of `unit`. Returns seconds; 0 for `none`. */
export function readTarget(text: string, maxSeconds: number, unit: string): number {
  if (/^(none|0h?)$/.test(normalizeText(text))) return 0
  const seconds = parseDuration(text)
  if (seconds > maxSeconds) throw invalidValueError(text, `is longer than ${unit}`)
  return seconds
}

/** Parses a day, YYYY-MM-DD. */
export function readDay(text: string): Day {
  const day = text.trim()
  if (!isDay(day)) throw invalidValueError(text, 'is not a day (YYYY-MM-DD)')
  return day
}

const longestSpanDays = 366

/** Parses days and ranges of days separated by commas: `2024-05-01,2024-12-24..2025-01-01`. */
export function readDays(text: string): Day[] {
  return splitList(text).flatMap((part) => {
    const at = part.indexOf('..')
    const first = (at < 0 ? part : part.slice(0, at)).trim()
    const last = at < 0 ? first : part.slice(at + 2).trim()
    if (!isDay(first) || !isDay(last))
      throw invalidValueError(part, 'is not a day (YYYY-MM-DD) or a range of days (YYYY-MM-DD..YYYY-MM-DD)')
    if (last < first) throw invalidValueError(part, 'ends before it begins')
    const days: Day[] = []
    for (const day of eachDay(first, last)) {
      if (days.push(day) > longestSpanDays) throw invalidValueError(part, 'is longer than a year')
    }
    return days
  })
}

/** Parses a format of durations: one of `durationFormats`. */
export function readDurationFormat(text: string): DurationFormat {
  const format = durationFormats.find((name) => name === text.trim())
  if (format === undefined)
    throw invalidValueError(text, `is not a format of durations (${durationFormats.join(', ')})`)
  return format
}

/** Parses a currency code (ISO 4217). */
export function readCurrency(text: string): string {
  const code = text.trim().toUpperCase()
  if (!isCurrency(code)) throw invalidValueError(text, 'is not a currency code (ISO 4217)')
  return code
}

/** Parses an hourly rate with an optional currency: "95", "95.50 EUR", "€95"; null for `none`. */
export function readRate(text: string): string | null {
  if (normalizeText(text) === 'none') return null
  const { amount = '-', currency } = readTypedAmount(text, 6) ?? {}
  if (amount.startsWith('-')) throw invalidValueError(text, 'is not an hourly rate')
  return currency === undefined ? amount : `${amount} ${currency}`
}

/** Parses a rounding such as "15m:up". Returns null for "none". */
export function readRounding(text: string): Rounding | null {
  return normalizeText(text) === 'none' ? null : parseRounding(text)
}

const maxLines = 10

/** Parses lines of text, separated by line breaks or by `\\n`. */
export function readLines(text: string): string[] {
  const lines = text.split(/\r?\n|\\n/).map((line) => line.trim())
  if (lines.every((line) => line === '')) throw invalidValueError(text, 'is empty')
  if (lines.length > maxLines) throw invalidValueError(text, `has more than ${maxLines} lines`)
  return lines
}

/** Parses an absolute path or one that begins with `~`. */
export function readPath(text: string): string {
  if (!/^(~?[\\/]|[A-Za-z]:[\\/])/.test(text)) throw invalidValueError(text, 'is not an absolute path')
  return text
}

/** Parses a task as the user types it: one to three names, separated by slashes, or the ID of a task link. */
export function readTaskPath(text: string): string {
  const names = text.split('/').map((name) => name.trim())
  if (names.length > 3 || names.includes(''))
    throw invalidValueError(text, 'is not Task, Project/Task or Client/Project/Task')
  return text.trim()
}

/** Parses the name of a client, project or task. */
export function readName(text: string): string {
  if (text.trim() === '' || text.includes('/')) throw invalidValueError(text, 'is not a name without slashes')
  return text.trim()
}

/** Parses the regular expression that extracts notes from the name of a branch. */
export function readBranchPattern(text: string): RegExp {
  const pattern = branchPattern(text)
  if (!pattern)
    throw invalidValueError(text, 'is not a regular expression with one group or a group named notes')
  return pattern
}

/** Parses patterns of client/project/task separated by commas, each optionally preceded by `!`. */
export function readPatterns(text: string): string[] {
  const patterns = splitList(text)
  for (const pattern of patterns) checkPattern(pattern.replace(/^!\s*/, ''))
  return patterns
}

/** Throws TtError `usage` for an invalid pattern of client/project/task. */
export function checkPattern(text: string) {
  if (!isPattern(text.split('/').map((name) => name.trim())))
    throw invalidValueError(text, 'is not a pattern of client/project/task')
}

const maxLineLength = 200

/** Parses one line of text. */
export function readLine(text: string): string {
  const line = text.trim()
  if (line === '') throw invalidValueError(text, 'is empty')
  if (/\p{Cc}/u.test(line)) throw invalidValueError(text, 'is not one line of text')
  if (line.length > maxLineLength) throw invalidValueError(text, `is longer than ${maxLineLength} characters`)
  return line
}

/** Parses one of some words. */
export function readOneOf<Word extends string>(text: string, words: readonly Word[]): Word {
  const word = words.find((one) => one === normalizeText(text))
  if (word === undefined) throw invalidValueError(text, `is not one of ${words.join(', ')}`)
  return word
}

/** Parses a percentage from 0 to 100 with at most four decimals. Returns it in its shortest form: "7" for "007.0". */
export function readPercent(text: string): string {
  const [, number = ''] = /^\s*(\d{1,3}(?:\.\d{1,4})?)\s*(?:%\s*)?$/.exec(text) ?? []
  if (number === '' || Number(number) > 100)
    throw invalidValueError(text, 'is not a percentage, such as 19 or 8.1')
  return String(Number(number))
}

/** Parses a number of days from 0 to 365. */
export function readWholeDays(text: string): string {
  const days = text.trim()
  if (!/^\d{1,3}$/.test(days) || Number(days) > 365)
    throw invalidValueError(text, 'is not a number of days from 0 to 365')
  return String(Number(days))
}

/** Parses the code of a country (ISO 3166-1 alpha-2). */
export function readCountry(text: string): string {
  const code = text.trim().toUpperCase()
  if (!/^[A-Z]{2}$/.test(code))
    throw invalidValueError(text, 'is not a country code of two letters (ISO 3166)')
  return code
}

/** Parses an email address. */
export function readEmail(text: string): string {
  const address = readLine(text)
  if (!/^[^\s@]+@[^\s@]+$/.test(address)) throw invalidValueError(text, 'is not an email address')
  return address
}

/** Parses an IBAN and verifies its check digits (ISO 13616). Returns it without spaces. */
export function readIban(text: string): string {
  const iban = text.replace(/\s/g, '').toUpperCase()
  const isWritten = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(iban)
  const digits = [...iban.slice(4), ...iban.slice(0, 4)].map((sign) => Number.parseInt(sign, 36)).join('')
  if (!isWritten || BigInt(digits) % 97n !== 1n)
    throw invalidValueError(text, 'is not an IBAN with valid check digits')
  return iban
}

function splitList(text: string): string[] {
  const parts = text.split(',').map((part) => part.trim())
  if (parts.includes(''))
    throw invalidValueError(text, text.trim() === '' ? 'is empty' : 'has an empty part between commas')
  return parts
}

function invalidValueError(text: string, problem: string): TtError {
  return new TtError('usage', `${JSON.stringify(text)} ${problem}.`)
}

/** The target settings, in seconds. */
export interface TargetSettings {
  /** For each working day. */
  daily?: number
  /** For the whole week. */
  weekly?: number
  /** For single days, whether they are working days or not. */
  days: Partial<Record<Weekday, number>>
}

const week: readonly Weekday[] = [0, 1, 2, 3, 4, 5, 6]

/**
 * Returns the target for each weekday in seconds, from Sunday; undefined without any target setting. The weekly target,
 * less the targets of single days, is spread over the other working days.
 *
 * Throws TtError `usage` for targets that contradict each other.
 */
export function targetsOf(targets: TargetSettings, workingDays: readonly Weekday[]): number[] | undefined {
  const { daily, weekly, days } = targets
  if (daily !== undefined && weekly !== undefined) {
    throw new TtError('usage', 'target.daily and target.weekly are both set.', {
      hint: 'Remove one of them.',
      nextStep: { action: 'unset', setting: 'target.daily' },
    })
  }
  if (daily === undefined && weekly === undefined && Object.keys(days).length === 0) return undefined
  const others = workingDays.filter((day) => days[day] === undefined)
  const shares =
    weekly === undefined ? others.map(() => daily ?? 0) : spreadWeekly(weekly, targets, others.length)
  return week.map((day) => days[day] ?? shares[others.indexOf(day)] ?? 0)
}

/** Divides the rest of the weekly target into whole seconds for `count` days; the first days get the remainder. */
function spreadWeekly(weekly: number, { days }: TargetSettings, count: number): number[] {
  const singleDays = Object.values(days).reduce((sum, seconds) => sum + seconds, 0)
  const rest = weekly - singleDays
  if (rest < 0 || (count === 0 && rest > 0)) {
    throw new TtError(
      'usage',
      `target.weekly is ${formatDuration(weekly)}, and the targets of single days make ${formatDuration(singleDays)}.`,
      {
        hint: 'Change one of them, or remove the weekly target.',
        nextStep: { action: 'unset', setting: 'target.weekly' },
      },
    )
  }
  return Array.from(
    { length: count },
    (_, index) => Math.floor(rest / count) + (index < rest % count ? 1 : 0),
  )
}
