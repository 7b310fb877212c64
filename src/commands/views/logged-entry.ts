import { dayOf } from '../../calendar/day.js'
import { durationSeconds, type Interval, type TimeRange } from '../../calendar/interval.js'
import { type Entry, entryJson } from '../../entries/entry.js'
import type { Commit } from '../../git/commits.js'
import { countText } from '../../lib/text/count-text.js'
import type { LoggedEntryJson } from '../../shapes/entries.js'
import type { Column, View } from '../../ui/view.js'
import { durationText, type EntryDisplay, entryView, weekdayName } from './entry.js'
import { LogDurations } from './log-durations.js'

/** An entry that overlaps a period. */
export interface LoggedEntry extends Entry {
  /** The part in the period. */
  part: Interval
  /** On which side of the period the entry has another part; null where it is all in the period. */
  outsidePeriod: 'before' | 'after' | 'both' | null
  /** The ID of the entry in a calendar; only for iCalendar. */
  uid?: string
  /** The commits during the entry; only with `--git`. */
  commits?: Commit[]
}

/** Returns an entry with its part in the period; a running entry ends `now`. */
export function inPeriod(entry: Entry, period: TimeRange, now: Date): LoggedEntry {
  const { start } = entry
  const end = new Date(Math.max(start.getTime(), (entry.end ?? now).getTime()))
  const cutStart = period.start && start < period.start ? period.start : undefined
  const cutEnd = period.end && end > period.end ? period.end : undefined
  return {
    ...entry,
    part: { start: cutStart ?? start, end: cutEnd ?? end },
    outsidePeriod: cutStart ? (cutEnd ? 'both' : 'before') : cutEnd ? 'after' : null,
  }
}

/**
 * Returns the view of the entries of a period, with the totals of days. It marks the entries with another part outside the
 * period. Displayed durations add up (`LogDurations`).
 */
export function loggedEntryView(shown: EntryDisplay, entries: readonly LoggedEntry[]): View<LoggedEntry> {
  const { columns, json: _, ...view } = entryView<LoggedEntry>(shown)
  let computed: LogDurations | undefined
  // Only tables and Markdown show them.
  const durations = () => {
    computed ??= new LogDurations(entries, shown.durations)
    return computed
  }
  const format = (seconds: number) => shown.durations.format(seconds)
  return {
    ...view,
    columns: columns.map((column) => loggedColumn(column, shown, durations)),
    json: (entry): LoggedEntryJson => ({
      ...entryJson(entry, shown.now),
      seconds_in_period: durationSeconds(entry.part),
      outside_period: entry.outsidePeriod,
    }),
    group: (entry, style) => style.bold(`${weekdayName(entry)} ${dayOf(entry.start)}`),
    // No total for a day before the period.
    groupTotals: (rows) =>
      rows.map(({ start }) => {
        const seconds = durations().ofDay(dayOf(start))
        return seconds === undefined ? '' : format(seconds)
      }),
    footer: (rows) => footerText(rows, durations(), shown),
  }
}

function loggedColumn(
  column: Column<LoggedEntry>,
  shown: EntryDisplay,
  durations: () => LogDurations,
): Column<LoggedEntry> {
  const { key, text } = column
  const partText = (entry: LoggedEntry) => shown.durations.format(durations().ofPart(entry))
  if (key === 'duration_seconds')
    return {
      ...column,
      text: (entry) => (entry.outsidePeriod ? durationText(entry, shown) : partText(entry)),
    }
  if (key !== 'notes' || !text) return column
  return {
    ...column,
    text: (entry, style, grouped) => {
      const mark = entry.outsidePeriod && style.yellow(`${partText(entry)} in the period`)
      return [mark, text(entry, style, grouped)].filter(Boolean).join('  ')
    },
  }
}

/** Returns a line such as "7 entries, 12h 30m; today 3h 10m". */
function footerText(
  entries: readonly LoggedEntry[],
  durations: LogDurations,
  { now, durations: display }: EntryDisplay,
): string {
  const { total } = durations
  const today = durations.ofDay(dayOf(now)) ?? 0
  const pending = entries.filter((entry) => entry.pending).length
  const parts = [
    `${countText(entries.length, 'entry', 'entries')}, ${display.format(total)}`,
    today > 0 && today < total && `today ${display.format(today)}`,
    pending > 0 && `${pending} pending`,
  ]
  return parts.filter(Boolean).join('; ')
}
