import ICAL from 'ical.js'

/** A time of RDATE (RFC 5545 section 3.8.5.2). */
export interface AdditionalTime {
  time: ICAL.Time
  /** The parameter TZID. */
  zone: string | undefined
  /** The end or the duration of a period; undefined for a time, which has the length of the event. */
  end: ICAL.Time | ICAL.Duration | undefined
}

/** Returns the times of RDATE. A date means the time of day of `start`, which is the start of the event. */
export function additionalTimes(event: ICAL.Component, start: ICAL.Time): AdditionalTime[] {
  return event.getAllProperties('rdate').flatMap((property) => {
    const zone = property.getParameter('tzid') as string | undefined
    return (property.getValues() as (ICAL.Time | ICAL.Period)[]).map((value): AdditionalTime => {
      if (value instanceof ICAL.Period) return { time: value.start, zone, end: value.end ?? value.duration }
      if (!value.isDate) return { time: value, zone, end: undefined }
      const time = start.clone()
      time.year = value.year
      time.month = value.month
      time.day = value.day
      return { time, zone: undefined, end: undefined }
    })
  })
}
