import { shortWeekdayName } from '../../lib/calendar/calendar-names.js'
import { dayOf, weekday } from '../../lib/calendar/day.js'
import type { DurationDisplay } from '../../lib/calendar/duration-display.js'
import { formatDateTime, formatTime } from '../../lib/calendar/time.js'
import { replaceTags } from '../../lib/text/tags.js'
import type { TemplateWord } from '../../records/shapes/entries.js'
import { decimalHours } from '../../report/decimal-hours.js'
import { durationOf, type Entry, entryJson, labelOf } from '../../tracking/entries/entry.js'
import type { CalendarEvent, Style, TemplateField, View } from '../../ui/view.js'
import { emptyList } from './record.js'

/** What the texts of an entry depend on, such as the context of the command; a running entry counts up to `now`. */
export interface EntryDisplay {
  readonly now: Date
  readonly durations: DurationDisplay
}

/** Returns the view of entries. */
export function entryView<Row extends Entry>(shown: EntryDisplay): View<Row> {
  const { now } = shown
  return {
    columns: [
      { key: 'id', title: 'ID', align: 'right' },
      {
        key: 'time_start',
        title: 'From',
        text: (entry, _, grouped) => (grouped ? formatTime(entry.start) : formatDateTime(entry.start)),
      },
      { key: 'time_end', title: 'To', text: endText },
      {
        key: 'duration_seconds',
        title: 'Duration',
        align: 'right',
        text: (entry) => durationText(entry, shown),
      },
      { key: 'client', title: 'Client', canShrink: true },
      { key: 'project', title: 'Project', canShrink: true },
      { key: 'task', title: 'Task', canShrink: true },
      { key: 'notes', title: 'Notes', canShrink: true, text: notesText },
    ],
    omittedFirst: ['client', 'time_end', 'notes'],
    json: (entry) => entryJson(entry, now),
    optional: ['local_id'],
    line: (entry, style) => sentence(entry, shown, style),
    empty: emptyList('entries', 'tt add TASK 9:00-11:30', 'adds one'),
  }
}

/** Returns the weekday on which an entry begins: "Wed". */
export function weekdayName({ start }: Entry): string {
  return shortWeekdayName(weekday(dayOf(start)))
}

function endText(entry: Entry, style: Style): string {
  return entry.end ? formatTime(entry.end, entry.start) : style.green('running')
}

function notesText({ pending, invoice, notes }: Entry, style: Style): string {
  const marks = [pending && style.yellow('pending'), invoiceMark(invoice, style)]
  return [...marks, replaceTags(notes, style.cyan)].filter(Boolean).join('  ')
}

/** Returns the mark of a record that is on an invoice. */
export function invoiceMark(number: string | null, style: Style): string | false {
  return number !== null && style.dim(`invoice ${number}`)
}

/** Returns the duration of an entry as displayed. */
export function durationText(entry: Entry, { now, durations }: EntryDisplay): string {
  return durations.format(durationOf(entry, now))
}

function sentence(entry: Entry, shown: EntryDisplay, style: Style): string {
  const { now } = shown
  const label = style.bold(labelOf(entry))
  const duration = durationText(entry, shown)
  const when = entry.end
    ? `${formatTime(entry.start, now)}–${formatTime(entry.end, entry.start)}`
    : `since ${formatTime(entry.start, now)}`
  const pending = entry.pending && style.yellow('pending')
  const invoice = invoiceMark(entry.invoice, style)
  return [label, `${duration} (${when})`, pending, invoice, entry.notes && style.dim(entry.notes)]
    .filter(Boolean)
    .join('  ')
}

/** Returns the formatted fields for templates of entries. */
export function entryTemplateFields(shown: EntryDisplay): TemplateField<Entry>[] {
  const texts: Record<TemplateWord, (entry: Entry) => string> = {
    day: ({ start }) => dayOf(start),
    weekday: weekdayName,
    from: ({ start }) => formatTime(start),
    to: ({ start, end }) => (end ? formatTime(end, start) : 'running'),
    duration: (entry) => durationText(entry, shown),
    hours: (entry) => decimalHours(durationOf(entry, shown.now)),
    label: labelOf,
  }
  return Object.entries(texts).map(([key, text]) => ({ key, text }))
}

/** Converts an entry to a calendar event. A running entry ends `now` and is tentative. */
export function eventOf(entry: Entry, uid: string, now: Date): CalendarEvent {
  const { start, end, notes, link, wire } = entry
  const modified = instantOf(wire.updated_at)
  return {
    uid,
    start,
    end: end ?? now,
    stamp: (end && modified) ?? now,
    created: instantOf(wire.created_at),
    modified,
    summary: labelOf(entry),
    description: notes,
    categories: [link?.client, link?.project, link?.task].flatMap((named) => (named ? [named.name] : [])),
    isTentative: end === null,
  }
}

/** Returns the instant; undefined when it is absent or invalid, because the API does not document these times. */
function instantOf(value: unknown): Date | undefined {
  const instant = typeof value === 'string' ? new Date(value) : undefined
  return instant === undefined || Number.isNaN(instant.getTime()) ? undefined : instant
}
