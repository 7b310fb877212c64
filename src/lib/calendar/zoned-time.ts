import { dayMs } from '../time-units.js'

/**
 * Returns the instant, in epoch milliseconds, at which clocks in the time zone (IANA name) show the wall time `wall`,
 * which is given as if it were UTC. Of a repeated hour it is the first instant; a skipped time moves forward by the length
 * of the gap. NaN for an unknown time zone. The service has the same rule (src/service/resources/time-zone.ts).
 */
export function instantInZone(wall: number, zone: string): number {
  const clock = clockOf(zone)
  if (!clock || Number.isNaN(wall)) return Number.NaN
  const offsetMs = (instant: number) => wallTimeOf(clock, instant) - instant
  const [before, after] = [offsetMs(wall - dayMs), offsetMs(wall + dayMs)]
  const matching = [before, after].filter((offset) => offsetMs(wall - offset) === offset)
  return wall - (matching.length > 0 ? Math.max(...matching) : before)
}

const clocks = new Map<string, Intl.DateTimeFormat | undefined>()

/** Returns undefined for a time zone that the runtime does not support. */
function clockOf(zone: string): Intl.DateTimeFormat | undefined {
  if (!clocks.has(zone)) clocks.set(zone, createClock(zone))
  return clocks.get(zone)
}

function createClock(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    const numeric = 'numeric'
    return new Intl.DateTimeFormat('en-US', {
      ...{ timeZone, calendar: 'gregory', hourCycle: 'h23' },
      ...{ year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric },
    })
  } catch {
    return undefined // Intl throws RangeError for an unknown time zone.
  }
}

/** Returns the wall time of an instant as if it were UTC, without fractions of a second of the offset. */
function wallTimeOf(clock: Intl.DateTimeFormat, instant: number): number {
  const parts = new Map(clock.formatToParts(instant).map(({ type, value }) => [type, Number(value)]))
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
  const wall = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  )
  return wall + (instant - Math.floor(instant / 1000) * 1000)
}
