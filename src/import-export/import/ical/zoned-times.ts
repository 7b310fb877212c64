import type ICAL from '../../../lib/icalendar.js'
import { dayMs, minuteMs } from '../../../lib/time-units.js'
import { InvalidValueError } from '../invalid-row.js'
import { instantsOf } from '../values/local-times.js'

/** Returns the offset of a time zone from UTC at an instant, in minutes; NaN for an unknown zone. */
export type OffsetOf = (zone: string, instant: Date) => number

/**
 * Returns the instant of a time in a calendar: in UTC, in a time zone that the calendar defines, in one with an IANA name,
 * or floating, which is the user's time zone (RFC 5545 section 3.3.5). Of a time that occurs twice it is the first instant.
 *
 * Throws InvalidValueError for an unknown time zone, and for a floating time that clocks skip.
 *
 * @param zone the parameter TZID of the property
 */
export function instantOfTime(time: ICAL.Time, zone: string | undefined, offsetOf: OffsetOf): Date {
  // `zone` of the library is the floating one unless the calendar defines the time zone.
  const isFloating = time.zone?.tzid === 'floating'
  if (!isFloating) return new Date(time.toUnixTime() * 1000)
  if (zone !== undefined) return instantInZone(time, zone, offsetOf)
  const { year, month, day, hour, minute, second } = time
  const [instant] = instantsOf({ year, month, day, hour, minute, second, millisecond: 0 })
  if (instant) return instant
  throw new InvalidValueError(time.toString(), 'a time that exists: the clocks go forward over it', 'DTSTART')
}

function instantInZone(time: ICAL.Time, zone: string, offsetOf: OffsetOf): Date {
  const wall = Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute, time.second)
  const offsetMs = (instantMs: number) => offsetOf(zone, new Date(instantMs)) * minuteMs
  const offsets = [offsetMs(wall - dayMs), offsetMs(wall + dayMs)]
  if (offsets.some(Number.isNaN)) {
    throw new InvalidValueError(
      zone,
      'a time zone that the calendar defines, or an IANA name such as Europe/Berlin',
      'TZID',
    )
  }
  const matching = offsets.filter((offset) => offsetMs(wall - offset) === offset)
  // The larger offset is that of the first of two equal times. A skipped time moves forward by the length of the gap.
  return new Date(wall - (matching.length > 0 ? Math.max(...matching) : (offsets[0] ?? 0)))
}
