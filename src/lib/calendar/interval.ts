import { type Day, dayOf, endOfDay, startOfDay, timeOnDay } from './day.js'
import type { Period } from './period.js'

/** The time from `start` up to, but not including, `end`; unlimited without a bound. */
export interface TimeRange {
  start?: Date
  end?: Date
}

/** The time from `start` up to, but not including, `end`, which is never before `start`. */
export type Interval = Required<TimeRange>

/** Returns the time of the days of a period, from the first midnight to the last. */
export function timeOf({ first, last }: Partial<Period>): TimeRange {
  return {
    ...(first === undefined ? {} : { start: startOfDay(first) }),
    ...(last === undefined ? {} : { end: endOfDay(last) }),
  }
}

/** Returns hours of a day, in minutes after midnight, as instants: clock changes make them shorter or longer. */
export function intervalsOn(day: Day, hours: readonly { from: number; to: number }[]): Interval[] {
  return hours.map(({ from, to }) => ({ start: timeOnDay(day, from), end: timeOnDay(day, to) }))
}

/** Returns the intersection of two intervals; undefined if they are disjoint or only touch. */
export function overlap(a: Interval, b: Interval): Interval | undefined {
  const startMs = Math.max(a.start.getTime(), b.start.getTime())
  const endMs = Math.min(a.end.getTime(), b.end.getTime())
  return startMs < endMs ? { start: new Date(startMs), end: new Date(endMs) } : undefined
}

/**
 * Splits an interval at the starts of the user's days.
 *
 * The pieces are in order and without gaps: the first starts with the interval, the last ends with it. An empty interval is
 * one piece.
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

/** Returns the whole seconds of an interval, rounded down. */
export function durationSeconds({ start, end }: Interval): number {
  return Math.floor((end.getTime() - start.getTime()) / 1000)
}
