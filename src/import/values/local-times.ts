import { instantAt, type WallTime } from '../../calendar/wall-time.js'
import { dayMs, minuteMs } from '../../lib/time-units.js'

/** A time as a source writes it: an instant, or a local time in the user's time zone. */
export type SourceTime = Date | WallTime

/** The start and end of an entry; otherwise which of both is impossible, and what would be possible. */
export type ResolvedTimes = { start: Date; end: Date | null } | { part: 'start' | 'end'; expectation: string }

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
  if (seconds !== undefined) {
    const ends = end ? instantsOf(end).map((instant) => instant.getTime()) : []
    const endOf = (instant: Date) => new Date(instant.getTime() + seconds * 1000)
    const fitting = starts.find((instant) =>
      ends.some((at) => Math.abs(at - endOf(instant).getTime()) < minuteMs),
    )
    const chosen = fitting ?? first
    return { start: chosen, end: endOf(chosen) }
  }
  if (!end) return { start: first, end: null }
  const ends = instantsOf(end)
  if (ends.length === 0) return { part: 'end', expectation: existingTime }
  for (const from of starts) {
    const to = ends.find((instant) => instant >= from)
    if (to) return { start: from, end: to }
  }
  return { part: 'end', expectation: 'a time that is not before the start' }
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
