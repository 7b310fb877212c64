import { type Entry, labelOf } from '../../tracking/entries/entry.js'
import type { CalendarEvent } from '../../ui/view.js'

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
