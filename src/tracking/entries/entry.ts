import type { EntryTimes, Id, TimeEntry, WireRecord } from '../../api-client/types.js'
import type { TimeRange } from '../../lib/calendar/interval.js'
import { toRfc3339 } from '../../lib/calendar/time.js'
import type { WithPending } from '../../outbox/pending.js'
import type { EntryJson } from '../../records/shapes/entries.js'
import { type Link, type Named, toLink } from '../catalog/links.js'

/** A user of the service, as an administrator sees them. */
interface EntryOwner extends Named {
  email: string
}

/** A time entry as its owner sees it. */
export interface Entry {
  id: Id
  start: Date
  /** null while it runs. */
  end: Date | null
  notes: string
  link: Link | undefined
  /** Whether it has pending changes. */
  pending: boolean
  /** The number of its invoice; null if it is on none. */
  invoice: string | null
  /** The record of the service, including unknown fields, with pending changes applied. */
  wire: TimeEntry
  /** Only in reports of administrators. */
  user?: EntryOwner
}

/** The start and end of an entry; the end is null while it runs. */
export type EntryBounds = Pick<Entry, 'start' | 'end'>

/** The record of an entry without anything but its times and task link. */
class TimesRecord implements TimeEntry {
  [field: string]: unknown
  readonly notes = null

  constructor(
    readonly id: Id,
    readonly task_link_id: Id | null,
    private readonly times: EntryTimes,
  ) {}

  get time_start(): string {
    return new Date(this.times.time_start).toISOString()
  }

  get time_end(): string | null {
    const { time_end: end } = this.times
    return end === null ? null : new Date(end).toISOString()
  }
}

/** Whether a record of a list has only its times and task link. */
export function isTimes(record: WireRecord | EntryTimes): record is EntryTimes {
  return typeof record.time_start === 'number'
}

/** Returns an entry without anything but its times and task link. */
export function fromTimes(times: EntryTimes, link: Link | undefined, invoice: string | null = null): Entry {
  const { id, time_start: start, time_end: end, task_link_id: linkId } = times
  return {
    id,
    start: new Date(start),
    end: end === null ? null : new Date(end),
    notes: '',
    link,
    pending: false,
    invoice,
    wire: new TimesRecord(id, linkId, times),
  }
}

/** Returns the whole seconds from start to end, or to `now` for a running entry; never negative. */
export function durationOf(entry: Entry, now: Date): number {
  const end = entry.end ?? now
  return Math.max(0, Math.floor((end.getTime() - entry.start.getTime()) / 1000))
}

/** Returns whether an entry overlaps a range; an entry without length overlaps it where it starts in the range. */
export function overlapsRange({ start, end }: Entry, range: TimeRange, now: Date): boolean {
  if (range.end && start >= range.end) return false
  return !range.start || start >= range.start || (end ?? now) > range.start
}

/** Returns "Acme / Website / Design"; without the link, its ID. */
export function labelOf(entry: Entry): string {
  if (entry.link) return entry.link.label
  return entry.wire.task_link_id === null ? 'no task' : `task ${entry.wire.task_link_id}`
}

/** Returns the JSON of an entry: the record, then the names, the duration and the state. */
export function entryJson(entry: Entry, now: Date): EntryJson {
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
    invoice: entry.invoice,
    ...(entry.pending ? { local_id: localIdOf(entry.id) } : {}),
  }
}

/** Returns the ID if it is local, such as `~3`, otherwise null: the service has not assigned an ID yet. */
export function localIdOf(id: Id): string | null {
  return String(id).startsWith('~') ? String(id) : null
}

/** Returns the entry of a record, with its task link and the number of its invoice. */
export function toEntry(
  { record, pending }: WithPending,
  link: Link | undefined,
  invoice: string | null = null,
): Entry {
  const wire = record as TimeEntry
  return {
    id: wire.id,
    start: new Date(wire.time_start),
    end: wire.time_end === null ? null : new Date(wire.time_end),
    notes: wire.notes ?? '',
    link,
    pending,
    invoice,
    wire,
  }
}

/** Returns the entry from the JSON of `entryJson`. */
export function entryFromJson(json: Record<string, unknown>): Entry {
  const wire = json as unknown as TimeEntry
  const part = (name: string): Named | null => {
    const [id, text] = [json[`${name}_id`], json[name]]
    return typeof text === 'string' ? { id: id as Id, name: text } : null
  }
  const [client, project, task] = [part('client'), part('project'), part('task')]
  const link = toLink({ id: wire.task_link_id ?? '', project_id: null, task_id: null }, client, project, task)
  const invoice = typeof json.invoice === 'string' ? json.invoice : null
  return toEntry(
    { record: wire, pending: json.pending === true },
    (project ?? task) ? link : undefined,
    invoice,
  )
}
