import ICAL from 'ical.js'
import { type Day, dayOf, eachDay } from '../../calendar/day.js'

/** Those of more than a century of days: a rule that makes more is not one of holidays. */
const maxOccurrences = 50_000

/**
 * The days of the year that events of an iCalendar text (RFC 5545) lie on, by the user's zone. What an event only touches
 * with a part counts as a whole day; its end (DTEND) is not within it. Cancelled events are none, and neither are those
 * that take no time (TRANSP:TRANSPARENT), unless all are such: calendars of public holidays often mark them so.
 *
 * Throws Error for what is no iCalendar.
 */
export function parseCalendar(text: string): (year: number) => Set<Day> {
  const all = eventsOf(text).map((event) => new Series(event))
  return (year) => new Set(all.flatMap((series) => [...daysOf(series, year)]))
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
  const events = all
    .filter((event) => !event.hasProperty('recurrence-id'))
    .map((event) => {
      const uid = event.getFirstPropertyValue('uid')
      const exceptions = changed.filter((other) => other.getFirstPropertyValue('uid') === uid)
      return new ICAL.Event(event, { exceptions, strictExceptions: false })
    })
  const opaque = events.filter(({ component }) => upperCaseValue(component, 'transp') !== 'TRANSPARENT')
  return opaque.length > 0 ? opaque : events
}

function* daysOf(series: Series, year: number): Generator<Day> {
  const [newYear, newYearsEve] = [`${year}-01-01`, `${year}-12-31`]
  for (const { item, startDate, endDate } of series.occurrencesNear(year)) {
    if (upperCaseValue(item.component, 'status') === 'CANCELLED') continue
    const { first, last } = span(startDate, endDate)
    yield* eachDay(first > newYear ? first : newYear, last < newYearsEve ? last : newYearsEve)
  }
}

/** The occurrences of an event, found as far as they are asked for: finding them takes long. */
class Series {
  readonly #event: ICAL.Event
  readonly #iterator: ICAL.RecurExpansion
  readonly #excluded: Set<string>
  readonly #starts: ICAL.Time[] = []
  #next: ICAL.Time | undefined

  constructor(event: ICAL.Event) {
    this.#event = event
    this.#iterator = event.iterator()
    this.#next = this.#iterator.next()
    // The iterator passes over one that follows right after another: RFC 5545 section 3.8.5.1 excludes each.
    const dates = event.component.getAllProperties('exdate')
    this.#excluded = new Set(dates.flatMap((property) => property.getValues().map(String)))
  }

  /** Those that may have a part in the year. One that repeats lasts for less than a year. */
  occurrencesNear(year: number): ReturnType<ICAL.Event['getOccurrenceDetails']>[] {
    // A year more, because another zone may have the new year before this one.
    for (; this.#next && this.#next.year <= year + 1; this.#next = this.#iterator.next()) {
      if (this.#starts.length === maxOccurrences)
        throw new Error(`"${this.#event.summary}" repeats too often`)
      if (!this.#excluded.has(String(this.#next))) this.#starts.push(this.#next)
    }
    return this.#starts
      .filter((start) => start.year <= year + 1 && (start.year >= year - 1 || !this.#event.isRecurring()))
      .map((start) => this.#event.getOccurrenceDetails(start))
  }
}

/** The value of a property that is one of a few words, whose case does not matter. */
function upperCaseValue(component: ICAL.Component, name: string): string {
  return String(component.getFirstPropertyValue(name) ?? '').toUpperCase()
}

/** The days of the user's calendar that it touches: floating times and dates are those of the user's own zone. */
function span(start: ICAL.Time, end: ICAL.Time): { first: Day; last: Day } {
  const [from, to] = [start.toJSDate(), end.toJSDate()]
  return { first: dayOf(from), last: to > from ? dayOf(new Date(to.getTime() - 1)) : dayOf(from) }
}
