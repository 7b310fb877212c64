import type { Api } from '../api/endpoints.js'
import type { Predicates } from '../api/query.js'
import type { TimeEntryFields } from '../api/types.js'
import { formatTime } from '../calendar/time.js'
import { TtError } from '../errors.js'
import type { Catalog, Link } from './catalog.js'
import { type Bounds, type Entry, EntryReader, entryFromJson, entryJson } from './entries.js'
import type { ClientState } from './state.js'

export interface Started {
  entry: Entry
  /** What ran until then. */
  stopped: Entry[]
}

export interface Stopped {
  entry: Entry
  /** What runs on: a service may hold several open entries. */
  stillRunning: Entry[]
}

export interface EntryChanges {
  start?: Date | undefined
  end?: Date | undefined
  link?: Link | undefined
  notes?: string | undefined
}

export interface TrackingOptions {
  /** The moment that the command was typed. */
  now: Date
  /** The service is known to find the entries without an end by `time_end_eq`; the document does not say so. */
  comparesWithNull: boolean
  warn(text: string): void
}

/**
 * Time entries as the user changes them. Each method asks the service for what is there, changes it by the
 * documented endpoints, and leaves the client state knowing which timer runs.
 */
export class Tracking {
  readonly #api: Api
  readonly #reader: EntryReader
  readonly #state: ClientState
  readonly #now: Date
  readonly #comparesWithNull: boolean
  readonly #warn: (text: string) => void

  constructor(
    api: Api,
    catalog: Catalog,
    state: ClientState,
    { now, comparesWithNull, warn }: TrackingOptions,
  ) {
    this.#api = api
    this.#reader = new EntryReader(api, catalog)
    this.#state = state
    this.#now = now
    this.#comparesWithNull = comparesWithNull
    this.#warn = warn
  }

  /** The running entry, the latest where there are several. */
  async running(): Promise<Entry | undefined> {
    const [entry] = await this.#allRunning()
    this.#remember(entry)
    return entry
  }

  find(reference: string): Promise<Entry> {
    return reference === '@' ? this.theRunning() : this.#reader.find(reference, this.#now)
  }

  /** The entry that another system knows by this id; undefined when there is none. */
  async findByExternalId(externalId: string): Promise<Entry | undefined> {
    const wire = await this.#api.findTimeEntryByExternalId(externalId)
    return wire && this.#reader.fromWire(wire)
  }

  /** The entries that start within the bounds, oldest first. */
  list(bounds: Bounds, predicates: Predicates): Promise<Entry[]> {
    return this.#reader.within(bounds, predicates)
  }

  /** Starts the timer; what runs is stopped at that moment first. Throws TtError `usage` when `at` is not possible. */
  async start(link: Link, at: Date, notes: string | undefined): Promise<Started> {
    this.#refuseFuture(at)
    const running = (await this.#allRunning()).map((entry) => ({ entry, end: endOf(entry, at) }))
    const stopped: Entry[] = []
    for (const { entry, end } of running)
      stopped.push(await this.#update(entry, { time_end: end.toISOString() }))
    const wire = await this.#api.createTimeEntry({
      time_start: at.toISOString(),
      task_link_id: link.id,
      ...(notes === undefined ? {} : { notes }),
    })
    const entry = await this.#reader.fromWire(wire)
    this.#remember(entry)
    return { entry, stopped }
  }

  /** Stops the running timer. Throws TtError `not_found` when none runs, `usage` when `at` is not possible. */
  async stop(at: Date, notes: string | undefined): Promise<Stopped> {
    this.#refuseFuture(at)
    const [running, ...stillRunning] = await this.#allRunning()
    if (!running) throw this.#nothingRuns()
    const entry = await this.#update(running, {
      time_end: endOf(running, at).toISOString(),
      ...(notes === undefined ? {} : { notes }),
    })
    this.#remember(stillRunning[0])
    return { entry, stillRunning }
  }

  /** The running timer, to be shown before it is thrown away. Throws TtError `not_found` when none runs. */
  async theRunning(): Promise<Entry> {
    const running = await this.running()
    if (!running) throw this.#nothingRuns()
    return running
  }

  async add(
    link: Link,
    period: { start: Date; end: Date },
    more: { notes?: string | undefined; externalId?: string | undefined },
  ): Promise<Entry> {
    const wire = await this.#api.createTimeEntry({
      time_start: period.start.toISOString(),
      time_end: period.end.toISOString(),
      task_link_id: link.id,
      ...(more.notes === undefined ? {} : { notes: more.notes }),
      ...(more.externalId === undefined ? {} : { external_id: more.externalId }),
    })
    return this.#reader.fromWire(wire)
  }

  /** Changes the named parts of an entry and leaves the others alone. */
  async edit(entry: Entry, changes: EntryChanges): Promise<Entry> {
    const edited = await this.#update(entry, {
      ...(changes.start ? { time_start: changes.start.toISOString() } : {}),
      ...(changes.end ? { time_end: changes.end.toISOString() } : {}),
      ...(changes.link ? { task_link_id: changes.link.id } : {}),
      ...(changes.notes === undefined ? {} : { notes: changes.notes }),
    })
    if (entry.end === null) this.#remember(edited.end === null ? edited : undefined)
    return edited
  }

  async remove(entry: Entry): Promise<void> {
    await this.#api.deleteTimeEntry(entry.id)
    if (entry.end === null) this.#remember(undefined)
  }

  /** However long ago the timer that this machine knows of was started. */
  #allRunning(): Promise<Entry[]> {
    const known = this.#state.knownTimer()?.timer
    const since = known ? entryFromJson(known).start : this.#now
    return this.#reader.running(this.#now, since, this.#comparesWithNull)
  }

  async #update(entry: Entry, fields: TimeEntryFields): Promise<Entry> {
    return this.#reader.fromWire(await this.#api.updateTimeEntry(entry.id, fields))
  }

  #remember(entry: Entry | undefined) {
    try {
      this.#state.rememberTimer(entry ? entryJson(entry, this.#now) : null, this.#now)
    } catch (error) {
      // The change itself is done, and a command that says it failed would be repeated.
      const reason = error instanceof Error ? error.message : String(error)
      this.#warn(`What \`tt status --cached\` shows is not up to date. ${reason}`)
    }
  }

  #refuseFuture(at: Date) {
    if (at <= this.#now) return
    throw new TtError('usage', `${formatTime(at, this.#now)} is in the future.`, {
      hint: 'A timer starts and stops now or earlier. `tt add` records any time.',
    })
  }

  #nothingRuns(): TtError {
    return new TtError('not_found', 'No timer is running.', {
      hint: '`tt start TASK` starts one; `tt add TASK --from TIME --to TIME` records time that has passed.',
    })
  }
}

/** Where an entry ends that is ended at `at`: whole seconds are typed, and it may have begun within this one. */
function endOf(entry: Entry, at: Date): Date {
  if (at >= entry.start) return at
  if (entry.start.getTime() - at.getTime() < 1000) return entry.start
  throw new TtError(
    'usage',
    `The running timer began at ${formatTime(entry.start, at)}, after ${formatTime(at)}.`,
    { hint: 'Give a later time, or move its start first: `tt edit @ --from TIME`.' },
  )
}
