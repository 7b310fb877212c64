import { addDays, dayOf } from '../../calendar/day.js'
import { formatDuration } from '../../calendar/duration.js'
import { formatTime, parseTime } from '../../calendar/time.js'
import { durationOf, type Entry, labelOf } from '../../tracking/entries.js'

/** A moment within an entry, as it was typed: a time of day alone is the first of them after its start. */
export function timeWithin(text: string, entry: Entry, now: Date): Date {
  const day = dayOf(entry.start)
  const at = parseTime(text, now, day)
  if (at > entry.start) return at
  const nextDay = parseTime(text, now, addDays(day, 1))
  return nextDay < (entry.end ?? now) ? nextDay : at
}

/** "1h 30m (09:30–11:00)", with the day where it is not today. */
export function lengthAndTimes(entry: Entry, now: Date): string {
  const end = entry.end ? formatTime(entry.end, entry.start) : 'running'
  return `${formatDuration(durationOf(entry, now))} (${formatTime(entry.start, now)}–${end})`
}

/** "entry 12, Acme / Website / Design, 1h 30m (09:30–11:00)". */
export function described(entry: Entry, now: Date): string {
  return `entry ${entry.id}, ${labelOf(entry)}, ${lengthAndTimes(entry, now)}`
}
