import { pad } from '../../lib/calendar/wall-time.js'

export { formatWallDate as localDate } from '../../lib/calendar/wall-time.js'

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
