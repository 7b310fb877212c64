import { TtError } from '../../lib/errors.js'

/** Ransack predicates: a field name with a matcher, and what it is compared with (service-api-v1.md section 4). */
export type Predicates = Record<string, string | number | boolean | null>

const matchers = ['eq', 'gteq', 'lt', 'cont'] as const
export type Matcher = (typeof matchers)[number]

/** One predicate, to be spread together with others: they combine. */
export function predicate(field: string, matcher: Matcher, value: Predicates[string]): Predicates {
  return { [`${field}_${matcher}`]: value }
}

/** The value of the query parameter `q`: a JSON object. */
export function encodeQuery(predicates: Predicates): string {
  return JSON.stringify(predicates)
}

/**
 * Parses a predicate `FIELD_MATCHER=VALUE`, such as `notes_cont=review`. The value is the typed text; a time without an
 * offset gets the offset of this process. Throws TtError `usage` with the invalid part.
 */
export function parsePredicate(text: string): [key: string, value: string] {
  const at = text.indexOf('=')
  if (at === -1) throw unreadable(`"${text}" has no "=".`)
  const key = text.slice(0, at).trim()
  if (!matchers.some((matcher) => key.endsWith(`_${matcher}`)))
    throw unreadable(`"${key}" ends in no known matcher.`)
  if (!/^[\p{L}\p{N}][\p{L}\p{N}_.]*_[a-z]+$/u.test(key)) throw unreadable(`"${key}" names no field.`)
  const value = text.slice(at + 1)
  return [key, readTimeValue(key, value)]
}

/** The fields of the document and the design that are days or times, with the matchers that compare. */
const comparesTime = /^(time_start|time_end|spent_on|starts_on|ends_on|created_at|updated_at)_(eq|gteq|lt)$/
/** Names that services give to further days and times: `expense_date`, `approved_at`. */
const mayCompareTime = /(^|_)(date|on|at)_(eq|gteq|lt)$/
const dayAndTime = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(:\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/

/**
 * The value of a condition; where its field is a day or a time, one that exists, with its offset. A service may drop a
 * condition whose value it cannot read, and return too many records. A time without an offset is one in the time zone of
 * this process.
 */
function readTimeValue(key: string, value: string): string {
  const [, day = '', clock, seconds = ':00', offset] = dayAndTime.exec(value) ?? []
  if (!comparesTime.test(key) && !(mayCompareTime.test(key) && day !== '')) return value
  const example = 'time_start_gteq=2024-05-01'
  if (day === '') throw unreadable(`"${value}" is neither a day nor a time, as ${key} needs one.`, example)
  const isThere = isUtcTime(day, clock ?? '00:00', seconds) && (offset === undefined || isOffset(offset))
  if (!isThere) throw unreadable(`"${value}" does not exist, and ${key} needs a day or a time.`, example)
  if (clock === undefined || offset !== undefined) return value
  const local = new Date(`${day}T${clock}${seconds}`)
  if (clock !== local.toTimeString().slice(0, 5))
    throw unreadable(`"${value}" does not exist: the clocks skip it.`, example)
  return `${day}T${clock}${seconds}${offsetAt(local)}`
}

/** Whether the calendar has the day, and the day that time. */
function isUtcTime(day: string, clock: string, seconds: string): boolean {
  const instant = new Date(`${day}T${clock}${seconds}Z`)
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(`${day}T${clock}`)
}

const isOffset = (text: string) => text === 'Z' || /^[+-]([01]\d|2[0-3]):[0-5]\d$/.test(text)

/** The offset of this process at that time: `+02:00`. */
function offsetAt(time: Date): string {
  const minutes = -time.getTimezoneOffset()
  const twoDigits = (number: number) => String(number).padStart(2, '0')
  const ahead = Math.abs(minutes)
  return `${minutes < 0 ? '-' : '+'}${twoDigits(Math.floor(ahead / 60))}:${twoDigits(ahead % 60)}`
}

function unreadable(message: string, example = 'notes_cont=review'): TtError {
  const endings = matchers.map((matcher) => `_${matcher}`)
  return new TtError('usage', message, {
    hint: `Write FIELD_MATCHER=VALUE, such as ${example}. The matchers are ${endings.join(', ')}.`,
  })
}
