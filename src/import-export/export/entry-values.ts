import { durationSeconds } from '../../lib/calendar/interval.js'
import { pad } from '../../lib/calendar/zoned-time.js'
import { tagsIn } from '../../lib/text/tags.js'
import { pathOf } from '../../tracking/catalog/links.js'
import type { ExportedEntry } from './export-format.js'

export { formatWallDate as localDate } from '../../lib/calendar/zoned-time.js'

/** Returns the local time of an instant: 09:30:00. */
export function localTime(instant: Date): string {
  return `${localMinute(instant)}:${pad(instant.getSeconds())}`
}

/** Returns the local time of an instant without seconds: 09:30. */
export function localMinute(instant: Date): string {
  return `${pad(instant.getHours())}:${pad(instant.getMinutes())}`
}

/** Returns the time on the clock as a number for comparison, in epoch milliseconds of the same time in UTC. */
export function localMs(instant: Date): number {
  return instant.getTime() - instant.getTimezoneOffset() * 60_000
}

/** Returns a duration as hours, minutes and seconds: 01:30:00. */
export function durationClock(start: Date, end: Date): string {
  const seconds = durationSeconds({ start, end })
  return [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(pad).join(':')
}

/** Returns the tags of an entry where a format has tags only: its client, project and task, and the tags in its notes. */
export function namesAndTags({ link, notes }: ExportedEntry): string[] {
  return [...new Set([...(link ? pathOf(link) : []), ...tagsIn(notes)])]
}
