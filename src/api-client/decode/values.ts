import { trimEnd } from '../../lib/text/trim-end.js'
import { describeValue, invalidResponse } from './shapes.js'

/** Decoders of times and amounts, whose formats the API document does not specify. */

const canonicalTime =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/
const anyTime =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(?:[.,](\d+))?)?\s*(?:Z|UTC|GMT|([+-])(\d\d)(?::?(\d\d))?)?$/i

/** Numbers from here on are milliseconds: as seconds they would be after the year 5000. */
const minMilliseconds = 1e11

/**
 * Returns a time as RFC 3339 in UTC with milliseconds, `2024-05-01T07:30:00.000Z`.
 *
 * Accepts RFC 3339 and ISO 8601 with any offset, `2024-05-01 09:30:00 +0200`, `… UTC`, the same without a zone (UTC), a
 * date (its midnight), and seconds or milliseconds since 1970 as a number. `field` names the field. Throws
 * InvalidResponseError.
 */
export function readTime(value: unknown, field: string): string {
  // Fast path for the usual format: a list of 100,000 entries has 200,000 times. It excludes days that not every month
  // has, which the slow path checks.
  if (typeof value === 'string' && canonicalTime.test(value)) return value
  const time = new Date(typeof value === 'number' ? fromEpoch(value) : fromText(value))
  const year = time.getUTCFullYear()
  if (year >= 0 && year <= 9999) return time.toISOString()
  throw invalidResponse(`${field} is not a time (${describeValue(value)})`)
}

function fromEpoch(value: number): number {
  return Math.round(Math.abs(value) < minMilliseconds ? value * 1000 : value)
}

/** Returns milliseconds since 1970; NaN for text that is not a time. */
function fromText(text: unknown): number {
  if (typeof text !== 'string') return Number.NaN
  const [, day = '', clock = '00:00', seconds = ':00', fraction = '', sign, hours = '0', minutes = '0'] =
    anyTime.exec(text.trim()) ?? []
  const midnight = new Date(`${day}T00:00:00.000Z`)
  // Date reads 30 February as 1 March.
  if (Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== day) return Number.NaN
  if (Number(hours) > 23 || Number(minutes) > 59) return Number.NaN
  const local = Date.parse(`${day}T${clock}${seconds}.${fraction.padEnd(3, '0').slice(0, 3)}Z`)
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000
  return sign === '-' ? local + offsetMs : local - offsetMs
}

/**
 * Returns an amount as a decimal string without an exponent, from a number or text. `field` names the field. Throws
 * InvalidResponseError.
 */
export function readAmount(value: unknown, field: string): string {
  const text = typeof value === 'number' ? String(value) : value
  const parts =
    typeof text === 'string' ? /^([+-]?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,2}))?$/i.exec(text.trim()) : null
  if (!parts) throw invalidResponse(`${field} is not an amount (${describeValue(value)})`)
  const [, sign = '', whole = '', fraction = '', exponent] = parts
  const minus = sign === '-' ? '-' : ''
  if (exponent === undefined) return fraction ? `${minus}${whole}.${fraction}` : `${minus}${whole}`
  return minus + shiftPoint(whole, fraction, Number(exponent))
}

/** Moves the decimal point `places` to the right. */
function shiftPoint(whole: string, fraction: string, places: number): string {
  const point = whole.length + places
  const digits = `${'0'.repeat(Math.max(0, -point))}${whole}${fraction}`.padEnd(point, '0')
  const at = Math.max(0, point)
  const before = digits.slice(0, at).replace(/^0+(?=\d)/, '') || '0'
  const after = trimEnd(digits.slice(at), '0')
  return after ? `${before}.${after}` : before
}
