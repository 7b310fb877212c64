import { type Day, dayOf, endOfDay } from './day.js'

/** From `start` up to, but not including, `end`, which is never before it. */
export interface Interval {
  start: Date
  end: Date
}

/** From `from` up to, but not including, `to`; unbounded on a side whose bound is missing. */
export interface TimeRange {
  from?: Date
  to?: Date
}

/** What two intervals share; undefined where they share nothing or only touch. */
export function overlap(a: Interval, b: Interval): Interval | undefined {
  const startMs = Math.max(a.start.getTime(), b.start.getTime())
  const endMs = Math.min(a.end.getTime(), b.end.getTime())
  return startMs < endMs ? { start: new Date(startMs), end: new Date(endMs) } : undefined
}

/**
 * Cuts an interval where a new day of the user's calendar begins.
 *
 * The pieces are in order and touch: the first starts where the interval does, the last ends where it does.
 * An interval of no length is one piece.
 */
export function splitAtMidnight(interval: Interval): { day: Day; start: Date; end: Date }[] {
  const pieces: { day: Day; start: Date; end: Date }[] = []
  let start = interval.start
  do {
    const day = dayOf(start)
    const end = new Date(Math.min(endOfDay(day).getTime(), interval.end.getTime()))
    pieces.push({ day, start, end })
    start = end
  } while (start < interval.end)
  return pieces
}
