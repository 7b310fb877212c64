import { dayOf } from '../../calendar/day.js'
import { formatTime } from '../../calendar/time.js'
import { durationOf, type Entry, labelOf } from '../../entries/entry.js'
import type { TemplateField } from '../../ui/view.js'
import { durationText, type EntryDisplay, weekdayName } from './entry.js'

/** Returns the formatted fields for templates of entries. */
export function entryTemplateFields(shown: EntryDisplay): TemplateField<Entry>[] {
  return [
    { key: 'day', text: ({ start }) => dayOf(start) },
    { key: 'weekday', text: weekdayName },
    { key: 'from', text: ({ start }) => formatTime(start) },
    { key: 'to', text: ({ start, end }) => (end ? formatTime(end, start) : 'running') },
    { key: 'duration', text: (entry) => durationText(entry, shown) },
    { key: 'hours', text: (entry) => (durationOf(entry, shown.now) / 3600).toFixed(2) },
    { key: 'label', text: labelOf },
  ]
}
