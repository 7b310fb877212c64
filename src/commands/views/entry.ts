import { shortWeekdayName } from '../../calendar/calendar-names.js'
import { type Day, dayOf, weekday } from '../../calendar/day.js'
import { formatDuration } from '../../calendar/duration.js'
import { durationSeconds, type Interval, splitAtMidnight } from '../../calendar/interval.js'
import { formatDateTime, formatTime } from '../../calendar/time.js'
import { durationOf, type Entry, entryJson, labelOf } from '../../entries/entry.js'
import { countText } from '../../lib/text/count-text.js'
import { replaceTags } from '../../lib/text/tags.js'
import type { Style, View } from '../../ui/view.js'

/**
 * Returns the view of entries; a running entry counts up to `now`. `partOf` returns the part of an entry that counts
 * in the total.
 */
export function entryView<Row extends Entry>(
  now: Date,
  partOf: (entry: Row) => Interval = ({ start, end }) => ({ start, end: end ?? now }),
): View<Row> {
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
        text: (entry) => formatDuration(durationOf(entry, now)),
      },
      { key: 'client', title: 'Client', canShrink: true },
      { key: 'project', title: 'Project', canShrink: true },
      { key: 'task', title: 'Task', canShrink: true },
      { key: 'notes', title: 'Notes', canShrink: true, text: notesText },
    ],
    json: (entry) => entryJson(entry, now),
    optional: ['local_id'],
    line: (entry, style) => sentence(entry, now, style),
    group: (entry, style) => style.bold(`${weekdayName(entry)} ${dayOf(entry.start)}`),
    groupTotals: (entries) => dayTotals(entries, entries.map(partOf)),
    footer: (entries) => totals(entries, entries.map(partOf), now),
    empty: 'No entries.',
  }
}

/** Returns the weekday on which an entry begins: "Wed". */
export function weekdayName({ start }: Entry): string {
  return shortWeekdayName(weekday(dayOf(start)))
}

function endText(entry: Entry, style: Style): string {
  return entry.end ? formatTime(entry.end, entry.start) : style.green('running')
}

function notesText({ pending, notes }: Entry, style: Style): string {
  return [pending && style.yellow('pending'), replaceTags(notes, style.cyan)].filter(Boolean).join('  ')
}

function sentence(entry: Entry, now: Date, style: Style): string {
  const what = style.bold(labelOf(entry))
  const duration = formatDuration(durationOf(entry, now))
  const when = entry.end
    ? `${formatTime(entry.start, now)}–${formatTime(entry.end, entry.start)}`
    : `since ${formatTime(entry.start, now)}`
  const pending = entry.pending && style.yellow('pending')
  return [what, `${duration} (${when})`, pending, entry.notes && style.dim(entry.notes)]
    .filter(Boolean)
    .join('  ')
}

/** Returns the total of the day on which each entry begins; empty for a day before the period. */
function dayTotals(entries: readonly Entry[], parts: readonly Interval[]): string[] {
  const totals = secondsByDay(parts)
  return entries.map(({ start }) => {
    const seconds = totals.get(dayOf(start))
    return seconds === undefined ? '' : formatDuration(seconds)
  })
}

/** Returns whole seconds by day: a part that crosses midnight counts on each day. */
function secondsByDay(parts: readonly Interval[]): Map<Day, number> {
  const totals = new Map<Day, number>()
  for (const part of parts) {
    if (part.end <= part.start) continue
    for (const piece of splitAtMidnight(part)) {
      totals.set(piece.day, (totals.get(piece.day) ?? 0) + durationSeconds(piece))
    }
  }
  return totals
}

/** Returns a line such as "7 entries, 12h 30m; today 3h 10m". */
function totals(entries: Entry[], parts: Interval[], now: Date): string {
  const total = parts.reduce((sum, part) => sum + Math.max(0, durationSeconds(part)), 0)
  const today = secondsByDay(parts).get(dayOf(now)) ?? 0
  const count = countText(entries.length, 'entry', 'entries')
  const todayText = today > 0 && today < total ? `; today ${formatDuration(today)}` : ''
  const pending = entries.filter((entry) => entry.pending).length
  const pendingText = pending > 0 ? `; ${pending} pending` : ''
  return `${count}, ${formatDuration(total)}${todayText}${pendingText}`
}
