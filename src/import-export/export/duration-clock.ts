import { durationSeconds } from '../../lib/calendar/interval.js'
import { pad } from '../../lib/calendar/wall-time.js'

/** Returns a duration as hours, minutes and seconds: 01:30:00. */
export function durationClock(start: Date, end: Date): string {
  const seconds = durationSeconds({ start, end })
  return [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(pad).join(':')
}
