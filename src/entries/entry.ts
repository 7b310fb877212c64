import type { Id, TimeEntry } from '../api/types.js'
import { toRfc3339 } from '../calendar/time.js'
import { type Link, type Named, toLink } from '../catalog/links.js'
import { dayMs } from '../lib/time-units.js'
import type { WithPending } from '../outbox/pending-overlay.js'

/** A time entry as its owner sees it. */
export interface Entry {
  id: Id
  start: Date
  /** null while it runs. */
  end: Date | null
  notes: string
  link: Link | undefined
  /** Something of it is not delivered yet. */
  pending: boolean
  /** What the service sent, unknown fields included; what waits for delivery is in it. */
  wire: TimeEntry
}

/**
 * How long before a period an entry is looked for that goes on into it, in milliseconds: a longer one was forgotten. What
 * runs is found however long ago it began.
 */
export const maxEntryMs = 7 * dayMs

/** Whole seconds from start to end, or to `now` while the entry runs; never below zero. */
export function durationOf(entry: Entry, now: Date): number {
  const end = entry.end ?? now
  return Math.max(0, Math.floor((end.getTime() - entry.start.getTime()) / 1000))
}

/** "Acme / Website / Design", or what is known of a link that the user cannot see. */
export function labelOf(entry: Entry): string {
  if (entry.link) return entry.link.label
  return entry.wire.task_link_id === null ? 'no task' : `task link ${entry.wire.task_link_id}`
}

/** The JSON of an entry: what the service sent, then the names, the duration and the state (design, section 3). */
export function entryJson(entry: Entry, now: Date): Record<string, unknown> {
  return {
    ...entry.wire,
    time_start: toRfc3339(entry.start),
    time_end: entry.end && toRfc3339(entry.end),
    project: entry.link?.project?.name ?? null,
    client: entry.link?.client?.name ?? null,
    task: entry.link?.task?.name ?? null,
    project_id: entry.link?.project?.id ?? null,
    client_id: entry.link?.client?.id ?? null,
    task_id: entry.link?.task?.id ?? null,
    duration_seconds: durationOf(entry, now),
    running: entry.end === null,
    pending: entry.pending,
    ...(entry.pending ? { local_id: localIdOf(entry.id) } : {}),
  }
}

/** `~3` as long as the service has given it no id of its own. */
export function localIdOf(id: Id): string | null {
  return String(id).startsWith('~') ? String(id) : null
}

/** An entry with the names of its task link. */
export function toEntry({ record, pending }: WithPending, link: Link | undefined): Entry {
  const wire = record as TimeEntry
  return {
    id: wire.id,
    start: new Date(wire.time_start),
    end: wire.time_end === null ? null : new Date(wire.time_end),
    notes: wire.notes ?? '',
    link,
    pending,
    wire,
  }
}

/** An entry from the JSON that `entryJson` made of it. */
export function entryFromJson(json: Record<string, unknown>): Entry {
  const wire = json as unknown as TimeEntry
  const part = (name: string): Named | null => {
    const [id, text] = [json[`${name}_id`], json[name]]
    return typeof text === 'string' ? { id: id as Id, name: text } : null
  }
  const [client, project, task] = [part('client'), part('project'), part('task')]
  const link = toLink({ id: wire.task_link_id ?? '', project_id: null, task_id: null }, client, project, task)
  return toEntry({ record: wire, pending: json.pending === true }, (project ?? task) ? link : undefined)
}
