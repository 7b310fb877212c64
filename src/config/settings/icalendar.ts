import { type Day, dayOf, eachDay } from '../../lib/calendar/day.js'
import type { Period } from '../../lib/calendar/period.js'
import ICAL, { RecurrenceLimit } from '../../lib/icalendar.js'

/** Upper bound for the occurrences of an event: more than a century of days. */
const maxOccurrences = 50_000

/**
 * Parses an iCalendar text (RFC 5545) and returns a function from a year to the days of its events, in the user's time
 * zone. An event covers every day that it touches; its end (DTEND) is exclusive. Cancelled events do not count, nor do
 * transparent ones (TRANSP), unless all are: calendars of public holidays often mark them so.
 *
 * Throws Error for text that is not iCalendar, and for events that repeat too often.
 */
export function parseCalendar(text: string): (year: number) => Set<Day> {
  const limit = new RecurrenceLimit()
  const all = limit.run(() => eventsOf(text).map((event) => new Series(event)))
  return (year) => limit.run(() => daysOfAll(all, year))
}

function daysOfAll(all: readonly Series[], year: number): Set<Day> {
  const days = new Set<Day>()
  for (const series of all) for (const day of daysOf(series, year)) days.add(day)
  return days
}

/** Returns the events of the calendars, with changed occurrences as exceptions of their event. */
function eventsOf(text: string): ICAL.Event[] {
  const parsed: unknown = ICAL.parse(text)
  // Several calendars in one text are parsed into a list.
  const calendars = (Array.isArray(parsed) && Array.isArray(parsed[0]) ? parsed : [parsed]) as unknown[]
  const components = calendars.map(
    (calendar) => new ICAL.Component(calendar as [string, unknown[], unknown[]]),
  )
  if (components.length === 0 || components.some(({ name }) => name !== 'vcalendar'))
    throw new Error('it contains no VCALENDAR')
  const all = components.flatMap((calendar) => calendar.getAllSubcomponents('vevent'))
  const changed = all.filter((event) => event.hasProperty('recurrence-id'))
  const changesOf = new Map<unknown, ICAL.Component[]>()
  for (const event of changed) {
    const exceptions = changesOf.get(uidOf(event))
    if (exceptions) exceptions.push(event)
    else changesOf.set(uidOf(event), [event])
  }
  const events = all
    .filter((event) => !event.hasProperty('recurrence-id'))
    .map((event) => {
      const exceptions = changesOf.get(uidOf(event)) ?? []
      return new ICAL.Event(event, { exceptions, strictExceptions: false })
    })
  const opaque = events.filter(({ component }) => upperCaseValue(component, 'transp') !== 'TRANSPARENT')
  return opaque.length > 0 ? opaque : events
}

const uidOf = (event: ICAL.Component) => event.getFirstPropertyValue('uid')

function* daysOf(series: Series, year: number): Generator<Day> {
  const [newYear, newYearsEve] = [`${year}-01-01`, `${year}-12-31`]
  for (const { item, startDate, endDate } of series.occurrencesNear(year)) {
    if (upperCaseValue(item.component, 'status') === 'CANCELLED') continue
    RecurrenceLimit.countStep()
    const { first, last } = span(startDate, endDate)
    yield* eachDay(first > newYear ? first : newYear, last < newYearsEve ? last : newYearsEve)
  }
}

/** The occurrences of an event, computed on demand because that is slow. */
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
    // The iterator skips the second of two consecutive EXDATEs; RFC 5545 section 3.8.5.1 excludes both.
    const dates = event.component.getAllProperties('exdate')
    this.#excluded = new Set(dates.flatMap((property) => property.getValues().map(String)))
  }

  /** Returns the occurrences that can overlap the year. A recurring one lasts less than a year. */
  occurrencesNear(year: number): ReturnType<ICAL.Event['getOccurrenceDetails']>[] {
    // One more year, because the new year can begin earlier in another time zone.
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

/** Returns the value of a case-insensitive property in upper case. */
function upperCaseValue(component: ICAL.Component, name: string): string {
  return String(component.getFirstPropertyValue(name) ?? '').toUpperCase()
}

/** Returns the days between two times; floating times and dates are in the user's time zone. */
function span(start: ICAL.Time, end: ICAL.Time): Period {
  const [from, to] = [start.toJSDate(), end.toJSDate()]
  return { first: dayOf(from), last: to > from ? dayOf(new Date(to.getTime() - 1)) : dayOf(from) }
}
