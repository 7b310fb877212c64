import type ICAL from '../../../lib/icalendar.js'
import { dayMs, minuteMs } from '../../../lib/time-units.js'
import { InvalidValueError } from '../format.js'
import type { ComponentBlock } from '../formats/ical.js'
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

/** An offset from UTC, such as `+01:00` or `GMT-0500`. */
const fixedOffset = /^(?:UTC|GMT)?[+-]\d\d:?\d\d$/i

/** Matches a parameter TZID. Some programs write a name with colons without the quotation marks that it requires. */
const zoneParameter = /;TZID=(?:"([^"\r\n]*)"|(\([^"\r\n]*?)(?=:\d{8})|([^";:\r\n]*))/gi

/** Returns the text of a block with quotation marks around the names of time zones that contain colons. */
export function withQuotedZones(text: string): string {
  return text.replace(zoneParameter, (parameter, _quoted, bare?: string) =>
    bare === undefined ? parameter : `;TZID="${bare}"`,
  )
}

/** The time zones that a calendar names but need not define. */
export class ZoneNames {
  readonly #names = new Set<string>()
  readonly #offsetOf: OffsetOf
  /** The IANA names of other names. */
  readonly #zones = new Map<string, string>()

  /** @param offsetOf accepts IANA names and offsets */
  constructor(offsetOf: OffsetOf) {
    this.#offsetOf = offsetOf
  }

  /** Collects the names in a block. */
  add({ text }: ComponentBlock) {
    for (const [, quoted, bare, plain] of text.matchAll(zoneParameter))
      this.#names.add(quoted ?? bare ?? plain ?? '')
  }

  /** Loads the names of Windows, if others than IANA names were added that the calendar does not define. */
  async resolve(isDefined: (name: string) => boolean): Promise<void> {
    const others = [...this.#names].filter(
      (name) => !isDefined(name) && !isIana(name) && !fixedOffset.test(name),
    )
    if (others.length === 0) return
    const { windowsZone } = await import('./windows-zones.js')
    for (const name of others) {
      const zone =
        ianaPartOf(name) ?? windowsZone(name.replace(/^tzone:\/\/Microsoft\//i, ''), this.#offsetOf)
      if (zone !== undefined) this.#zones.set(name, zone)
    }
  }

  /** Returns the offset of a time zone by its name in the calendar; NaN for an unknown one. */
  readonly offsetOf: OffsetOf = (name, instant) => {
    const zone = this.#zones.get(name) ?? name
    return isIana(zone) || fixedOffset.test(zone) ? this.#offsetOf(zone, instant) : Number.NaN
  }
}

/** Returns the IANA name at the end of a globally unique name such as `/mozilla.org/20070129_1/Europe/Berlin`. */
function ianaPartOf(name: string): string | undefined {
  if (!name.startsWith('/')) return undefined
  const parts = name.split('/').slice(1)
  return parts.map((_, index) => parts.slice(index).join('/')).find(isIana)
}

const known = new Map<string, boolean>()

function isIana(name: string): boolean {
  let isValid = known.get(name)
  if (isValid === undefined) {
    isValid = /^[a-z]/i.test(name) && isTimeZone(name)
    known.set(name, isValid)
  }
  return isValid
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
