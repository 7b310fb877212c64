import type { Context } from '../../cli/context.js'
import type { TimeOn } from '../../cli/option-values.js'
import { addDays, dayOf } from '../../lib/calendar/day.js'
import { formatDateTime, formatTime } from '../../lib/calendar/time.js'
import { durationOf, type Entry } from '../../tracking/entries/entry.js'
import type { EntryDisplay } from '../views/entry.js'

/** Returns a time within an entry: a time of day is the first one after its start. */
export function timeWithin(time: TimeOn, entry: Entry, now: Date): Date {
  const day = dayOf(entry.start)
  const at = time(day)
  if (at > entry.start) return at
  const nextDay = time(addDays(day, 1))
  return nextDay < (entry.end ?? now) ? nextDay : at
}

/** Upper bound for an overnight entry whose end has no date: a longer one is probably a typing error. */
const longestOvernightMs = 12 * 3_600_000

/**
 * Returns the end of an entry: a time without a date is on the day of its start, or on the following day where that makes
 * at most 12 hours.
 */
export function endAfter(time: TimeOn, start: Date): Date {
  const day = dayOf(start)
  const end = time(day)
  if (end > start) return end
  const nextDay = time(addDays(day, 1))
  return nextDay > start && nextDay.getTime() - start.getTime() <= longestOvernightMs ? nextDay : end
}

/** Returns the message for an end before the start, or for a running entry that starts in the future; undefined for neither. */
export function orderProblem(start: Date, end: Date | null, now: Date): string | undefined {
  if ((end ?? now) >= start) return undefined
  if (!end) return `A running entry cannot start in the future: ${formatTime(start, now)}.`
  const isToday = dayOf(start) === dayOf(now) && dayOf(end) === dayOf(now)
  const format = isToday ? (time: Date) => formatTime(time) : formatDateTime
  return `The end, ${format(end)}, is before the start, ${format(start)}.`
}

/** Warns when a time that the user gave is in the future. */
export function warnOfFutureTimes(ctx: Context, { start, end }: { start?: Date; end?: Date | null }) {
  const { now } = ctx
  if (start && start > now) ctx.terminal.warn(`The start, ${formatTime(start, now)}, is in the future.`)
  else if (end && end > now) ctx.terminal.warn(`The end, ${formatTime(end, now)}, is in the future.`)
}

/** Returns "1h 30m (09:30–11:00)", with the date unless it is today. */
export function lengthAndTimes({ now, durations }: EntryDisplay, entry: Entry): string {
  const end = entry.end ? formatTime(entry.end, entry.start) : 'running'
  return `${durations.format(durationOf(entry, now))} (${formatTime(entry.start, now)}–${end})`
}
