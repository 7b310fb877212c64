import { dayMs } from '../time-units.js'

/** Returns the first instant of `day` (YYYY-MM-DD) in the time zone (IANA name), in epoch milliseconds. */
export function startOfDay(day: string, zone: string): Promise<number> {
  return instantAt(Date.parse(`${day}T00:00:00Z`), zone)
}

/** Returns the first instant after `day` (YYYY-MM-DD) in the time zone (IANA name), in epoch milliseconds. */
export function endOfDay(day: string, zone: string): Promise<number> {
  return instantAt(Date.parse(`${day}T00:00:00Z`) + dayMs, zone)
}

/**
 * Returns the instant, in epoch milliseconds, at which clocks in the time zone (IANA name) show the wall time `wall`,
 * which is given as if it were UTC. Of a repeated hour it returns the first instant; a skipped time moves forward by the
 * length of the gap.
 */
export async function instantAt(wall: number, zone: string): Promise<number> {
  if (zone === 'UTC') return wall
  const { tzOffset } = await import('@date-fns/tz')
  const offsetMs = (instant: number) => tzOffset(zone, new Date(instant)) * 60_000
  const [before, after] = [offsetMs(wall - dayMs), offsetMs(wall + dayMs)]
  const matchingOffsets = [before, after].filter((offset) => offsetMs(wall - offset) === offset)
  return wall - (matchingOffsets.length > 0 ? Math.max(...matchingOffsets) : before)
}

/** Returns the day (YYYY-MM-DD) of an instant, in epoch milliseconds, in the time zone. */
export async function dayAt(instant: number, zone: string): Promise<string> {
  const { tzOffset } = await import('@date-fns/tz')
  return new Date(instant + tzOffset(zone, new Date(instant)) * 60_000).toISOString().slice(0, 10)
}

/** Whether the runtime supports the time zone. */
export function isTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== ''
  } catch {
    return false // Intl throws RangeError for an unknown time zone.
  }
}
