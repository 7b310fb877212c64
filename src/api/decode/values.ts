import { trimEnd } from '../../lib/trim-end.js'
import { describeValue, invalidResponse } from './shapes.js'

/** Readings of single values whose format the document does not show: times and amounts. */

const canonical = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/
const written =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(?:[.,](\d+))?)?\s*(?:Z|UTC|GMT|([+-])(\d\d)(?::?(\d\d))?)?$/i

/** From here on a number counts milliseconds: as seconds it would lie beyond the year 5000. */
const firstMilliseconds = 1e11

/**
 * A time as RFC 3339 in UTC with milliseconds, `2024-05-01T07:30:00.000Z`.
 *
 * Takes RFC 3339 and ISO 8601 with any offset, `2024-05-01 09:30:00 +0200`, `… UTC`, the same without a zone (as
 * UTC), a day alone (its midnight), and seconds or milliseconds since 1970 as a number. `what` names the field.
 * Throws NonsenseError.
 */
export function readTime(value: unknown, what: string): string {
  // A list of 100,000 entries comes by here twice each: the usual form is known by its look. Days that not every
  // month has are left to the slow way.
  if (typeof value === 'string' && canonical.test(value)) return value
  const time = new Date(typeof value === 'number' ? fromEpoch(value) : fromText(value))
  const year = time.getUTCFullYear()
  if (year >= 0 && year <= 9999) return time.toISOString()
  throw invalidResponse(`${what} is no time (${describeValue(value)})`)
}

function fromEpoch(value: number): number {
  return Math.round(Math.abs(value) < firstMilliseconds ? value * 1000 : value)
}

/** Milliseconds since 1970; NaN for what is no time. */
function fromText(text: unknown): number {
  if (typeof text !== 'string') return Number.NaN
  const [, day = '', clock = '00:00', seconds = ':00', fraction = '', sign, hours = '0', minutes = '0'] =
    written.exec(text.trim()) ?? []
  const midnight = new Date(`${day}T00:00:00.000Z`)
  // Date takes 30 February for 1 March.
  if (Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== day) return Number.NaN
  if (Number(hours) > 23 || Number(minutes) > 59) return Number.NaN
  const local = Date.parse(`${day}T${clock}${seconds}.${fraction.padEnd(3, '0').slice(0, 3)}Z`)
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000
  return sign === '-' ? local + offsetMs : local - offsetMs
}

/**
 * An amount as a decimal string, from a number or a text; an exponent (`0.125e2`) is written out.
 * `what` names the field. Throws NonsenseError.
 */
export function readAmount(value: unknown, what: string): string {
  const text = typeof value === 'number' ? String(value) : value
  const parts =
    typeof text === 'string' ? /^([+-]?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,2}))?$/i.exec(text.trim()) : null
  if (!parts) throw invalidResponse(`${what} is no amount (${describeValue(value)})`)
  const [, sign = '', whole = '', fraction = '', exponent] = parts
  const minus = sign === '-' ? '-' : ''
  if (exponent === undefined) return fraction ? `${minus}${whole}.${fraction}` : `${minus}${whole}`
  return minus + shifted(whole, fraction, Number(exponent))
}

/** Moves the decimal point `places` to the right. */
function shifted(whole: string, fraction: string, places: number): string {
  const point = whole.length + places
  const digits = `${'0'.repeat(Math.max(0, -point))}${whole}${fraction}`.padEnd(point, '0')
  const at = Math.max(0, point)
  const before = digits.slice(0, at).replace(/^0+(?=\d)/, '') || '0'
  const after = trimEnd(digits.slice(at), '0')
  return after ? `${before}.${after}` : before
}
