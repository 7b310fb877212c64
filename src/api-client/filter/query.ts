import { TtError } from '../../lib/errors.js'

/** Ransack predicates: each key is a field name with a matcher, each value an operand (service-api-v1.md section 4). */
export type Predicates = Record<string, string | number | boolean | null>

const matchers = ['eq', 'gteq', 'lt', 'cont'] as const

/** Returns the value of the query parameter `q`, a JSON object. */
export function encodeQuery(predicates: Predicates): string {
  return JSON.stringify(predicates)
}

/**
 * Parses a predicate `FIELD_MATCHER=VALUE`, such as `notes_cont=review`. The value is the typed text; a time without an
 * offset gets the offset of this process. Throws TtError `usage` with the invalid part.
 */
export function parsePredicate(text: string): [key: string, value: string] {
  const at = text.indexOf('=')
  if (at === -1) throw invalidPredicate(`"${text}" has no "=".`)
  const key = text.slice(0, at).trim()
  if (!matchers.some((matcher) => key.endsWith(`_${matcher}`)))
    throw invalidPredicate(`"${key}" does not end with a known matcher.`)
  if (!/^[\p{L}\p{N}][\p{L}\p{N}_.]*_[a-z]+$/u.test(key))
    throw invalidPredicate(`"${key}" does not name a field.`)
  const value = text.slice(at + 1)
  return [key, readTimeValue(key, value)]
}

/** Date and time fields of the document and the design, with the matchers that compare values. */
const comparesTime = /^(time_start|time_end|spent_on|starts_on|ends_on|created_at|updated_at)_(eq|gteq|lt)$/
/** Usual names of other date and time fields, such as `expense_date` and `approved_at`. */
const mayCompareTime = /(^|_)(date|on|at)_(eq|gteq|lt)$/
const dayAndTime = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(:\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/

/**
 * Returns the value of a predicate; if its field is a date or a time, checks that the value exists, and adds the offset of
 * this process to a time without one. A service may ignore a predicate whose value it cannot read, and return too many
 * records.
 */
function readTimeValue(key: string, value: string): string {
  const [, day = '', clock, seconds = ':00', offset] = dayAndTime.exec(value) ?? []
  if (!comparesTime.test(key) && !(mayCompareTime.test(key) && day !== '')) return value
  const example = 'time_start_gteq=2024-05-01'
  if (day === '')
    throw invalidPredicate(`"${value}" is neither a date nor a time, which ${key} requires.`, example)
  const exists = isUtcTime(day, clock ?? '00:00', seconds) && (offset === undefined || isOffset(offset))
  if (!exists) throw invalidPredicate(`"${value}" does not exist; ${key} requires a date or a time.`, example)
  if (clock === undefined || offset !== undefined) return value
  const local = new Date(`${day}T${clock}${seconds}`)
  if (clock !== local.toTimeString().slice(0, 5))
    throw invalidPredicate(`"${value}" does not exist: the clocks skip it.`, example)
  return `${day}T${clock}${seconds}${offsetAt(local)}`
}

/** Whether the calendar contains the day, and the day that time. */
function isUtcTime(day: string, clock: string, seconds: string): boolean {
  const instant = new Date(`${day}T${clock}${seconds}Z`)
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(`${day}T${clock}`)
}

const isOffset = (text: string) => text === 'Z' || /^[+-]([01]\d|2[0-3]):[0-5]\d$/.test(text)

/** Returns the offset of this process at that time, such as `+02:00`. */
function offsetAt(time: Date): string {
  const minutes = -time.getTimezoneOffset()
  const twoDigits = (number: number) => String(number).padStart(2, '0')
  const absolute = Math.abs(minutes)
  return `${minutes < 0 ? '-' : '+'}${twoDigits(Math.floor(absolute / 60))}:${twoDigits(absolute % 60)}`
}

function invalidPredicate(message: string, example = 'notes_cont=review'): TtError {
  const endings = matchers.map((matcher) => `_${matcher}`)
  return new TtError('usage', message, {
    hint: `Write FIELD_MATCHER=VALUE, such as ${example}. The matchers are ${endings.join(', ')}.`,
  })
}
