import { dayMs } from '../../lib/time-units.js'

/** Reading of values that arrive as text: instants, days, decimals and words. Each answers undefined for what is none. */

const instantPattern = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2})(?:\.(\d+))?([Zz]|([+-])(\d{2}):(\d{2}))$/
const firstInstant = Date.parse('0001-01-01T00:00:00.000Z')
const lastInstant = Date.parse('9999-12-31T23:59:59.999Z')

/** Epoch milliseconds of an RFC 3339 time with its offset, in the years 1 to 9999; what is finer is cut off. */
export function parseInstant(text: string): number | undefined {
  const match = instantPattern.exec(text)
  if (!match) return undefined
  const [, day = '', clock = '', fraction = '', , sign, hours = '00', minutes = '00'] = match
  if (!isDay(day) || Number(hours) > 23 || Number(minutes) > 59) return undefined
  if (Number(clock.slice(0, 2)) > 23) return undefined // Date.parse would take 24:00:00.
  const local = Date.parse(`${day}T${clock}.${fraction.padEnd(3, '0').slice(0, 3)}Z`)
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000
  const instant = sign === '-' ? local + offsetMs : local - offsetMs
  return instant >= firstInstant && instant <= lastInstant ? instant : undefined
}

/** The length of a day in UTC. */
let formattedDay = Number.NaN
let formattedDate = ''

/** RFC 3339 in UTC with milliseconds: `toISOString`, but fast for instants that mostly follow each other. */
export function formatInstant(instant: number): string {
  const day = Math.floor(instant / dayMs)
  if (day !== formattedDay) {
    formattedDate = new Date(instant).toISOString().slice(0, 11)
    formattedDay = day
  }
  const ms = instant - day * dayMs
  const hours = twoDigits[Math.floor(ms / 3_600_000)]
  const minutes = twoDigits[Math.floor(ms / 60_000) % 60]
  const seconds = twoDigits[Math.floor(ms / 1000) % 60]
  const fraction = ms % 1000
  return `${formattedDate}${hours}:${minutes}:${seconds}.${fraction === 0 ? '000' : String(fraction).padStart(3, '0')}Z`
}

const twoDigits = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, '0'))

/** Whether `text` is YYYY-MM-DD and a day of the calendar, in the years 1 to 9999. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text.startsWith('0000')) return false
  const midnight = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(text)
}

/** A day as filters write it, `2026-01-05` or `2026-1-5`, as YYYY-MM-DD. */
export function parseDay(text: string): string | undefined {
  const [, year = '', month = '', day = ''] = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text) ?? []
  const padded = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return isDay(padded) ? padded : undefined
}

/** A time as filters write it, with or without seconds. */
export interface FilterTime {
  /** Epoch milliseconds where the offset is given. */
  instant?: number
  /** What the clocks show, as if in UTC, where it is not. */
  wall?: number
}

const filterTimePattern =
  /^(\d{4}-\d{1,2}-\d{1,2})[Tt ](\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.(\d+))?(?: ?([Zz]|UTC|[+-]\d{2}(?::?\d{2})?))?$/

/**
 * Reads `2024-05-08T09:30:00.000+02:00`, and the same with a space for `T`, without fraction, seconds or offset, and with
 * the offset as `Z`, `UTC`, `+0200` or `+02`.
 */
export function parseFilterTime(text: string): FilterTime | undefined {
  const match = filterTimePattern.exec(text)
  if (!match) return undefined
  const [, written = '', hours = '', minutes, seconds = '00', fraction = '', zone] = match
  const clock = `${hours.padStart(2, '0')}:${minutes}:${seconds}.${fraction.padEnd(3, '0')}`
  const instant = parseInstant(`${parseDay(written)}T${clock}${zone === undefined ? 'Z' : fullOffset(zone)}`)
  if (instant === undefined) return undefined
  return zone === undefined ? { wall: instant } : { instant }
}

/** `+0200` and `+02` as `+02:00`, `UTC` as `Z`. */
function fullOffset(zone: string): string {
  const [, hours, minutes = '00'] = /^([+-]\d{2}):?(\d{2})?$/.exec(zone) ?? []
  return hours === undefined ? 'Z' : `${hours}:${minutes}`
}

/** A decimal number, exactly: `digits` is the number without its point, which stands before the last `decimals`. */
export interface Decimal {
  digits: bigint
  decimals: number
}

/** Reads `12`, `-12.50`, or a JSON number that is written that way. */
export function parseDecimal(value: unknown): Decimal | undefined {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || text.length > 400) return undefined
  const match = /^(-?\d+)(?:\.(\d+))?$/.exec(text)
  if (!match) return undefined
  const [, whole = '', fraction = ''] = match
  return { digits: BigInt(whole + fraction), decimals: fraction.length }
}

/** The largest units that are `units` × 10^-scale ≤ the number, and whether they are the number itself. */
export function toUnits(scale: number, { digits, decimals }: Decimal): { units: bigint; exact: boolean } {
  if (decimals <= scale) return { units: digits * 10n ** BigInt(scale - decimals), exact: true }
  const divisor = 10n ** BigInt(decimals - scale)
  const units = digits / divisor
  const exact = units * divisor === digits
  return { units: exact || digits >= 0n ? units : units - 1n, exact }
}

/** Decimal text with at least two places, and as many as given: 12.5 is 12.50. */
export function formatDecimal({ digits, decimals }: Decimal): string {
  const places = Math.max(decimals, 2)
  const scaled = digits * 10n ** BigInt(places - decimals)
  const text = String(scaled < 0n ? -scaled : scaled).padStart(places + 1, '0')
  return `${scaled < 0n ? '-' : ''}${text.slice(0, -places)}.${text.slice(-places)}`
}

/** A positive whole number, as a number or its digits. */
export function parseId(value: unknown): number | undefined {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || !/^[1-9]\d{0,15}$/.test(text)) return undefined
  const id = Number(text)
  return Number.isSafeInteger(id) ? id : undefined
}

/** Whether every database can keep the text: no NUL, and no half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return !/\0|[\ud800-\udfff]/u.test(text)
}

/** Whether it has the shape of a currency code of ISO 4217. */
export function isCurrency(text: string): boolean {
  return /^[A-Z]{3}$/.test(text)
}
