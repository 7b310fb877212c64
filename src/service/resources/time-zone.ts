import { dayMs } from '../../lib/time-units.js'

/** The first instant of `day` (YYYY-MM-DD) in the zone (IANA name), in epoch milliseconds. */
export function startOfDay(day: string, zone: string): Promise<number> {
  return instantAt(Date.parse(`${day}T00:00:00Z`), zone)
}

/**
 * The instant, in epoch milliseconds, at which clocks in the zone (IANA name) show `wall`, given as if it were UTC: the
 * first one where they show it twice, and where they skip it, as long after the change as `wall` is.
 */
export async function instantAt(wall: number, zone: string): Promise<number> {
  if (zone === 'UTC') return wall
  const { tzOffset } = await import('@date-fns/tz')
  const offsetMs = (instant: number) => tzOffset(zone, new Date(instant)) * 60_000
  const [before, after] = [offsetMs(wall - dayMs), offsetMs(wall + dayMs)]
  const readings = [before, after].filter((offset) => offsetMs(wall - offset) === offset)
  return wall - (readings.length > 0 ? Math.max(...readings) : before)
}

/** The day (YYYY-MM-DD) that an instant, in epoch milliseconds, belongs to in the zone. */
export async function dayAt(instant: number, zone: string): Promise<string> {
  const { tzOffset } = await import('@date-fns/tz')
  return new Date(instant + tzOffset(zone, new Date(instant)) * 60_000).toISOString().slice(0, 10)
}

/** Whether the runtime knows the time zone. */
export function isTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== ''
  } catch {
    return false // RangeError is how Intl says that it does not know a zone.
  }
}
