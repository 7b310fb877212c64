import { type Entry, labelOf } from '../../entries/entry.js'
import type { CalendarEvent } from '../../ui/view.js'

/** An entry in a calendar. One that runs ends `now`, and is tentative. */
export function eventOf(entry: Entry, now: Date): CalendarEvent {
  const { id, start, end, notes, link, wire } = entry
  const modified = instantOf(wire.updated_at)
  return {
    uid: `time-entry-${id}@tt`,
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

/** The document names no such times: they are taken where they are sent and can be read. */
function instantOf(value: unknown): Date | undefined {
  const instant = typeof value === 'string' ? new Date(value) : undefined
  return instant === undefined || Number.isNaN(instant.getTime()) ? undefined : instant
}
