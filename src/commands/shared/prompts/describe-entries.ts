import type { Id } from '../../../api-client/types.js'
import type { Context } from '../../../cli/context.js'
import { formatTime } from '../../../lib/calendar/time.js'
import { durationOf, type Entry, labelOf } from '../../../tracking/entries/entry.js'

/** Returns "Acme / Website / Design, 09:00, 1h 30m". */
export function describeEntry({ now, durations }: Context, entry: Entry): string {
  return `${labelOf(entry)}, ${formatTime(entry.start, now)}, ${durations.format(durationOf(entry, now))}`
}

/** Returns a line for each entry: `  entry 12: Acme / Website / Design, 09:00, 1h 30m, "first draft"`. */
export function describeEntries(ctx: Context, entries: readonly Entry[]): string {
  return entries
    .map((entry) => `  entry ${entry.id}: ${describeEntry(ctx, entry)}${quoteNotes(entry.notes)}`)
    .join('\n')
}

/** Returns the label of a link, and whether it is created. */
export function describePlannedLink({ label, id }: { label: string; id: Id | null | undefined }): string {
  return id === undefined ? `${label} (created)` : label
}

/** Returns notes after a comma, on one line; nothing without notes. */
export function quoteNotes(notes: string): string {
  return notes === '' ? '' : `, ${JSON.stringify(notes)}`
}
