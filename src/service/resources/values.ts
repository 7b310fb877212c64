import { dayMs } from '../../lib/time-units.js'

/** Parsers of values in requests: instants, days, decimals and IDs. They return undefined for invalid values. */

const instantPattern = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2})(?:\.(\d+))?([Zz]|([+-])(\d{2}):(\d{2}))$/
/** The first and the last instant that the service stores, in epoch milliseconds. */
export const firstInstant = Date.parse('0001-01-01T00:00:00.000Z')
export const lastInstant = Date.parse('9999-12-31T23:59:59.999Z')

/** Returns the epoch milliseconds of an RFC 3339 time with an offset, in the years 1 to 9999, truncated to milliseconds. */
export function parseInstant(text: string): number | undefined {
  const match = instantPattern.exec(text)
  if (!match) return undefined
  const [, day = '', clock = '', fraction = '', , sign, hours = '00', minutes = '00'] = match
  if (!isDay(day) || Number(hours) > 23 || Number(minutes) > 59) return undefined
  if (Number(clock.slice(0, 2)) > 23) return undefined // Date.parse accepts 24:00:00.
  const local = Date.parse(`${day}T${clock}.${fraction.padEnd(3, '0').slice(0, 3)}Z`)
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000
  const instant = sign === '-' ? local + offsetMs : local - offsetMs
  return instant >= firstInstant && instant <= lastInstant ? instant : undefined
}

/** Number of days whose dates are cached: nearly all requests are about times of the last year. A power of 2. */
const cachedDays = 512
/** The dates of days, in days since 1970: each has one place. A date is followed by `T`. */
const days = new Array<number>(cachedDays).fill(Number.NaN)
const dates = new Array<string>(cachedDays).fill('')

/** Returns RFC 3339 in UTC with milliseconds, like `toISOString`, but fast. */
export function formatInstant(instant: number): string {
  const day = Math.floor(instant / dayMs)
  const place = day & (cachedDays - 1)
  if (days[place] !== day) {
    dates[place] = new Date(instant).toISOString().slice(0, 11)
    days[place] = day
  }
  const ms = instant - day * dayMs
  const second = Math.floor(ms / 1000)
  const minute = Math.floor(second / 60)
  const secondOfMinute = second - minute * 60
  const fraction = ms - second * 1000
  clockMinutes[minute] ??= `${twoDigits(Math.floor(minute / 60))}:${twoDigits(minute % 60)}:`
  clockSeconds[secondOfMinute] ??= `${twoDigits(secondOfMinute)}.`
  fractions[fraction] ??= `${String(fraction).padStart(3, '0')}Z`
  return `${dates[place]}${clockMinutes[minute]}${clockSeconds[secondOfMinute]}${fractions[fraction]}`
}

const twoDigits = (value: number) => String(value).padStart(2, '0')
/** The minutes of a day, such as `09:30:`, as far as they were used. */
const clockMinutes: string[] = []
/** The seconds of a minute, such as `05.`, as far as they were used. */
const clockSeconds: string[] = []
/** The milliseconds of a second, such as `007Z`, as far as they were used. */
const fractions: string[] = []

/** Whether `text` is YYYY-MM-DD and a day of the calendar, in the years 1 to 9999. */
export function isDay(text: string): boolean {
  if (!/^(?!0000)\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/.test(text)) return false
  // A day that the month does not have is one of the next month.
  return new Date(`${text}T00:00:00Z`).getUTCDate() === Number(text.slice(8))
}

/** Returns a day in a filter, `2026-01-05` or `2026-1-5`, as YYYY-MM-DD. */
export function parseDay(text: string): string | undefined {
  const [, year = '', month = '', day = ''] = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text) ?? []
  const padded = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return isDay(padded) ? padded : undefined
}

/** A time in a filter, with or without an offset. */
export interface FilterTime {
  /** Epoch milliseconds, for a time with an offset. */
  instant?: number
  /** Epoch milliseconds as if the time were in UTC, for a time without an offset. */
  wall?: number
}

const filterTimePattern =
  /^(\d{4}-\d{1,2}-\d{1,2})[Tt ](\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.(\d+))?(?: ?([Zz]|UTC|[+-]\d{2}(?::?\d{2})?))?$/

/**
 * Parses `2024-05-08T09:30:00.000+02:00`. A space may replace `T`; fraction, seconds and offset are optional; the offset
 * may be `Z`, `UTC`, `+0200` or `+02`.
 */
export function parseFilterTime(text: string): FilterTime | undefined {
  const match = filterTimePattern.exec(text)
  if (!match) return undefined
  const [, date = '', hours = '', minutes, seconds = '00', fraction = '', zone] = match
  const clock = `${hours.padStart(2, '0')}:${minutes}:${seconds}.${fraction.padEnd(3, '0')}`
  const instant = parseInstant(
    `${parseDay(date)}T${clock}${zone === undefined ? 'Z' : normalizeOffset(zone)}`,
  )
  if (instant === undefined) return undefined
  return zone === undefined ? { wall: instant } : { instant }
}

/** Returns `+0200` and `+02` as `+02:00`, `UTC` as `Z`. */
function normalizeOffset(zone: string): string {
  const [, hours, minutes = '00'] = /^([+-]\d{2}):?(\d{2})?$/.exec(zone) ?? []
  return hours === undefined ? 'Z' : `${hours}:${minutes}`
}

/** An exact decimal number: `digits` × 10^-`decimals`. */
export interface Decimal {
  digits: bigint
  decimals: number
}

/** Parses `12`, `-12.50`, or such a JSON number. */
export function parseDecimal(value: unknown): Decimal | undefined {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || text.length > 400) return undefined
  const match = /^(-?\d+)(?:\.(\d+))?$/.exec(text)
  if (!match) return undefined
  const [, whole = '', fraction = ''] = match
  return { digits: BigInt(whole + fraction), decimals: fraction.length }
}

/** Returns the largest `units` with `units` × 10^-scale ≤ the number, and whether both are equal. */
export function toUnits(scale: number, { digits, decimals }: Decimal): { units: bigint; isExact: boolean } {
  if (decimals <= scale) return { units: digits * 10n ** BigInt(scale - decimals), isExact: true }
  const divisor = 10n ** BigInt(decimals - scale)
  const units = digits / divisor
  const isExact = units * divisor === digits
  return { units: isExact || digits >= 0n ? units : units - 1n, isExact }
}

/** Returns decimal text with all decimal places, at least two: 12.5 becomes 12.50. */
export function formatDecimal({ digits, decimals }: Decimal): string {
  const places = Math.max(decimals, 2)
  const scaled = digits * 10n ** BigInt(places - decimals)
  const text = String(scaled < 0n ? -scaled : scaled).padStart(places + 1, '0')
  return `${scaled < 0n ? '-' : ''}${text.slice(0, -places)}.${text.slice(-places)}`
}

/** Parses a positive whole number, given as a number or as text. */
export function parseId(value: unknown): number | undefined {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || !/^[1-9]\d{0,15}$/.test(text)) return undefined
  const id = Number(text)
  return Number.isSafeInteger(id) ? id : undefined
}

/** Whether every database can store the text: it has no NUL and no half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return !/\0|[\ud800-\udfff]/u.test(text)
}
