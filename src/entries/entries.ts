import type { Predicates } from '../api/filter/query.js'
import type { WireFields, WireRecord } from '../api/types.js'
import type { Interval, TimeRange } from '../calendar/interval.js'
import { formatTime } from '../calendar/time.js'
import type { Catalog, Link } from '../catalog/catalog.js'
import { TtError } from '../lib/errors.js'
import type { Plan, PlannedChange } from '../outbox/change-writer.js'
import type { Changes } from '../outbox/changes.js'
import { type Entry, labelOf, maxEntryMs } from './entry.js'
import type { EntryReader } from './entry-reader.js'
import type { RunningTimer } from './running-timer.js'

export interface StartResult {
  entry: Entry
  /** The entries that were running before. */
  stopped: Entry[]
  /** The entries whose end was moved back to the start. */
  trimmed: Entry[]
}

export interface StopResult {
  entry: Entry
  /** Entries that are still running: a service may have several. */
  stillRunning: Entry[]
}

export interface EntryChanges {
  start?: Date | undefined
  end?: Date | undefined
  link?: Link | undefined
  notes?: string | undefined
}

/** A change of several entries; with `fresh: false` it is compared with the current records of the service first. */
export type RearrangePlan = Pick<Plan, 'title' | 'steps' | 'inOrder'> & { fresh?: false }

/** Reads entries under the lock of the profile. */
export interface EntryLookup {
  find(reference: string): Promise<Entry>
  /** Returns the entries that start within the bounds, oldest first. */
  within(bounds: TimeRange): Promise<Entry[]>
}

export interface EntriesParts {
  catalog: Catalog
  reader: EntryReader
  changes: Changes
  timer: RunningTimer
  /** The time at which the command was started. */
  now: Date
  /** The error after which this command sends no more requests; undefined without one. */
  connectionFailure(): TtError | undefined
}

/** How long a command may have waited for the lock behind commands that were started later, in milliseconds. */
const maxLockWaitMs = 60_000

/**
 * Reads and changes time entries, with pending changes applied. Delivers the pending changes of earlier commands before
 * it reads, saves each change before sending it, and updates the running timer in the client state.
 */
export class Entries {
  readonly #parts: EntriesParts

  constructor(parts: EntriesParts) {
    this.#parts = parts
  }

  /** Returns the running entry; the latest of several. */
  async running(): Promise<Entry | undefined> {
    const [entry] = await this.allRunning()
    return entry
  }

  /** Returns all running entries, the latest start first. */
  async allRunning(): Promise<Entry[]> {
    await this.#parts.changes.deliverBacklog()
    const entries = await this.#parts.timer.read()
    this.#parts.timer.remember(entries[0])
    return entries
  }

  /** Returns the entries with pending changes, oldest first. */
  async pending(predicates: Predicates): Promise<Entry[]> {
    await this.#parts.changes.deliverBacklog()
    return this.#parts.reader.pending(predicates)
  }

  async find(reference: string): Promise<Entry> {
    if (reference === '@') return this.requireRunning()
    await this.#parts.changes.deliverBacklog()
    return this.#parts.reader.find(reference)
  }

  /** Returns the record of an entry with pending changes; undefined if there is none. */
  async record(id: string): Promise<WireRecord | undefined> {
    return (await this.#parts.reader.byId(id))?.record
  }

  /** Whether everything read so far came from the service, not from the cache. */
  get isFresh(): boolean {
    return this.#parts.reader.isFresh
  }

  /** Returns the entry with this external ID; undefined if there is none. */
  async findByExternalId(externalId: string): Promise<Entry | undefined> {
    await this.#parts.changes.deliverBacklog()
    return this.#parts.reader.byExternalId(externalId)
  }

  /** Returns the entries that start within the bounds, oldest first. */
  async list(bounds: TimeRange, predicates: Predicates): Promise<Entry[]> {
    await this.#parts.changes.deliverBacklog()
    return this.#parts.reader.within(bounds, predicates)
  }

  /**
   * Returns the matching entries of the cache and the outbox, without requests. `matches` receives entries without a
   * link.
   */
  listKnown(bounds: TimeRange, matches: (entry: Entry) => boolean): Promise<Entry[]> {
    return this.#parts.reader.listKnown(bounds, matches)
  }

  /**
   * Returns the entries that overlap the interval, like `listKnown`: the running timer, and finished entries of up to a
   * week.
   */
  async knownOverlapping({ start, end }: Interval): Promise<Entry[]> {
    const from = new Date(start.getTime() - maxEntryMs)
    const overlaps = (entry: Entry) => entry.end !== null && entry.end > start
    const finished = await this.#parts.reader.listKnown({ from, to: end }, overlaps, {
      time_start_gteq: from.toISOString(),
      time_start_lt: end.toISOString(),
      time_end_gteq: start.toISOString(),
    })
    const timer = this.#parts.timer.known
    return timer && timer.start < end ? [...finished, timer] : finished
  }

  /**
   * Like `list`, but yields batches as they arrive, in any order, so that a long list is never in memory as a whole. May
   * throw after any batch; the list is incomplete then.
   */
  async *batches(bounds: TimeRange, predicates: Predicates): AsyncGenerator<Entry[]> {
    await this.#parts.changes.deliverBacklog()
    yield* this.#parts.reader.batches(bounds, predicates)
  }

  /**
   * Starts a timer at `at`. In the same change, stops running entries and moves the end of the entries in `trim` to that
   * time. Throws TtError `usage` if `at` is in the future or before the start of the running timer.
   */
  async start(
    link: Link,
    at: Date,
    notes: string | undefined,
    trim: readonly Entry[] = [],
  ): Promise<StartResult> {
    this.#checkNotInFuture(at)
    const entries = await this.#change(async () => {
      const running = await this.#parts.timer.read({ silent: true, allowEmpty: true })
      const ending = (entry: Entry, end: Date): PlannedChange => ({
        ...update(entry, { time_end: end.toISOString() }),
        isIndependent: true,
      })
      const trims = trim.map((entry) => ending(entry, at))
      const stops = running.map((entry) => ending(entry, this.#endOf(entry, at)))
      const fields = { time_start: at.toISOString(), task_link_id: link.id, ...definedFields({ notes }) }
      const plan = this.#plan(`Started ${link.label} at ${formatTime(at, this.#parts.now)}`, [
        ...trims,
        ...stops,
        { kind: 'entry', op: 'create', fields },
      ])
      // The trimmed entries may have changed since they were shown.
      return trims.length === 0 ? plan : { ...plan, fresh: false }
    })
    const entry = last(entries)
    this.#parts.timer.remember(entry)
    const ended = entries.slice(0, -1)
    return {
      entry,
      stopped: ended.slice(trim.length).filter(({ end }) => end !== null),
      trimmed: ended.slice(0, trim.length),
    }
  }

  /**
   * Stops the running timer at `at`. A function receives the running entry under the lock of the profile; if it throws,
   * the timer keeps running. Throws TtError `not_found` without a running timer, `usage` for an impossible time.
   */
  async stop(at: Date | ((running: Entry) => Date), notes: string | undefined): Promise<StopResult> {
    if (at instanceof Date) this.#checkNotInFuture(at)
    let stillRunning: Entry[] = []
    const changed = await this.#change(async () => {
      const [running, ...others] = await this.#parts.timer.read({ silent: true })
      if (!running) throw this.#notRunningError()
      stillRunning = others
      const end = this.#endOf(running, at instanceof Date ? at : at(running)).toISOString()
      return this.#plan(`Stopped ${labelOf(running)}`, [
        update(running, { time_end: end, ...definedFields({ notes }) }),
      ])
    })
    const entry = last(changed)
    this.#parts.timer.remember(stillRunning[0])
    return { entry, stillRunning }
  }

  /** Returns the running timer. Throws TtError `not_found` without one. */
  async requireRunning(): Promise<Entry> {
    const running = await this.running()
    if (!running) throw this.#notRunningError()
    return running
  }

  async add(
    link: Link,
    period: { start: Date; end: Date },
    more: { notes?: string | undefined; externalId?: string | undefined },
  ): Promise<Entry> {
    const { notes, externalId: external_id } = more
    const fields = {
      time_start: period.start.toISOString(),
      time_end: period.end.toISOString(),
      task_link_id: link.id,
      ...definedFields({ notes, external_id }),
    }
    const title = `Added ${link.label}, ${formatTime(period.start, this.#parts.now)}`
    return last(await this.#change(this.#plan(title, [{ kind: 'entry', op: 'create', fields }])))
  }

  /** Changes the given fields of an entry. */
  async edit(entry: Entry, changes: EntryChanges): Promise<Entry> {
    const { start, end, link, notes } = changes
    const fields = definedFields({
      time_start: start?.toISOString(),
      time_end: end?.toISOString(),
      task_link_id: link?.id,
      notes,
    })
    const plan = this.#plan(`Changed ${labelOf(entry)}`, [update(entry, fields)])
    const edited = last(await this.#change(plan))
    if (entry.end === null) this.#parts.timer.remember(edited.end === null ? edited : undefined)
    return edited
  }

  /** Deletes the entries in one change, which one undo reverts, and returns them. */
  async remove(entries: readonly Entry[], verb = 'Deleted'): Promise<Entry[]> {
    const labels = entries.map(labelOf).join('; ')
    const steps = entries.map(({ wire }): PlannedChange => ({ kind: 'entry', op: 'delete', record: wire }))
    // The entries may have changed while the prompt was open.
    const removed = await this.#change({ title: `${verb} ${labels}`, steps, fresh: false })
    if (entries.some(({ end }) => end === null)) this.#parts.timer.remember(undefined)
    return removed
  }

  /**
   * Changes several entries in one change, and returns the resulting entries. Calls `plan` under the lock of the profile;
   * if it throws, nothing is changed.
   */
  async rearrange(plan: (lookup: EntryLookup) => Promise<RearrangePlan>): Promise<Entry[]> {
    const { reader } = this.#parts
    const lookup: EntryLookup = {
      find: async (reference) => {
        if (reference !== '@') return reader.find(reference)
        const [running] = await this.#parts.timer.read({ silent: true })
        if (!running) throw this.#notRunningError()
        return running
      },
      within: (bounds) => reader.within(bounds),
    }
    let changesTimer = false
    const changed = await this.#change(async () => {
      const { fresh = reader.isFresh, ...planned } = await plan(lookup)
      const { steps } = planned
      changesTimer = steps.some(
        ({ record, fields }) => (fields ?? record)?.time_end === null || record?.time_end === null,
      )
      return { ...planned, fresh }
    })
    if (changesTimer) await this.#parts.timer.refresh()
    return changed
  }

  #plan(title: string, steps: PlannedChange[]): Plan {
    return { title, steps, fresh: this.#parts.reader.isFresh }
  }

  /** Applies the plan, and returns the resulting entries in the order of its steps. */
  async #change(plan: Plan | (() => Promise<Plan>)): Promise<Entry[]> {
    const { changes, catalog, reader } = this.#parts
    try {
      const outcomes = await (typeof plan === 'function' ? changes.readAndApply(plan) : changes.apply(plan))
      return await Promise.all(outcomes.map((outcome) => reader.joinLinkAfterChange(outcome)))
    } catch (error) {
      if (error instanceof TtError && error.code === 'rejected') {
        // The cached task link may be outdated.
        catalog.forget()
        // Some of several steps may have been delivered.
        await this.#parts.timer.refresh()
      }
      throw error
    }
  }

  /** Returns the end of an entry that is stopped at `at`: typed times have whole seconds, so it may start later. */
  #endOf(entry: Entry, at: Date): Date {
    if (at >= entry.start) return at
    // Simultaneous commands get the lock in any order, and a service may have rounded the start up.
    const isNow = this.#parts.now.getTime() - at.getTime() < 1000
    if (entry.start.getTime() - at.getTime() < (isNow ? maxLockWaitMs : 1000)) return entry.start
    throw new TtError(
      'usage',
      `The running timer started at ${formatTime(entry.start, at)}, after ${formatTime(at)}.`,
      { hint: 'Give a later time.', nextStep: { action: 'edit_timer_start' } },
    )
  }

  #checkNotInFuture(at: Date) {
    const { now } = this.#parts
    if (at <= now) return
    throw new TtError('usage', `${formatTime(at, now)} is in the future.`, {
      hint: 'A timer starts and stops now or earlier.',
      nextStep: { action: 'add_entry' },
    })
  }

  #notRunningError(): TtError {
    const limitation = this.#parts.connectionFailure() ? ', as far as this machine knows' : ''
    return new TtError('not_found', `No timer is running${limitation}.`, {
      nextStep: { action: 'start_or_add' },
    })
  }
}

function update(entry: Entry, fields: WireFields): PlannedChange {
  return { kind: 'entry', op: 'update', record: entry.wire, fields }
}

/** Returns the fields that have a value. */
function definedFields(fields: Record<string, unknown>): WireFields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

function last<Item>(items: readonly Item[]): Item {
  const item = items.at(-1)
  if (item === undefined) throw new Error('The change has no result.')
  return item
}
