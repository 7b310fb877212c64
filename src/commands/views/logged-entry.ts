import { dayOf } from '../../lib/calendar/day.js'
import { durationSeconds, type Interval, type TimeRange } from '../../lib/calendar/interval.js'
import type { Commit } from '../../lib/git/commits.js'
import { once } from '../../lib/once.js'
import { countText } from '../../lib/text/words.js'
import { minuteMs } from '../../lib/time-units.js'
import type { EntryBillingJson, LoggedEntryJson } from '../../records/shapes/entries.js'
import { durationOf, type Entry, entryJson } from '../../tracking/entries/entry.js'
import type { Column, View } from '../../ui/view.js'
import { durationText, type EntryDisplay, entryView, weekdayName } from './entry.js'
import { LogDurations } from './log-durations.js'

/** How the part of an entry in the period is billed. */
export type EntryBilling = EntryBillingJson

/** An entry that overlaps a period. */
export interface LoggedEntry extends Entry {
  /** The part in the period. */
  part: Interval
  /** On which side of the period the entry has another part; null where it is all in the period. */
  outsidePeriod: 'before' | 'after' | 'both' | null
  /** Only in formats for programs, and with `--fields`. */
  billing?: EntryBilling
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
 * period. Displayed durations add up (`LogDurations`). With `hasFooter`, marks those that differ from the displayed times.
 */
export function loggedEntryView(
  shown: EntryDisplay,
  entries: readonly LoggedEntry[],
  { hasFooter = false } = {},
): View<LoggedEntry> {
  const { columns, json: _, ...view } = entryView<LoggedEntry>(shown)
  // Only tables and Markdown show them.
  const durations = once(() => new LogDurations(entries, shown.durations))
  const format = (seconds: number) => shown.durations.format(seconds)
  const marked = once(() => {
    const hidden = hasFooter ? entries.filter((entry) => hidesSeconds(entry, shown, durations())) : []
    return new Set(hidden.map(({ id }) => String(id)))
  })
  return {
    ...view,
    columns: columns.map((column) => loggedColumn(column, shown, durations, marked)),
    json: (entry): LoggedEntryJson => ({
      ...entryJson(entry, shown.now),
      seconds_in_period: durationSeconds(entry.part),
      outside_period: entry.outsidePeriod,
      ...entry.billing,
    }),
    csvColumns: ['hours', 'rate', 'amount', 'currency', 'billable', 'invoice'],
    group: (entry, style) => style.bold(`${weekdayName(entry)} ${dayOf(entry.start)}`),
    // No total for a day before the period.
    groupTotals: (rows) =>
      rows.map(({ start }) => {
        const seconds = durations().ofDay(dayOf(start))
        const earlier = durations().sinceEarlierDay(dayOf(start))
        const note = earlier > 0 ? ` (${format(earlier)} since an earlier day)` : ''
        return seconds === undefined ? '' : format(seconds) + note
      }),
    footer: (rows) =>
      footerText(rows, durations(), shown) +
      (marked().size > 0 ? `\n${hiddenMark} ${hiddenSecondsNote}` : ''),
  }
}

function loggedColumn(
  column: Column<LoggedEntry>,
  shown: EntryDisplay,
  durations: () => LogDurations,
  marked: () => ReadonlySet<string>,
): Column<LoggedEntry> {
  const { key, text } = column
  const partText = (entry: LoggedEntry) => shown.durations.format(durations().ofPart(entry))
  if (key === 'duration_seconds')
    return {
      ...column,
      text(entry) {
        const duration = entry.outsidePeriod ? durationText(entry, shown) : partText(entry)
        if (marked().size === 0) return duration
        return duration + (marked().has(String(entry.id)) ? hiddenMark : ' ')
      },
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

const hiddenMark = '*'
const hiddenSecondsNote = 'Times are shown without seconds; the durations include them.'

/** Whether the displayed duration differs from the difference of the displayed times, because both lack seconds. */
function hidesSeconds(
  entry: LoggedEntry,
  { now, durations: display }: EntryDisplay,
  durations: LogDurations,
): boolean {
  const { start, end, outsidePeriod } = entry
  if (!end) return false
  const minuteOf = (time: Date) => Math.floor(time.getTime() / minuteMs)
  const shown = outsidePeriod ? display.rounded(durationOf(entry, now)) : durations.ofPart(entry)
  return shown >= 60 && shown !== display.rounded((minuteOf(end) - minuteOf(start)) * 60)
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
