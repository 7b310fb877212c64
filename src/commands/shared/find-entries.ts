import type { Id } from '../../api-client/types.js'
import type { Context } from '../../cli/context.js'
import { formatTime } from '../../lib/calendar/time.js'
import type { Entries } from '../../tracking/entries/entries.js'
import { durationOf, type Entry, labelOf } from '../../tracking/entries/entry.js'

/**
 * Returns the entries without duplicates, in the order of their references. Throws TtError `not_found` or `usage` for the
 * first invalid reference, so that a command changes nothing before all entries are found.
 */
export async function findEntries(entries: Entries, references: readonly string[]): Promise<Entry[]> {
  const found: Entry[] = []
  for (const reference of references) found.push(await entries.find(reference))
  return uniqueById(found)
}

export function uniqueById<Item extends Pick<Entry, 'id'>>(items: readonly Item[]): Item[] {
  return [...new Map(items.map((item) => [String(item.id), item])).values()]
}

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
