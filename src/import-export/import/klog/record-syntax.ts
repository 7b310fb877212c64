import type { Day } from '../../../lib/calendar/day.js'
import { InvalidValueError } from '../format.js'
import { dateExpectation, parseDate } from '../values/dates.js'

/** A date, and a target for its total, which is no time of an entry. */
export const recordHeader = /^(\d{4}-\d\d-\d\d|\d{4}\/\d\d\/\d\d)(?:[ \t]+\(([^()]*)!\))?[ \t]*$/

/** An entry before its times are instants. */
export interface KlogEntry {
  line: number
  /** The position of the entry in its line, from 1. */
  column: number
  /** The times or the duration as written. */
  text: string
  value: KlogRange | { seconds: number }
  summary: string[]
}

/** Minutes after midnight of the date of the record; negative on the day before. */
export interface KlogRange {
  from: number
  /** null for an open range. */
  to: number | null
}

export interface KlogRecord {
  day: Day
  summary: string[]
  entries: KlogEntry[]
  errors: { line: number; error: InvalidValueError }[]
}

/** Parses the lines of a record that begins in line `firstLine`. Throws InvalidValueError for an invalid first line. */
export function parseRecord(firstLine: number, lines: readonly string[]): KlogRecord {
  const record: KlogRecord = { day: dayOfHeader(lines[0] ?? ''), summary: [], entries: [], errors: [] }
  let indentation: string | undefined
  for (const [index, line] of lines.entries()) {
    if (index === 0) continue
    const at = firstLine + index
    try {
      const indented = /^[ \t]+/.exec(line)?.[0]
      if (indented === undefined) addSummary(record, line)
      else if (indentation !== undefined && line.startsWith(indentation + indentation))
        addContinuation(record, line)
      else {
        indentation ??= checkIndentation(indented, line)
        if (indented !== indentation)
          throw new InvalidValueError(line, 'an entry with the indentation of the first one')
        record.entries.push(parseEntry(line.slice(indented.length), at, indented.length + 1))
      }
    } catch (error) {
      if (!(error instanceof InvalidValueError)) throw error
      record.errors.push({ line: at, error })
    }
  }
  return record
}

function dayOfHeader(header: string): Day {
  const [, date = '', target] = recordHeader.exec(header) ?? []
  if (date === '') throw new InvalidValueError(header, `the first line of a record: ${dateExpectation}`)
  const day = parseDate(date, undefined)
  if (day === undefined) throw new InvalidValueError(date, dateExpectation)
  if (target !== undefined && parseDurationText(target) === undefined)
    throw new InvalidValueError(target, 'a duration such as 7h30m', 'target')
  return day
}

function addSummary(record: KlogRecord, line: string) {
  if (record.entries.length > 0)
    throw new InvalidValueError(line, 'an indented entry, or an empty line before the next record')
  record.summary.push(line.trimEnd())
}

function addContinuation(record: KlogRecord, line: string) {
  const entry = record.entries.at(-1)
  if (!entry) throw new InvalidValueError(line, 'an entry before its summary')
  entry.summary.push(line.trim())
}

function checkIndentation(indented: string, line: string): string {
  if (/^( {2,4}|\t)$/.test(indented)) return indented
  throw new InvalidValueError(line, 'an entry that is indented by 2 to 4 spaces or one tab')
}

const timePattern = String.raw`(<?)(\d{1,2}):(\d\d)(am|pm)?(>?)`
const rangePattern = new RegExp(`^(${timePattern} *- *(?:${timePattern}|\\?+))(?:[ \\t](.*))?$`, 's')
const durationPattern = /^([+-]?\d+h(?:\d+m)?|[+-]?\d+m)(?:[ \t](.*))?$/s

function parseEntry(content: string, line: number, column: number): KlogEntry {
  const range = rangePattern.exec(content)
  const [text = '', summary = ''] = range
    ? [range[1], range[12]]
    : (durationPattern.exec(content)?.slice(1) ?? [])
  if (text === '')
    throw new InvalidValueError(
      content,
      'a range such as 9:00 - 12:30 or a duration such as 1h30m',
      null,
      column,
    )
  const value = range ? rangeOf(range, column) : { seconds: parseDurationText(text) ?? Number.NaN }
  if ('seconds' in value && Number.isNaN(value.seconds))
    throw new InvalidValueError(text, 'a duration such as 1h30m', null, column)
  return { line, column, text, value, summary: summary.trim() === '' ? [] : [summary.trim()] }
}

function rangeOf(match: RegExpExecArray, column: number): KlogRange {
  const from = minutesOf(match.slice(2, 7), column)
  const isOpen = match[8] === undefined
  const to = isOpen ? null : minutesOf(match.slice(7, 12), column)
  if (to !== null && to < from)
    throw new InvalidValueError(match[1] ?? '', 'a range that ends after its start', null, column)
  return { from, to }
}

const dayMinutes = 24 * 60

/** Returns minutes after midnight. 24:00 is the midnight after the day; before 1:00, 12 is the hour 0 of `am` and `pm`. */
function minutesOf(
  [before, hourText, minuteText, half, after]: readonly (string | undefined)[],
  column: number,
): number {
  const [hour, minute] = [Number(hourText), Number(minuteText)]
  const isValid =
    half === undefined ? hour < 24 || (hour === 24 && minute === 0 && !after) : hour >= 1 && hour <= 12
  if (!isValid || minute > 59 || (before && after)) {
    const text = `${before}${hourText}:${minuteText}${half ?? ''}${after}`
    throw new InvalidValueError(text, 'a time such as 9:30, 9:30am, <23:00 or 1:00>', null, column)
  }
  const hours = half === undefined ? hour : (hour % 12) + (half === 'pm' ? 12 : 0)
  return hours * 60 + minute + (before ? -dayMinutes : after ? dayMinutes : 0)
}

/** Parses a duration such as `1h30m` or `-45m`. Returns seconds; undefined for other text. */
function parseDurationText(text: string): number | undefined {
  const [, sign, hours, minutes] = /^([+-]?)(?=\d)(?:(\d{1,6})h)?(?:(\d{1,8})m)?$/.exec(text) ?? []
  if (hours === undefined && minutes === undefined) return undefined
  if (hours !== undefined && Number(minutes ?? 0) > 59) return undefined
  return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60)
}
