import { instantAt, type WallTime } from '../../../lib/calendar/zoned-time.js'
import { dayMs, hourMs, minuteMs } from '../../../lib/time-units.js'

/** A time as a source writes it: an instant, or a local time in the user's time zone. */
export type SourceTime = Date | WallTime

/** The start and end of an entry; otherwise which part is impossible, and what would be possible. */
export type ResolvedTimes =
  | { start: Date; end: Date | null }
  | { part: 'start' | 'end' | 'duration'; expectation: string }

/**
 * Upper bound for the difference between a duration and its start and end: reports round times, and if the clocks of the
 * source change in another time zone, its local times differ by an hour.
 */
const maxDifferenceMs = hourMs

const existingTime = 'a time that exists: the clocks go forward over it'

/**
 * Returns the instants of an entry with local times.
 *
 * A start that occurs twice, because clocks go back, is the first one that fits the end or the duration; an end that
 * occurs twice is the first one that is not before the start. With a duration, the end is that much later than the start,
 * so that the total is that of the source even if its times are rounded.
 *
 * @param seconds the duration; undefined if the source has none
 * @param end null for an entry that runs; undefined if the source has none
 */
export function resolveTimes(
  start: SourceTime,
  end: SourceTime | null | undefined,
  seconds: number | undefined,
): ResolvedTimes {
  const starts = instantsOf(start)
  const [first] = starts
  if (first === undefined) return { part: 'start', expectation: existingTime }
  if (!end) return { start: first, end: seconds === undefined ? null : after(first, seconds) }
  const ends = instantsOf(end)
  if (seconds !== undefined) return withDuration(starts, first, ends, seconds)
  if (ends.length === 0) return { part: 'end', expectation: existingTime }
  for (const from of starts) {
    const to = ends.find((instant) => instant >= from)
    if (to) return { start: from, end: to }
  }
  return { part: 'end', expectation: 'a time at or after the start' }
}

function after(instant: Date, seconds: number): Date {
  return new Date(instant.getTime() + seconds * 1000)
}

function withDuration(
  starts: readonly Date[],
  first: Date,
  ends: readonly Date[],
  seconds: number,
): ResolvedTimes {
  const differenceMs = (start: Date) =>
    Math.min(...ends.map((end) => Math.abs(end.getTime() - after(start, seconds).getTime())))
  const start = starts.find((instant) => differenceMs(instant) < minuteMs) ?? first
  if (ends.length > 0 && differenceMs(start) > maxDifferenceMs)
    return { part: 'duration', expectation: 'the time between start and end' }
  return { start, end: after(start, seconds) }
}

/** Returns the instants of a local time in order: none if clocks go forward over it, two if it occurs twice. */
export function instantsOf(time: SourceTime): Date[] {
  if (time instanceof Date) return [time]
  const { instant, isSkipped } = instantAt(time)
  if (isSkipped) return []
  const later = new Date(instant.getTime() + dayMs)
  const changeMinutes = later.getTimezoneOffset() - instant.getTimezoneOffset()
  if (changeMinutes <= 0) return [instant]
  const second = new Date(instant.getTime() + changeMinutes * minuteMs)
  return shows(second, time) ? [instant, second] : [instant]
}

function shows(instant: Date, wall: WallTime): boolean {
  return (
    instant.getFullYear() === wall.year &&
    instant.getMonth() + 1 === wall.month &&
    instant.getDate() === wall.day &&
    instant.getHours() === wall.hour &&
    instant.getMinutes() === wall.minute
  )
}
