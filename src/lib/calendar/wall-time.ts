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
