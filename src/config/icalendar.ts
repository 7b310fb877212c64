import ICAL from 'ical.js'
import { type Day, dayOf, eachDay } from '../calendar/day.js'

/** Those of more than a century of days: a rule that makes more is not one of holidays. */
const mostOccurrences = 50_000

/**
 * The days of the year that events of an iCalendar text (RFC 5545) lie on, by the user's zone. What an event only touches
 * with a part counts as a whole day; its end (DTEND) is not within it. Cancelled events are none, and neither are those
 * that take no time (TRANSP:TRANSPARENT), unless all are such: calendars of public holidays often mark them so.
 *
 * Throws Error for what is no iCalendar.
 */
export function parseCalendar(text: string): (year: number) => Set<Day> {
  const events = eventsOf(text)
  return (year) => new Set(events.flatMap((event) => [...daysOf(event, year)]))
}

/** The events that count, without those that change one occurrence of another. */
function eventsOf(text: string): ICAL.Event[] {
  const parsed: unknown = ICAL.parse(text)
  // Of several calendars in one text, it is a list.
  const calendars = (Array.isArray(parsed) && Array.isArray(parsed[0]) ? parsed : [parsed]) as unknown[]
  const components = calendars.map(
    (calendar) => new ICAL.Component(calendar as [string, unknown[], unknown[]]),
  )
  if (components.length === 0 || components.some(({ name }) => name !== 'vcalendar'))
    throw new Error('it holds no VCALENDAR')
  const all = components.flatMap((calendar) => calendar.getAllSubcomponents('vevent'))
  const changed = all.filter((event) => event.hasProperty('recurrence-id'))
  const whole = all
    .filter((event) => !event.hasProperty('recurrence-id'))
    .map((event) => {
      const uid = event.getFirstPropertyValue('uid')
      const exceptions = changed.filter((other) => other.getFirstPropertyValue('uid') === uid)
      return new ICAL.Event(event, { exceptions, strictExceptions: false })
    })
  const opaque = whole.filter(({ component }) => component.getFirstPropertyValue('transp') !== 'TRANSPARENT')
  return opaque.length > 0 ? opaque : whole
}

function* daysOf(event: ICAL.Event, year: number): Generator<Day> {
  const [newYear, newYearsEve] = [`${year}-01-01`, `${year}-12-31`]
  for (const { item, startDate, endDate } of occurrencesUntil(event, year)) {
    if (item.component.getFirstPropertyValue('status') === 'CANCELLED') continue
    const { first, last } = span(startDate, endDate)
    yield* eachDay(first > newYear ? first : newYear, last < newYearsEve ? last : newYearsEve)
  }
}

/** The occurrences that begin in that year or earlier; some of the next one may be among them. */
function* occurrencesUntil(
  event: ICAL.Event,
  year: number,
): Generator<ReturnType<ICAL.Event['getOccurrenceDetails']>> {
  // The iterator of ical.js passes over one that follows right after another: RFC 5545 section 3.8.5.1 excludes each.
  const excluded = new Set(
    event.component.getAllProperties('exdate').flatMap((property) => property.getValues().map(String)),
  )
  const iterator = event.iterator()
  for (let count = 0; ; count++) {
    if (count === mostOccurrences) throw new Error(`"${event.summary}" repeats too often`)
    const next = iterator.next()
    // A year more, because another zone may have the new year before this one.
    if (!next || next.year > year + 1) return
    if (!excluded.has(String(next))) yield event.getOccurrenceDetails(next)
  }
}

/** The days of the user's calendar that it touches: floating times and dates are those of the user's own zone. */
function span(start: ICAL.Time, end: ICAL.Time): { first: Day; last: Day } {
  const [from, to] = [start.toJSDate(), end.toJSDate()]
  return { first: dayOf(from), last: to > from ? dayOf(new Date(to.getTime() - 1)) : dayOf(from) }
}
