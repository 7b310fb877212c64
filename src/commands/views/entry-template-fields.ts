import { dayOf } from '../../lib/calendar/day.js'
import { formatTime } from '../../lib/calendar/time.js'
import type { TemplateWord } from '../../records/shapes/entries.js'
import { decimalHours } from '../../report/decimal-hours.js'
import { durationOf, type Entry, labelOf } from '../../tracking/entries/entry.js'
import type { TemplateField } from '../../ui/view.js'
import { durationText, type EntryDisplay, weekdayName } from './entry.js'

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
