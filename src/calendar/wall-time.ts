/** A reading of the calendar and the clock on the wall, in the user's zone. */
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

/** Two digits, as clocks and dates show them. */
export const pad = (value: number) => String(value).padStart(2, '0')

/** The date on the wall at that instant, YYYY-MM-DD. */
export function formatWallDate(instant: Date): string {
  const year = String(instant.getFullYear()).padStart(4, '0')
  return `${year}-${pad(instant.getMonth() + 1)}-${pad(instant.getDate())}`
}

/**
 * The instant at which the wall reads `wall`, the first one where it does so twice (RFC 5545 section 3.3.5).
 *
 * Where the clocks skip that reading, `exists` is false and `instant` is the first one after what they skip.
 */
export function instantAt(wall: WallTime): { instant: Date; exists: boolean } {
  const { year, month, day, hour, minute, second, millisecond } = wall
  // ECMAScript's LocalTime reads both cases with the offset in force before the change: the first of two
  // instants, and for a skipped reading one that is past the change by less than what is skipped.
  const instant = new Date(year, month - 1, day, hour, minute, second, millisecond)
  const wantedMs = Date.UTC(year, month - 1, day, hour, minute, second, millisecond)
  if (wallMs(instant.getTime()) === wantedMs) return { instant, exists: true }
  return { instant: firstAfter(wantedMs, instant.getTime()), exists: false }
}

/** No zone has ever skipped more than this (Pacific/Apia in 2011 skipped exactly this). */
const longestSkipMs = 24 * 60 * 60 * 1000

/** The first instant, at or before `afterMs`, at which the wall is past the skipped reading `wantedMs`. */
function firstAfter(wantedMs: number, afterMs: number): Date {
  let before = afterMs - longestSkipMs
  let after = afterMs
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (wallMs(middle) < wantedMs) before = middle
    else after = middle
  }
  return new Date(after)
}

/** What the wall reads at an instant, as a number that can be compared: the same reading taken as UTC. */
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
