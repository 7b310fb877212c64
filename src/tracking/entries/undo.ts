import { isInconclusive } from '../../api-client/api-errors.js'
import type { RecordKind, WireFields, WireRecord } from '../../api-client/types.js'
import type { TimeRange } from '../../lib/calendar/interval.js'
import { TtError } from '../../lib/errors.js'
import type { ChangeApplier } from '../../outbox/change-applier.js'
import { isSameValue } from '../../outbox/delivery/conflicts.js'
import type { ClockReading } from '../../outbox/delivery/settling-time.js'
import { isEquivalent, toCreateFields } from '../../outbox/field-equality.js'
import type { History, HistoryEntry, HistoryStep } from '../../outbox/history.js'
import type { Outbox } from '../../outbox/outbox.js'
import type { Plan, PlannedChange } from '../../outbox/plan.js'
import { isRejected, type QueuedChange } from '../../outbox/queued-change.js'

export type Direction = 'undo' | 'redo'

export interface UndoParts {
  history: History
  changes: ChangeApplier
  outbox: Outbox
  /** Returns the current record with pending changes; undefined if there is none. */
  read(kind: RecordKind, id: string): Promise<WireRecord | undefined>
  /** Returns the current entries that start within the bounds, with pending changes. */
  readEntries(bounds: TimeRange): Promise<WireRecord[]>
  /** Returns when the first response arrived, if everything read so far came from the service. */
  readAt(): ClockReading | undefined
  /** Undoes or redoes an import into the local workspace, which has no steps. Returns false if the user declines the prompt. */
  revertImport(direction: Direction, entry: HistoryEntry): Promise<boolean>
  /**
   * Undoes or redoes the change of the catalog that a change is, or that has created the records which it needs. Throws
   * TtError `rejected` if it cannot.
   */
  revertCatalogChange(direction: Direction, entry: HistoryEntry): Promise<void>
  /** Cancels an invoice. Returns false if the user declines the prompt. */
  cancelInvoice(entry: HistoryEntry): Promise<boolean>
  /** Prompts before overwriting fields that another client has changed since. */
  confirmOverwrite(direction: Direction, title: string, fields: readonly string[]): Promise<boolean>
}

/** Undoes and redoes the changes of this machine, the latest first. Delivers both like other changes. */
export class Undo {
  readonly #parts: UndoParts
  /** The entries that were read in one list, by ID. */
  #listed = new Map<string, WireRecord>()
  /** `History.sentFields`, which reads the whole history. */
  readonly #sentFields = new Map<RecordKind, Set<string>>()

  constructor(parts: UndoParts) {
    this.#parts = parts
  }

  /** Returns the changes that can be undone, the latest first, or redone, the earliest first. */
  list(direction: Direction, limit: number): HistoryEntry[] {
    const { history } = this.#parts
    return direction === 'undo' ? history.undoable(limit) : history.redoable(limit)
  }

  /**
   * Undoes or redoes a change. Returns false if the user declines the prompt. Throws TtError `not_found` if its record is
   * deleted, or if another command has undone, redone or discarded it since.
   */
  async apply(direction: Direction, entry: HistoryEntry): Promise<boolean> {
    if (entry.invoice !== undefined) return this.#parts.cancelInvoice(entry)
    if (entry.importId !== undefined && entry.steps.length === 0)
      return this.#parts.revertImport(direction, entry)
    if (entry.catalogChange !== undefined && entry.steps.length === 0) {
      await this.#parts.revertCatalogChange(direction, entry)
      return true
    }
    const steps = stepsOf(direction, entry)
    await this.#listEntries(steps)
    let modified = await this.#modifiedSince(direction, entry, steps)
    if (!(await this.#confirm(direction, entry, modified))) return false
    const revertCreated = async (of: Direction) => {
      if (direction === of) await this.#revertCreated(direction, entry)
    }
    for (;;) {
      try {
        await this.#parts.changes.readAndApply(
          async () => {
            await revertCreated('redo')
            return this.#plan(direction, entry, steps, modified)
          },
          () => revertCreated('undo'),
        )
        return true
      } catch (error) {
        if (!(error instanceof ModifiedError)) throw error
        modified = [...modified, ...error.fields]
        if (!(await this.#confirm(direction, entry, error.fields))) return false
      }
    }
  }

  async #confirm(direction: Direction, { title }: HistoryEntry, modified: readonly string[]) {
    return modified.length === 0 || this.#parts.confirmOverwrite(direction, title, modified)
  }

  /** Deletes or creates the client, project, task and expense type that the change has created for its records. */
  async #revertCreated(direction: Direction, entry: HistoryEntry): Promise<void> {
    if (entry.catalogChange !== undefined) await this.#parts.revertCatalogChange(direction, entry)
  }

  /** Throws ModifiedError if other fields than those in `confirmed` were modified after the change. */
  async #plan(
    direction: Direction,
    { seq, title }: HistoryEntry,
    historySteps: readonly HistoryStep[],
    confirmed: readonly string[],
  ): Promise<Plan> {
    if (!this.#parts.history.hasState(seq, direction === 'undo' ? 'done' : 'undone')) {
      throw new TtError('not_found', `"${title}" can no longer be ${participles[direction]}.`, {
        hint: 'Another command changed the history.',
        nextStep: { action: 'list_history', direction },
      })
    }
    await this.#listEntries(historySteps)
    const steps: PlannedChange[] = []
    const modified = new Set<string>()
    for (const step of historySteps) {
      const current = await this.#currentRecord(step)
      for (const name of this.#modifiedFields(step, current)) modified.add(name)
      const inverse = this.#inverse(step, current)
      if (inverse) steps.push(inverse)
    }
    const unconfirmed = [...modified].filter((name) => !confirmed.includes(name))
    if (unconfirmed.length > 0) throw new ModifiedError(unconfirmed)
    const readAt = this.#parts.readAt()
    const plan = {
      title: `${pastTenses[direction]}: ${title}`,
      readAt,
      isCurrent: () => this.#parts.history.hasState(seq, direction === 'undo' ? 'done' : 'undone'),
      ...orderSteps(steps),
    }
    return direction === 'undo' ? { ...plan, undoes: seq } : { ...plan, redoes: seq }
  }

  /**
   * Returns the names of the fields that were modified after the change. Throws TtError `not_found` if all its records
   * are deleted.
   */
  async #modifiedSince(
    direction: Direction,
    { seq, title }: HistoryEntry,
    steps: readonly HistoryStep[],
  ): Promise<string[]> {
    const modified = new Set<string>()
    const missing: HistoryStep[] = []
    for (const step of steps) {
      if (!step.after) continue
      const current = await this.#currentRecord(step)
      if (!current) missing.push(step)
      for (const name of this.#modifiedFields(step, current)) modified.add(name)
    }
    const [first] = missing.filter(({ before }) => before)
    if (!first || missing.length < steps.length) return [...modified]
    // It must not block undoing the changes before it.
    this.#parts.history.setState(seq, 'discarded')
    throw new TtError(
      'not_found',
      `"${title}" cannot be ${participles[direction]}: ${first.kind} ${first.record} is gone.`,
      { nextStep: { action: 'next_change', direction } },
    )
  }

  /** Returns the names of the fields of a record that were modified after the change. */
  #modifiedFields(step: HistoryStep, current: WireRecord | undefined): string[] {
    const { before, after } = step
    if (!after || !current) return []
    const names = before
      ? changedBetween(before, after)
      : [...Object.keys(this.#createFields(step.kind, after)), ...fieldsAddedLater]
    // A rejected change is not at the service, but no other client has changed the record.
    const rejected = this.#rejectedChanges(step).flatMap(({ op, fields }) =>
      op === 'update' ? Object.keys(fields) : [],
    )
    return names.filter((name) => !isEquivalent(name, after[name], current[name]) && !rejected.includes(name))
  }

  #rejectedChanges({ kind, record }: HistoryStep): QueuedChange[] {
    const { outbox } = this.#parts
    return outbox.changesOf(kind, outbox.resolve(kind, record)).filter(({ state }) => isRejected(state))
  }

  /** Reads many entries in one list instead of one by one. Those that were moved since are read one by one. */
  async #listEntries(steps: readonly HistoryStep[]) {
    this.#listed = new Map()
    const starts = steps
      .filter(({ kind }) => kind === 'entry')
      .map(({ after }) => Date.parse(String(after?.time_start)))
      .filter((start) => !Number.isNaN(start))
      .sort((one, other) => one - other)
    const [first, last] = [starts[0], starts.at(-1)]
    if (starts.length < minListed || first === undefined || last === undefined) return
    const bounds = { start: new Date(first), end: new Date(last + 1) }
    for (const record of await this.#parts.readEntries(bounds)) this.#listed.set(String(record.id), record)
  }

  async #currentRecord({ kind, record, after }: HistoryStep): Promise<WireRecord | undefined> {
    try {
      const id = this.#parts.outbox.resolve(kind, record)
      const listed = kind === 'entry' ? this.#listed.get(id) : undefined
      return listed ?? (await this.#parts.read(kind, id))
    } catch (error) {
      // The cache has no deleted records, and an unreachable service cannot confirm the deletion.
      if (after === null && isInconclusive(error)) return undefined
      throw error
    }
  }

  #createFields(kind: RecordKind, record: WireRecord): WireFields {
    const sent = this.#sentFields.get(kind) ?? this.#parts.history.sentFields(kind)
    this.#sentFields.set(kind, sent)
    return toCreateFields(kind, record, sent)
  }

  /** Returns the change that reverts the step; undefined if its record is in that state already. */
  #inverse(step: HistoryStep, current: WireRecord | undefined): PlannedChange | undefined {
    const { kind, record, before, after } = step
    // Another client has already reverted it.
    if (!before) return current && { kind, op: 'delete', record: current }
    if (!after) {
      const id = this.#parts.outbox.resolve(kind, record)
      const exists = current && !this.#rejectedChanges(step).some(({ op }) => op === 'delete')
      return exists
        ? undefined
        : { kind, op: 'create', fields: this.#createFields(kind, before), replaces: id }
    }
    if (!current) return undefined
    const fields: WireFields = Object.fromEntries(
      changedBetween(before, after).map((name) => [name, before[name] ?? null]),
    )
    return { kind, op: 'update', record: current, fields }
  }
}

/** Fields of a record were modified after the change, and the user has not confirmed that they are overwritten. */
class ModifiedError extends Error {
  override readonly name = 'ModifiedError'
  constructor(readonly fields: readonly string[]) {
    super(`Modified: ${fields.join(', ')}.`)
  }
}

/** Returns the steps from the current to the previous state, in order. */
function stepsOf(direction: Direction, { steps }: HistoryEntry): HistoryStep[] {
  if (direction === 'undo') return [...steps].reverse()
  return steps.map((step) => ({ ...step, before: step.after, after: step.before }))
}

/**
 * Orders steps so that finished records are deleted last, after the other steps, and the service never lacks any time. A
 * running timer is deleted in order, so that two timers never run.
 */
function orderSteps(steps: readonly PlannedChange[]): Pick<Plan, 'steps' | 'inOrder'> {
  const isDeletedLast = ({ kind, op, record }: PlannedChange) =>
    op === 'delete' && (kind === 'expense' || (record?.time_end ?? null) !== null)
  const deletedLast = steps.filter(isDeletedLast)
  const others = steps.filter((step) => !isDeletedLast(step))
  const [first, second] = others
  const isSplit = first?.op === 'create' && second !== undefined
  return {
    steps: [...others, ...deletedLast],
    inOrder: others.length > 0 && (deletedLast.length > 0 || isSplit),
  }
}

/** The number of entries from which they are read in one list. */
const minListed = 20

const participles = { undo: 'undone', redo: 'redone' }
const pastTenses = { undo: 'Undid', redo: 'Redid' }

/** Fields that the service may add after a record is created. */
const fieldsAddedLater = ['time_end', 'notes']

function changedBetween(before: WireRecord, after: WireRecord): string[] {
  return Object.keys(after).filter((name) => name !== 'id' && !isSameValue(before[name], after[name]))
}
