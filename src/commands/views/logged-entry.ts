import { formatDuration } from '../../calendar/duration.js'
import { durationSeconds, type Interval, type TimeRange } from '../../calendar/interval.js'
import type { Entry } from '../../entries/entry.js'
import type { View } from '../../ui/view.js'
import { entryView } from './entry.js'

/** An entry that overlaps a period. */
export interface LoggedEntry extends Entry {
  /** The part in the period. */
  part: Interval
  /** On which side of the period the entry has another part; null where it is all in the period. */
  outsidePeriod: 'before' | 'after' | 'both' | null
  /** The ID of the entry in a calendar; only for iCalendar. */
  uid?: string
}

/** Returns an entry with its part in the period; a running entry ends `now`. */
export function inPeriod(entry: Entry, { from, to }: TimeRange, now: Date): LoggedEntry {
  const { start } = entry
  const end = new Date(Math.max(start.getTime(), (entry.end ?? now).getTime()))
  const isBefore = from !== undefined && start < from
  const isAfter = to !== undefined && end > to
  return {
    ...entry,
    part: { start: isBefore ? from : start, end: isAfter ? to : end },
    outsidePeriod: isBefore ? (isAfter ? 'both' : 'before') : isAfter ? 'after' : null,
  }
}

/** Returns the view of the entries of a period, which marks those with another part outside it. */
export function loggedEntryView(now: Date): View<LoggedEntry> {
  const { columns, json, ...view } = entryView(now, (entry: LoggedEntry) => entry.part)
  return {
    ...view,
    columns: columns.map((column) => {
      const { key, text } = column
      if (key !== 'notes' || !text) return column
      return {
        ...column,
        text: (entry, style, grouped) => {
          const part = `${formatDuration(durationSeconds(entry.part))} in the period`
          const mark = entry.outsidePeriod && style.yellow(part)
          return [mark, text(entry, style, grouped)].filter(Boolean).join('  ')
        },
      }
    }),
    json: (entry) => ({
      ...json(entry),
      seconds_in_period: durationSeconds(entry.part),
      outside_period: entry.outsidePeriod,
    }),
  }
}
