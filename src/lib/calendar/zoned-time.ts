import { dayMs } from '../time-units.js'

/**
 * Returns the instant, in epoch milliseconds, at which clocks in the time zone (IANA name) show the wall time `wall`,
 * which is given as if it were UTC. Of a repeated hour it is the first instant; a skipped time moves forward by the length
 * of the gap. NaN for an unknown time zone. The service has the same rule (src/service/resources/time-zone.ts).
 */
export function instantInZone(wall: number, zone: string): number {
  const clock = clockOf(zone)
  if (!clock || Number.isNaN(wall)) return Number.NaN
  const offsetMs = (instant: number) => wallTimeOf(clock, instant) - instant
  const [before, after] = [offsetMs(wall - dayMs), offsetMs(wall + dayMs)]
  const matching = [before, after].filter((offset) => offsetMs(wall - offset) === offset)
  return wall - (matching.length > 0 ? Math.max(...matching) : before)
}

const clocks = new Map<string, Intl.DateTimeFormat | undefined>()

/** Returns undefined for a time zone that the runtime does not support. */
function clockOf(zone: string): Intl.DateTimeFormat | undefined {
  if (!clocks.has(zone)) clocks.set(zone, createClock(zone))
  return clocks.get(zone)
}

function createClock(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    const numeric = 'numeric'
    return new Intl.DateTimeFormat('en-US', {
      ...{ timeZone, calendar: 'gregory', hourCycle: 'h23' },
      ...{ year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric },
    })
  } catch {
    return undefined // Intl throws RangeError for an unknown time zone.
  }
}

/** Returns the wall time of an instant as if it were UTC, without fractions of a second of the offset. */
function wallTimeOf(clock: Intl.DateTimeFormat, instant: number): number {
  const parts = new Map(clock.formatToParts(instant).map(({ type, value }) => [type, Number(value)]))
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
  const wall = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  )
  return wall + (instant - Math.floor(instant / 1000) * 1000)
}

/** A local date and time, in the user's time zone. */
export interface WallTime {
  year: number
  /** 1 to 12. */
  month: number
  day: number
  hour: number
  minute: number
  second: number
  millisecond: number
}

/** Formats a number with at least two digits. */
export const pad = (value: number) => String(value).padStart(2, '0')

/** Returns the local date of an instant, YYYY-MM-DD. */
export function formatWallDate(instant: Date): string {
  const year = String(instant.getFullYear()).padStart(4, '0')
  return `${year}-${pad(instant.getMonth() + 1)}-${pad(instant.getDate())}`
}

/**
 * Returns the instant of a local time; the first one if the time occurs twice (RFC 5545 section 3.3.5).
 *
 * If a clock change skips the local time, `isSkipped` is true and `instant` is the first instant after the skipped time.
 */
export function instantAt(wall: WallTime): { instant: Date; isSkipped: boolean } {
  const { year, month, day, hour, minute, second, millisecond } = wall
  // ECMAScript uses the offset before the clock change. For a repeated time, that is the first instant; for a skipped
  // time, it is shortly after the change, by less than the skipped duration.
  const instant = new Date(year, month - 1, day, hour, minute, second, millisecond)
  const targetMs = Date.UTC(year, month - 1, day, hour, minute, second, millisecond)
  if (wallMs(instant.getTime()) === targetMs) return { instant, isSkipped: false }
  return { instant: firstInstantPast(targetMs, instant.getTime()), isSkipped: true }
}

/** The longest time that a zone has ever skipped: one day, Pacific/Apia in 2011. */
const longestSkipMs = 24 * 60 * 60 * 1000

/** Returns the first instant whose local time is past the skipped `targetMs`: a binary search that ends at `afterMs`. */
function firstInstantPast(targetMs: number, afterMs: number): Date {
  let before = afterMs - longestSkipMs
  let after = afterMs
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (wallMs(middle) < targetMs) before = middle
    else after = middle
  }
  return new Date(after)
}

/** Returns the local time at an instant as a number for comparison: the epoch milliseconds of the same time in UTC. */
function wallMs(epochMs: number): number {
  const date = new Date(epochMs)
  return Date.UTC(
    date.getFullYear(),
    date.getMonth(),
    date.getDate(),
    date.getHours(),
    date.getMinutes(),
    date.getSeconds(),
    date.getMilliseconds(),
  )
}
