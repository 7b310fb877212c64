import type { WireFields } from '../../api-client/types.js'
import type { Interval, TimeRange } from '../../lib/calendar/interval.js'
import { formatTime } from '../../lib/calendar/time.js'
import { TtError } from '../../lib/errors.js'
import type { ChangeApplier } from '../../outbox/change-applier.js'
import type { WithPending } from '../../outbox/pending.js'
import type { Plan, PlannedChange } from '../../outbox/plan.js'
import type { Catalog, PlannedLink } from '../catalog/catalog.js'
import { changedEntryFields } from './changed-fields.js'
import { type Entry, labelOf } from './entry.js'
import type { EntryReader } from './reading/entry-reader.js'
import type { RunningTimer } from './running-timer.js'

export interface EntryChanges {
  start?: Date | undefined
  end?: Date | undefined
  task?: PlannedLink | undefined
  notes?: string | undefined
}

/** A plan of changes to entries. With `readAt: undefined`, compares them with the current records of the service first. */
export type EntryPlan = Pick<
  Plan,
  'title' | 'steps' | 'inOrder' | 'intention' | 'isCurrent' | 'saveTimer'
> & {
  readAt?: undefined
}

/** Reads entries under the lock of the profile. */
export interface EntryLookup {
  find(reference: string): Promise<Entry>
  /** Returns the entries that start within the bounds, oldest first. */
  within(bounds: TimeRange): Promise<Entry[]>
}

export interface EntryWriterParts {
  catalog: Catalog
  reader: EntryReader
  changes: ChangeApplier
  timer: RunningTimer
  /** The time at which the command was started. */
  now: Date
}

/** Adds, edits and deletes time entries. Saves each change before sending it, and updates the running timer. */
export class EntryWriter {
  readonly #parts: EntryWriterParts

  constructor(parts: EntryWriterParts) {
    this.#parts = parts
  }

  async add(
    task: PlannedLink,
    interval: Interval,
    more: { notes?: string | undefined; externalId?: string | undefined },
  ): Promise<Entry> {
    const { notes, externalId: external_id } = more
    const added = await this.apply(async () => {
      const link = await task.resolve()
      const fields = {
        time_start: interval.start.toISOString(),
        time_end: interval.end.toISOString(),
        task_link_id: link.id,
        ...definedFields({ notes, external_id }),
      }
      const title = `Added ${link.label}, ${formatTime(interval.start, this.#parts.now)}`
      return { title, steps: [{ kind: 'entry', op: 'create', fields }] }
    })
    return last(added)
  }

  /** Changes the given fields of an entry. */
  async edit(entry: Entry, changes: EntryChanges): Promise<Entry> {
    const { start, end, task, notes } = changes
    const results = await this.apply(async () => {
      const link = await task?.resolve()
      const fields = definedFields({
        time_start: start?.toISOString(),
        time_end: end?.toISOString(),
        task_link_id: link?.id,
        notes,
      })
      const title = `Changed ${labelOf(entry)}${changedEntryFields(entry, { ...changes, link })}`
      return { title, steps: [updateOf(entry, fields)] }
    })
    const edited = last(results)
    if (entry.end === null) this.#parts.timer.remember(edited.end === null ? edited : undefined)
    return edited
  }

  /** Deletes the entries in one change, which one undo reverts, and returns them. */
  async remove(entries: readonly Entry[], verb = 'Deleted'): Promise<Entry[]> {
    const labels = entries.map(labelOf).join('; ')
    const steps = entries.map(({ wire }): PlannedChange => ({ kind: 'entry', op: 'delete', record: wire }))
    // The entries may have changed while the prompt was open.
    const removed = await this.apply(async () => ({ title: `${verb} ${labels}`, steps, readAt: undefined }))
    if (entries.some(({ end }) => end === null)) this.#parts.timer.remember(undefined)
    return removed
  }

  /**
   * Changes several entries in one change, and returns the resulting entries. Calls `plan` under the lock of the profile;
   * if it throws, nothing is changed.
   */
  async rearrange(plan: (lookup: EntryLookup) => Promise<EntryPlan>): Promise<Entry[]> {
    const { reader, timer } = this.#parts
    const lookup: EntryLookup = {
      find: async (reference) => {
        if (reference !== '@') return reader.find(reference)
        const [running] = await timer.read({ silent: true })
        if (!running) throw timer.notRunningError()
        return running
      },
      within: (bounds) => reader.within(bounds),
    }
    let changesTimer = false
    const changed = await this.readAndApply(async () => {
      const planned = await plan(lookup)
      changesTimer = planned.steps.some(
        ({ record, fields }) => (fields ?? record)?.time_end === null || record?.time_end === null,
      )
      return planned
    })
    if (changesTimer) await timer.refresh()
    return changed
  }

  /** Applies a plan that depends on no existing record, and returns the resulting entries in the order of its steps. */
  apply(plan: () => Promise<EntryPlan>): Promise<Entry[]> {
    return this.#entriesOf(this.#parts.changes.apply(async () => this.#withReadTime(await plan())))
  }

  /** Applies the plan, like `apply`; `plan` reads and decides under the lock of the profile. */
  readAndApply(plan: () => Promise<EntryPlan>): Promise<Entry[]> {
    return this.#entriesOf(this.#parts.changes.readAndApply(async () => this.#withReadTime(await plan())))
  }

  #withReadTime(plan: EntryPlan): Plan {
    return { readAt: this.#parts.reader.readAt, ...plan }
  }

  async #entriesOf(results: Promise<WithPending[]>): Promise<Entry[]> {
    const { catalog, reader, timer } = this.#parts
    try {
      return await Promise.all((await results).map((result) => reader.joinLinkAfterChange(result)))
    } catch (error) {
      if (error instanceof TtError && error.code === 'rejected') {
        // The cached task link may be outdated.
        catalog.invalidate()
        // Some of several steps may have been delivered.
        await timer.refresh()
      }
      throw error
    }
  }
}

/** Returns the change that sets these fields of an entry. */
export function updateOf(entry: Entry, fields: WireFields): PlannedChange {
  return { kind: 'entry', op: 'update', record: entry.wire, fields }
}

/** Returns the fields that have a value. */
export function definedFields(fields: Record<string, unknown>): WireFields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** Returns the last of the resulting entries. Throws if there is none. */
export function last<Item>(items: readonly Item[]): Item {
  const item = items.at(-1)
  if (item === undefined) throw new Error('The change has no result.')
  return item
}
