import { TtError } from '../../lib/errors.js'
import type { CalendarEvent, View } from '../view.js'
import { type RowWriter, writtenRows } from './row-writer.js'

/**
 * Returns the lines of an iCalendar object (RFC 5545) with an event for each row. Times are in UTC. Control characters, which
 * the format excludes, are replaced by U+FFFD.
 *
 * Throws TtError `usage` if the view has no events.
 */
export async function icalLines<Row>(view: View<Row>, rows: readonly Row[]): Promise<Iterable<string>> {
  return writtenRows(await icalWriter(view), rows)
}

/** Returns the writer of `icalLines`. Throws TtError `usage` if the view has no events. */
export async function icalWriter<Row>(view: View<Row>): Promise<RowWriter<Row>> {
  const { event } = view
  if (!event) throw new TtError('usage', 'These records have no times and cannot be printed as iCalendar.')
  const { default: ICAL } = await import('ical.js')
  // A line has at most 75 octets (section 3.1); the library does not count the leading space of a folded line.
  ICAL.foldLength = 74
  const calendar = ICAL.stringify(['vcalendar', [text('version', '2.0'), text('prodid', producer)], []])
  return {
    head: calendar.slice(0, -closing.length),
    row: (row) => ICAL.stringify(componentOf(event(row))),
    end: () => closing,
  }
}

const producer = '-//tt//Time entries//EN'
const closing = 'END:VCALENDAR\r\n'

/** A property in jCal (RFC 7265 section 3.4), which the library writes as iCalendar. */
type Property = [name: string, parameters: object, type: string, ...values: string[]]

type Component = [name: string, properties: Property[], components: []]

function componentOf(event: CalendarEvent): Component {
  const { uid, start, end, stamp, created, modified, summary, description, categories, isTentative } = event
  const properties: (Property | undefined)[] = [
    text('uid', uid),
    time('dtstamp', stamp),
    time('dtstart', start),
    // An end must be later than the start; an event without an end has no duration (section 3.6.1).
    end > start ? time('dtend', end) : undefined,
    text('summary', summary),
    description === '' ? undefined : text('description', description),
    categories.length === 0 ? undefined : text('categories', ...categories),
    isTentative ? text('status', 'TENTATIVE') : undefined,
    created && time('created', created),
    modified && time('last-modified', modified),
  ]
  return ['vevent', properties.filter((property) => property !== undefined), []]
}

const newline = /\r\n|[\r\u0085\u2028\u2029]/g
/**
 * Matches control characters: the only control character that TEXT may contain is tab (section 3.1), and some terminals
 * interpret C1 control characters.
 */
const controlPattern = () => /(?![\t\n])\p{Cc}/gu

/** Returns a text property. */
function text(name: string, ...values: string[]): Property {
  return [
    name,
    {},
    'text',
    ...values.map((value) => value.replace(newline, '\n').replace(controlPattern(), '\ufffd')),
  ]
}

/** Returns a time property, in UTC and whole seconds. */
function time(name: string, instant: Date): Property {
  return [name, {}, 'date-time', `${instant.toISOString().slice(0, 19)}Z`]
}
