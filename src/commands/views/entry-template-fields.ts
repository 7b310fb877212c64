import { dayOf } from '../../calendar/day.js'
import { formatDuration } from '../../calendar/duration.js'
import { formatTime } from '../../calendar/time.js'
import { durationOf, type Entry, labelOf } from '../../entries/entry.js'
import type { TemplateField } from '../../ui/view.js'
import { weekdayName } from './entry.js'

/** Returns the formatted fields for templates of entries; a running entry counts up to `now`. */
export function entryTemplateFields(now: Date): TemplateField<Entry>[] {
  return [
    { key: 'day', text: ({ start }) => dayOf(start) },
    { key: 'weekday', text: weekdayName },
    { key: 'from', text: ({ start }) => formatTime(start) },
    { key: 'to', text: ({ start, end }) => (end ? formatTime(end, start) : 'running') },
    { key: 'duration', text: (entry) => formatDuration(durationOf(entry, now)) },
    { key: 'hours', text: (entry) => (durationOf(entry, now) / 3600).toFixed(2) },
    { key: 'label', text: labelOf },
  ]
}
