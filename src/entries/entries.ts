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
  /** What ran until then. */
  stopped: Entry[]
  /** What ended later, and now ends then. */
  trimmed: Entry[]
}

export interface StopResult {
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

/** What is to be done; `fresh: false` has it compared first with what the service has. */
export type RearrangePlan = Pick<Plan, 'title' | 'steps' | 'inOrder'> & { fresh?: false }

/** What entries are read with while no other process of the profile changes anything. */
export interface EntryLookup {
  find(reference: string): Promise<Entry>
  /** The entries that start within the bounds, oldest first. */
  within(bounds: TimeRange): Promise<Entry[]>
}

export interface EntriesParts {
  catalog: Catalog
  reader: EntryReader
  changes: Changes
  timer: RunningTimer
  /** The moment that the command was typed. */
  now: Date
  /** Why the service is not asked any more in this command. */
  connectionFailure(): TtError | undefined
}

/** How long a command may have waited for others that were typed later; milliseconds. */
const meanwhileMs = 60_000

/**
 * Time entries as the user sees and changes them. What other commands have left is delivered before the service is
 * asked; each change is kept before it is sent; and the client state is left knowing which timer runs.
 */
export class Entries {
  readonly #parts: EntriesParts

  constructor(parts: EntriesParts) {
    this.#parts = parts
  }

  /** The running entry, the latest where there are several. */
  async running(): Promise<Entry | undefined> {
    const [entry] = await this.allRunning()
    return entry
  }

  /** All that runs, however long ago it began, the one that began last first: a service may hold several. */
  async allRunning(): Promise<Entry[]> {
    await this.#parts.changes.deliverBacklog()
    const entries = await this.#parts.timer.read()
    this.#parts.timer.remember(entries[0])
    return entries
  }

  /** What is not delivered yet, whenever it was, oldest first. */
  async pending(predicates: Predicates): Promise<Entry[]> {
    await this.#parts.changes.deliverBacklog()
    return this.#parts.reader.pending(predicates)
  }

  async find(reference: string): Promise<Entry> {
    if (reference === '@') return this.requireRunning()
    await this.#parts.changes.deliverBacklog()
    return this.#parts.reader.find(reference)
  }

  /** The record of an entry as it is now, what waits for delivery included; undefined where there is none. */
  async record(id: string): Promise<WireRecord | undefined> {
    return (await this.#parts.reader.byId(id))?.record
  }

  /** Everything that was read so far came from the service itself. */
  get isFresh(): boolean {
    return this.#parts.reader.isFresh
  }

  /** The entry that another system knows by this id; undefined when there is none. */
  async findByExternalId(externalId: string): Promise<Entry | undefined> {
    await this.#parts.changes.deliverBacklog()
    return this.#parts.reader.byExternalId(externalId)
  }

  /** The entries that start within the bounds, oldest first. */
  async list(bounds: TimeRange, predicates: Predicates): Promise<Entry[]> {
    await this.#parts.changes.deliverBacklog()
    return this.#parts.reader.within(bounds, predicates)
  }

  /**
   * Those of them that fit, as far as this machine knows: a service is not asked, and nothing is delivered. What is
   * handed to `fits` has no link yet.
   */
  listKnown(bounds: TimeRange, fits: (entry: Entry) => boolean): Promise<Entry[]> {
    return this.#parts.reader.listKnown(bounds, fits)
  }

  /**
   * What goes on at some time of the period, in the same way: the timer, and the finished entries but for those that are
   * longer than a week.
   */
  async knownOverlapping({ start, end }: Interval): Promise<Entry[]> {
    const from = new Date(start.getTime() - maxEntryMs)
    const isMet = (entry: Entry) => entry.end !== null && entry.end > start
    const finished = await this.#parts.reader.listKnown({ from, to: end }, isMet, {
      time_start_gteq: from.toISOString(),
      time_start_lt: end.toISOString(),
      time_end_gteq: start.toISOString(),
    })
    const timer = this.#parts.timer.known
    return timer && timer.start < end ? [...finished, timer] : finished
  }

  /**
   * The same as `list`, in batches as they come in: a long list is never whole in memory. Not in any order. Throws at
   * any batch: what has come by then is not all.
   */
  async *batches(bounds: TimeRange, predicates: Predicates): AsyncGenerator<Entry[]> {
    await this.#parts.changes.deliverBacklog()
    yield* this.#parts.reader.batches(bounds, predicates)
  }

  /**
   * Starts the timer; what runs is stopped at that moment first, and what is to be trimmed ends then: one change.
   * Throws TtError `usage` when `at` is not possible.
   */
  async start(
    link: Link,
    at: Date,
    notes: string | undefined,
    trim: readonly Entry[] = [],
  ): Promise<StartResult> {
    this.#refuseFuture(at)
    const entries = await this.#change(async () => {
      const running = await this.#parts.timer.read({ silent: true, allowEmpty: true })
      const ending = (entry: Entry, end: Date): PlannedChange => ({
        ...update(entry, { time_end: end.toISOString() }),
        isIndependent: true,
      })
      const trims = trim.map((entry) => ending(entry, at))
      const stops = running.map((entry) => ending(entry, this.#endOf(entry, at)))
      const fields = { time_start: at.toISOString(), task_link_id: link.id, ...given({ notes }) }
      const plan = this.#plan(`Started ${link.label} at ${formatTime(at, this.#parts.now)}`, [
        ...trims,
        ...stops,
        { kind: 'entry', op: 'create', fields },
      ])
      // Whether what is trimmed is still what was shown is seen first.
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
   * Stops the running timer at `at`, or when that says of the one that runs, while no other process changes anything:
   * what it throws leaves the timer running. Throws TtError `not_found` when none runs, `usage` when `at` is not possible.
   */
  async stop(at: Date | ((running: Entry) => Date), notes: string | undefined): Promise<StopResult> {
    if (at instanceof Date) this.#refuseFuture(at)
    let stillRunning: Entry[] = []
    const made = await this.#change(async () => {
      const [running, ...others] = await this.#parts.timer.read({ silent: true })
      if (!running) throw this.#nothingRuns()
      stillRunning = others
      const end = this.#endOf(running, at instanceof Date ? at : at(running)).toISOString()
      return this.#plan(`Stopped ${labelOf(running)}`, [
        update(running, { time_end: end, ...given({ notes }) }),
      ])
    })
    const entry = last(made)
    this.#parts.timer.remember(stillRunning[0])
    return { entry, stillRunning }
  }

  /** The running timer, to be shown before it is thrown away. Throws TtError `not_found` when none runs. */
  async requireRunning(): Promise<Entry> {
    const running = await this.running()
    if (!running) throw this.#nothingRuns()
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
      ...given({ notes, external_id }),
    }
    const what = `Added ${link.label}, ${formatTime(period.start, this.#parts.now)}`
    return last(await this.#change(this.#plan(what, [{ kind: 'entry', op: 'create', fields }])))
  }

  /** Changes the named parts of an entry and leaves the others alone. */
  async edit(entry: Entry, changes: EntryChanges): Promise<Entry> {
    const { start, end, link, notes } = changes
    const fields = given({
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

  /** Deletes the entries, and answers them: one change, which one undo takes back. */
  async remove(entries: readonly Entry[], verb = 'Deleted'): Promise<Entry[]> {
    const named = entries.map(labelOf).join('; ')
    const steps = entries.map(({ wire }): PlannedChange => ({ kind: 'entry', op: 'delete', record: wire }))
    // Somebody may have thought about it for a while: whether it is still what was shown is seen first.
    const removed = await this.#change({ title: `${verb} ${named}`, steps, fresh: false })
    if (entries.some(({ end }) => end === null)) this.#parts.timer.remember(undefined)
    return removed
  }

  /**
   * Makes steps of several entries one change, and answers what came of each. `plan` is called while no other process
   * changes anything; what it throws leaves everything as it is.
   */
  async rearrange(plan: (reading: EntryLookup) => Promise<RearrangePlan>): Promise<Entry[]> {
    const { reader } = this.#parts
    const reading: EntryLookup = {
      find: async (reference) => {
        if (reference !== '@') return reader.find(reference)
        const [running] = await this.#parts.timer.read({ silent: true })
        if (!running) throw this.#nothingRuns()
        return running
      },
      within: (bounds) => reader.within(bounds),
    }
    let concernsTimer = false
    const made = await this.#change(async () => {
      const { fresh = reader.isFresh, ...planned } = await plan(reading)
      const { steps } = planned
      concernsTimer = steps.some(
        ({ record, fields }) => (fields ?? record)?.time_end === null || record?.time_end === null,
      )
      return { ...planned, fresh }
    })
    if (concernsTimer) await this.#parts.timer.refresh()
    return made
  }

  #plan(title: string, steps: PlannedChange[]): Plan {
    return { title, steps, fresh: this.#parts.reader.isFresh }
  }

  /** The entries that came of it, those of its steps in their order. */
  async #change(plan: Plan | (() => Promise<Plan>)): Promise<Entry[]> {
    const { changes, catalog, reader } = this.#parts
    try {
      const made = await (typeof plan === 'function' ? changes.readAndApply(plan) : changes.apply(plan))
      return await Promise.all(made.map((one) => reader.joinLinkAfterChange(one)))
    } catch (error) {
      if (error instanceof TtError && error.code === 'rejected') {
        // It may have been for a task link that is not what it was.
        catalog.forget()
        // Of several steps some may be done.
        await this.#parts.timer.refresh()
      }
      throw error
    }
  }

  /** Where an entry ends that is ended at `at`: whole seconds are typed, and it may have begun within this one. */
  #endOf(entry: Entry, at: Date): Date {
    if (at >= entry.start) return at
    // Of commands that are typed at once, the one that has its turn last need not be the one that was typed last; and
    // a service may have rounded the start up.
    const isNow = this.#parts.now.getTime() - at.getTime() < 1000
    if (entry.start.getTime() - at.getTime() < (isNow ? meanwhileMs : 1000)) return entry.start
    throw new TtError(
      'usage',
      `The running timer began at ${formatTime(entry.start, at)}, after ${formatTime(at)}.`,
      { hint: 'Give a later time.', nextStep: { action: 'edit_timer_start' } },
    )
  }

  #refuseFuture(at: Date) {
    const { now } = this.#parts
    if (at <= now) return
    throw new TtError('usage', `${formatTime(at, now)} is in the future.`, {
      hint: 'A timer starts and stops now or earlier.',
      nextStep: { action: 'add_entry' },
    })
  }

  #nothingRuns(): TtError {
    const asFar = this.#parts.connectionFailure() ? ', as far as this machine knows' : ''
    return new TtError('not_found', `No timer is running${asFar}.`, { nextStep: { action: 'start_or_add' } })
  }
}

function update(entry: Entry, fields: WireFields): PlannedChange {
  return { kind: 'entry', op: 'update', record: entry.wire, fields }
}

/** The fields that have a value. */
function given(fields: Record<string, unknown>): WireFields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

function last<Item>(items: readonly Item[]): Item {
  const item = items.at(-1)
  if (item === undefined) throw new Error('A change came to nothing.')
  return item
}
