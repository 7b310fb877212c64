import { isInconclusive } from '../api/errors.js'
import type { RecordKind, WireFields, WireRecord } from '../api/types.js'
import { TtError } from '../lib/errors.js'
import type { Plan, PlannedChange } from '../outbox/change-writer.js'
import type { Changes } from '../outbox/changes.js'
import { isSameValue } from '../outbox/delivery/conflicts.js'
import { isEquivalent, toCreateFields } from '../outbox/field-equality.js'
import type { History, HistoryEntry, HistoryStep } from '../outbox/history.js'
import { isRejected, type Outbox } from '../outbox/outbox.js'
import type { QueuedChange } from '../outbox/queued-change.js'

export type Direction = 'undo' | 'redo'

export interface UndoParts {
  history: History
  changes: Changes
  outbox: Outbox
  /** The record as it is now, what waits for delivery included; undefined where there is none. */
  read(kind: RecordKind, id: string): Promise<WireRecord | undefined>
  /** Whether what was read came from the service itself. */
  isFresh(): boolean
  /** Prompts before the fields of a record that were changed elsewhere later are overwritten. */
  confirmOverwrite(direction: Direction, title: string, fields: readonly string[]): Promise<boolean>
}

/** Undoes the changes that were made on this machine, the latest first, and redoes them. Both are delivered like any change. */
export class Undo {
  readonly #parts: UndoParts

  constructor(parts: UndoParts) {
    this.#parts = parts
  }

  /** Returns the changes that can be undone, the latest first; or those that can be redone, the first of them first. */
  list(direction: Direction, limit: number): HistoryEntry[] {
    const { history } = this.#parts
    return direction === 'undo' ? history.undoable(limit) : history.redoable(limit)
  }

  /**
   * Undoes or redoes the change. Returns false when the user decides against it at the prompt. Throws TtError
   * `not_found` when its record is gone, or when another command has undone, redone or dropped it since it was listed.
   */
  async apply(direction: Direction, entry: HistoryEntry): Promise<boolean> {
    const steps = stepsOf(direction, entry)
    const moved = await this.#movedSince(direction, entry, steps)
    if (moved.length > 0) {
      if (!(await this.#parts.confirmOverwrite(direction, entry.title, moved))) return false
    }
    await this.#parts.changes.readAndApply(() => this.#plan(direction, entry, steps))
    return true
  }

  async #plan(
    direction: Direction,
    { seq, title: what }: HistoryEntry,
    past: readonly HistoryStep[],
  ): Promise<Plan> {
    if (!this.#parts.history.hasState(seq, direction === 'undo' ? 'done' : 'undone')) {
      throw new TtError('not_found', `"${what}" can no longer be ${participles[direction]}.`, {
        hint: 'Another command changed the history.',
        nextStep: { action: 'list_history', direction },
      })
    }
    const steps: PlannedChange[] = []
    for (const one of past) {
      const step = this.#inverse(one, await this.#now(one))
      if (step) steps.push(step)
    }
    const fresh = this.#parts.isFresh()
    const plan = { title: `${pastTenses[direction]}: ${what}`, fresh, ...ordered(steps) }
    return direction === 'undo' ? { ...plan, undoes: seq } : { ...plan, redoes: seq }
  }

  /** Returns the names of the fields that are not as the change left them. */
  async #movedSince(
    direction: Direction,
    { seq, title: what }: HistoryEntry,
    steps: readonly HistoryStep[],
  ): Promise<string[]> {
    const moved = new Set<string>()
    const gone: HistoryStep[] = []
    for (const past of steps) {
      const { before, after } = past
      if (!after) continue
      const current = await this.#now(past)
      if (!current) gone.push(past)
      else for (const name of this.#movedIn(past, before, after, current)) moved.add(name)
    }
    const [first] = gone.filter(({ before }) => before)
    if (!first || gone.length < steps.length) return [...moved]
    // It must not stand in the way of the changes before it.
    this.#parts.history.setState(seq, 'dropped')
    throw new TtError(
      'not_found',
      `"${what}" cannot be ${participles[direction]}: ${first.kind} ${first.record} is gone.`,
      { nextStep: { action: 'next_change', direction } },
    )
  }

  #movedIn(past: HistoryStep, before: WireRecord | null, after: WireRecord, current: WireRecord): string[] {
    const names = before
      ? changedBetween(before, after)
      : [...Object.keys(this.#createFields(past.kind, after)), ...lateFields]
    // What was set aside is not there, but nobody else has changed it.
    const aside = this.#setAside(past).flatMap(({ op, fields }) =>
      op === 'update' ? Object.keys(fields) : [],
    )
    return names.filter((name) => !isEquivalent(name, after[name], current[name]) && !aside.includes(name))
  }

  #setAside({ kind, record }: HistoryStep): QueuedChange[] {
    const { outbox } = this.#parts
    return outbox.changesOf(kind, outbox.resolve(kind, record)).filter(({ state }) => isRejected(state))
  }

  async #now({ kind, record, after }: HistoryStep): Promise<WireRecord | undefined> {
    try {
      return await this.#parts.read(kind, this.#parts.outbox.resolve(kind, record))
    } catch (error) {
      // What was deleted is forgotten here, and a service that cannot be reached does not say that it is gone.
      if (after === null && isInconclusive(error)) return undefined
      throw error
    }
  }

  #createFields(kind: RecordKind, record: WireRecord): WireFields {
    return toCreateFields(kind, record, this.#parts.history.sentFields(kind))
  }

  #inverse(past: HistoryStep, current: WireRecord | undefined): PlannedChange | undefined {
    const { kind, record, before, after } = past
    // Somebody else has taken it back already.
    if (!before) return current && { kind, op: 'delete', record: current }
    if (!after) {
      const name = this.#parts.outbox.resolve(kind, record)
      const isThere = current && !this.#setAside(past).some(({ op }) => op === 'delete')
      return isThere
        ? undefined
        : { kind, op: 'create', fields: this.#createFields(kind, before), replaces: name }
    }
    if (!current) return undefined
    const fields: WireFields = Object.fromEntries(
      changedBetween(before, after).map((name) => [name, before[name] ?? null]),
    )
    return { kind, op: 'update', record: current, fields }
  }
}

/** The steps that lead back from what is there to what is to be there, in the order in which they are taken. */
function stepsOf(direction: Direction, { steps }: HistoryEntry): HistoryStep[] {
  if (direction === 'undo') return [...steps].reverse()
  return steps.map((step) => ({ ...step, before: step.after, after: step.before }))
}

/**
 * Finished records are deleted last, and only once the steps before have been done: their time is at the service
 * throughout. A running timer is deleted in its turn, so that no two timers run.
 */
function ordered(steps: readonly PlannedChange[]): Pick<Plan, 'steps' | 'inOrder'> {
  const isLate = ({ kind, op, record }: PlannedChange) =>
    op === 'delete' && (kind === 'expense' || (record?.time_end ?? null) !== null)
  const late = steps.filter(isLate)
  const early = steps.filter((step) => !isLate(step))
  const [first, second] = early
  const isSplit = first?.op === 'create' && second !== undefined
  return { steps: [...early, ...late], inOrder: early.length > 0 && (late.length > 0 || isSplit) }
}

const participles = { undo: 'undone', redo: 'redone' }
const pastTenses = { undo: 'Undid', redo: 'Redid' }

/** What others may add to a record after it was made. */
const lateFields = ['time_end', 'notes']

function changedBetween(before: WireRecord, after: WireRecord): string[] {
  return Object.keys(after).filter((name) => name !== 'id' && !isSameValue(before[name], after[name]))
}
