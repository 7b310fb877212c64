import { tellsNothing } from '../api/failures.js'
import type { WireRecord } from '../api/types.js'
import { TtError } from '../errors.js'
import type { Kind, QueuedChange, WireFields } from './change.js'
import type { Changes } from './changes.js'
import { isSame } from './conflicts.js'
import type { History, HistoryEntry, HistoryStep } from './history.js'
import { isSetAside, type Outbox } from './outbox.js'
import { creatable, mayBe } from './values.js'
import type { Plan, Step } from './writing.js'

export interface UndoParts {
  history: History
  changes: Changes
  outbox: Outbox
  /** The record as it is now, what waits for delivery included; undefined where there is none. */
  read(kind: Kind, id: string): Promise<WireRecord | undefined>
  /** Whether what was read came from the service itself. */
  isFresh(): boolean
  /** Asks before something is overwritten that somebody else has changed since. */
  confirm(question: string): Promise<boolean>
}

/** Takes back what was changed from this machine, the latest first; what it makes of it is delivered like any change. */
export class Undo {
  readonly #parts: UndoParts

  constructor(parts: UndoParts) {
    this.#parts = parts
  }

  /** What can be undone, the latest first. */
  list(limit: number): HistoryEntry[] {
    return this.#parts.history.undoable(limit)
  }

  /** Takes the change back. Answers false when somebody decided against it. */
  async takeBack(entry: HistoryEntry): Promise<boolean> {
    const moved = await this.#movedSince(entry)
    if (moved.length > 0) {
      const question = `"${entry.what}" was changed elsewhere since (${moved.join(', ')}). Undo it all the same?`
      if (!(await this.#parts.confirm(question))) return false
    }
    await this.#parts.changes.decide(() => this.#plan(entry))
    return true
  }

  async #plan(entry: HistoryEntry): Promise<Plan> {
    const steps: Step[] = []
    for (const past of [...entry.steps].reverse()) {
      const step = this.#inverse(past, await this.#now(past))
      if (step) steps.push(step)
    }
    return { what: `Undid: ${entry.what}`, steps, fresh: this.#parts.isFresh(), undoes: entry.seq }
  }

  /** The fields of records that are not as the change left them. */
  async #movedSince({ seq, steps, what }: HistoryEntry): Promise<string[]> {
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
    // It must not stand in the way of what was changed before.
    this.#parts.history.markUndone(seq)
    throw new TtError('not_found', `"${what}" cannot be undone: ${first.kind} ${first.record} is gone.`, {
      hint: '`tt undo` takes back what was changed before that.',
    })
  }

  #movedIn(past: HistoryStep, before: WireRecord | null, after: WireRecord, current: WireRecord): string[] {
    const names = before ? changedBetween(before, after) : [...Object.keys(creatable(after)), ...lateFields]
    // What was set aside is not there, but nobody else has changed it.
    const aside = this.#setAside(past).flatMap(({ op, fields }) =>
      op === 'update' ? Object.keys(fields) : [],
    )
    return names.filter((name) => !mayBe(name, after[name], current[name]) && !aside.includes(name))
  }

  #setAside({ kind, record }: HistoryStep): QueuedChange[] {
    const { outbox } = this.#parts
    return outbox.of(kind, outbox.resolve(kind, record)).filter(({ state }) => isSetAside(state))
  }

  async #now({ kind, record, after }: HistoryStep): Promise<WireRecord | undefined> {
    try {
      return await this.#parts.read(kind, this.#parts.outbox.resolve(kind, record))
    } catch (error) {
      // What was deleted is forgotten here, and a service that cannot be reached does not say that it is gone.
      if (after === null && tellsNothing(error)) return undefined
      throw error
    }
  }

  #inverse(past: HistoryStep, current: WireRecord | undefined): Step | undefined {
    const { kind, record, before, after } = past
    // Somebody else has taken it back already.
    if (!before) return current && { kind, op: 'delete', record: current }
    if (!after) {
      const name = this.#parts.outbox.resolve(kind, record)
      const isThere = current && !this.#setAside(past).some(({ op }) => op === 'delete')
      return isThere ? undefined : { kind, op: 'create', fields: creatable(before), insteadOf: name }
    }
    if (!current) return undefined
    const fields: WireFields = Object.fromEntries(
      changedBetween(before, after).map((name) => [name, before[name] ?? null]),
    )
    return { kind, op: 'update', record: current, fields }
  }
}

/** What others may add to a record after it was made. */
const lateFields = ['time_end', 'notes']

function changedBetween(before: WireRecord, after: WireRecord): string[] {
  return Object.keys(after).filter((name) => name !== 'id' && !isSame(before[name], after[name]))
}
