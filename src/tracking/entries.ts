import type { Api } from '../api/endpoints.js'
import type { Predicates } from '../api/query.js'
import type { Id, TimeEntry } from '../api/types.js'
import { addDays, dayOf } from '../calendar/day.js'
import { toRfc3339 } from '../calendar/time.js'
import { TtError } from '../errors.js'
import { type Catalog, type Link, linkOf, type Named } from './catalog.js'

/** A time entry as its owner sees it. */
export interface Entry {
  id: Id
  start: Date
  /** null while it runs. */
  end: Date | null
  notes: string
  link: Link | undefined
  /** What the service sent, unknown fields included. */
  wire: TimeEntry
}

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
    pending: false,
  }
}

/** How far back a forgotten timer, or the entry before this one, is looked for first; days. */
const recentDays = 31

/** Half-open, without a bound where there is none. */
export interface Bounds {
  from?: Date
  to?: Date
}

/** Reads entries from the service and joins them with the catalog. */
export class EntryReader {
  readonly #api: Api
  readonly #catalog: Catalog

  constructor(api: Api, catalog: Catalog) {
    this.#api = api
    this.#catalog = catalog
  }

  async fromWire(wire: TimeEntry): Promise<Entry> {
    return joined(wire, await this.#catalog.byId(wire.task_link_id))
  }

  /** The entries that start within the bounds and meet the predicates, oldest first. */
  async within(bounds: Bounds, predicates: Predicates = {}): Promise<Entry[]> {
    // A predicate on the same bound stands for itself: the cut below is made in any case.
    const asked = { ...aroundStart(bounds), ...predicates }
    const [wires, links] = await Promise.all([this.#api.listTimeEntries(asked), this.#catalog.links()])
    const byId = new Map(links.map((link) => [String(link.id), link]))
    return wires
      .map((wire) => joined(wire, byId.get(String(wire.task_link_id))))
      .filter(({ start }) => !(bounds.from && start < bounds.from) && !(bounds.to && start >= bounds.to))
      .sort((a, b) => a.start.getTime() - b.start.getTime())
  }

  /**
   * The entries that run; the one that began last first. Where `openOnly` is true, the service is known to compare
   * with null; otherwise those are found that began in the last 31 days, or since `since`.
   */
  async running(now: Date, since: Date, openOnly: boolean): Promise<Entry[]> {
    const from = new Date(Math.min(lastDays(now, recentDays).from.getTime(), since.getTime()))
    const found = openOnly ? await this.within({}, { time_end_eq: null }) : await this.within({ from })
    return found.filter((entry) => entry.end === null).reverse()
  }

  /** The finished entry that `@1`, `@2` … means, or the one with that id. Throws TtError `not_found`, or `usage`. */
  async find(reference: string, now: Date): Promise<Entry> {
    const position = /^@([1-9]\d{0,5})$/.exec(reference)?.[1]
    if (position !== undefined) return this.#finished(Number(position), now)
    if (!/^[\p{L}\p{N}_.:-]+$/u.test(reference)) {
      throw new TtError('usage', `"${reference}" is not an entry.`, {
        hint: 'An entry is an id, @ for the running one, or @1 for the last finished one.',
      })
    }
    return this.fromWire(await this.#byId(reference))
  }

  async #byId(id: string): Promise<TimeEntry> {
    try {
      return await this.#api.getTimeEntry(id)
    } catch (error) {
      if (!(error instanceof TtError) || error.code !== 'not_found') throw error
      throw new TtError('not_found', `There is no entry ${id}.`, {
        hint: '`tt log --fields id,time_start,task` shows the ids.',
        status: error.status,
        cause: error,
      })
    }
  }

  async #finished(position: number, now: Date): Promise<Entry> {
    for (const days of [recentDays, 366, undefined]) {
      const entries = await this.within(days === undefined ? {} : lastDays(now, days))
      const finished = entries.filter((entry) => entry.end !== null)
      finished.sort((a, b) => (b.end?.getTime() ?? 0) - (a.end?.getTime() ?? 0))
      const entry = finished[position - 1]
      if (entry) return entry
    }
    const what =
      position === 1 ? 'There is no finished entry.' : `There are not ${position} finished entries.`
    throw new TtError('not_found', what, {
      hint: '`tt log` shows what there is.',
    })
  }
}

function joined(wire: TimeEntry, link: Link | undefined): Entry {
  return {
    id: wire.id,
    start: new Date(wire.time_start),
    end: wire.time_end === null ? null : new Date(wire.time_end),
    notes: wire.notes ?? '',
    link,
    wire,
  }
}

function lastDays(now: Date, days: number): { from: Date } {
  return { from: new Date(now.getTime() - days * 86_400_000) }
}

/**
 * The documented filters that surely hold the bounds. A service reads a date as midnight of a zone that is not
 * known here and may be 26 hours away, so more is asked for on either side, and whoever asked makes the exact cut.
 */
function aroundStart({ from, to }: Bounds): Predicates {
  return {
    ...(from ? { time_start_gteq: addDays(dayOf(from), -2) } : {}),
    ...(to ? { time_start_lt: addDays(dayOf(to), 2) } : {}),
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
  const link = linkOf({ id: wire.task_link_id ?? '', project_id: null, task_id: null }, client, project, task)
  return joined(wire, (project ?? task) ? link : undefined)
}
