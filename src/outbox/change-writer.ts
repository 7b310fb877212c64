import type { RecordKind, WireFields, WireRecord } from '../api/types.js'
import type { ClientState } from '../cache/client-state.js'
import { dayMs } from '../lib/time-units.js'
import { openEntriesSnapshot } from './delivery/local-timer.js'
import { toCreateFields } from './field-equality.js'
import type { History, HistoryStep } from './history.js'
import { changedFields, type Outbox } from './outbox.js'
import type { QueuedChange } from './queued-change.js'

/** One change of one record, as a command means it. */
export interface PlannedChange {
  kind: RecordKind
  op: 'create' | 'update' | 'delete'
  /** The record as it is known now, what waits included; undefined for a create. */
  record?: WireRecord
  fields?: WireFields
  /** The name of a deleted record whose place a create takes. */
  replaces?: string
  /** What the others of its plan do not depend on: when it is refused, they are done all the same. */
  isIndependent?: boolean
  /** It is not merged into an update of its record that waits: what comes before it must be done first. */
  isSeparate?: boolean
}

/** What a command changes, and how undo calls it: "Stopped Acme / Website / Design". */
export interface Plan {
  title: string
  steps: PlannedChange[]
  /** The records come from the service, read by this command, and not from the cache. */
  fresh: boolean
  /** The change of the history that this one takes back. */
  undoes?: number
  /** The undone change of the history that this one makes again. */
  redoes?: number
  /** Each step waits until the one before it is done: what one takes away, another has given to the service before. */
  inOrder?: boolean
}

/** A plan in the outbox: for each step the change that stands for it, undefined where nothing is left to be sent. */
export interface QueuedPlan {
  plan: Plan
  historySeq: number | undefined
  /** The changes of the history that can no longer be redone because of this one. */
  droppedSeqs: number[]
  steps: QueuedStep[]
}

export interface QueuedStep {
  planned: PlannedChange
  change: QueuedChange | undefined
  isNew: boolean
  historyStep: HistoryStep | undefined
  /** Another item stands for what has become of the step that was planned. */
  isPart: boolean
  /** Changes of the same record as they were before this one was merged into them, or took their place. */
  replaced: QueuedChange[]
}

export interface ChangeWriterParts {
  state: ClientState
  outbox: Outbox
  history: History
  now: Date
  /** The local workspace takes open entries. */
  isLocal: boolean
}

/** How long it is remembered that a service takes no open entries: it may learn to, in milliseconds. */
const heldForMs = 30 * dayMs

/** Writes what a command means into the outbox and the history, and takes it back where it comes to nothing. */
export class ChangeWriter {
  readonly #parts: ChangeWriterParts
  readonly #outbox: Outbox
  readonly #history: History

  constructor(parts: ChangeWriterParts) {
    this.#parts = parts
    this.#outbox = parts.outbox
    this.#history = parts.history
  }

  /** Writes the plan into outbox and history; belongs into a transaction. */
  write(plan: Plan): QueuedPlan {
    const items: QueuedStep[] = []
    let last: number | undefined
    for (const planned of plan.steps) {
      const steps = this.#stepsFor(planned)
      for (const step of steps) {
        const item = this.#appended(step, plan.inOrder ? last : undefined)
        last = item.change?.seq ?? last
        const { past = item.historyStep, isPart = false } =
          steps.length > 1 ? partOf(planned, step, steps) : {}
        items.push({ ...item, historyStep: past, isPart })
      }
    }
    const past = inOneStep(items.flatMap((item) => item.historyStep ?? []))
    const { now } = this.#parts
    const isNew = past.length > 0 && plan.undoes === undefined && plan.redoes === undefined
    if (plan.undoes !== undefined) this.#history.setState(plan.undoes, 'undone')
    if (plan.redoes !== undefined) this.#history.setState(plan.redoes, 'done')
    if (!isNew) return { plan, steps: items, historySeq: undefined, droppedSeqs: [] }
    const dropped = this.#history.dropRedoable()
    return {
      plan,
      steps: items,
      droppedSeqs: dropped,
      historySeq: this.#history.record(plan.title, past, now),
    }
  }

  /** A service that takes no open entries cannot have one opened again: that one is deleted there and held here. */
  #stepsFor(step: PlannedChange): PlannedChange[] {
    const { kind, op, record, fields } = step
    if (op !== 'update' || !record || fields?.time_end !== null || !this.#holdsTimers) return [step]
    if (this.#outbox.changesOf(kind, String(record.id)).some((change) => change.op === 'create'))
      return [step]
    const whole = { ...toCreateFields(kind, record), ...fields }
    return [
      { kind, op: 'delete', record },
      { kind, op: 'create', fields: whole, replaces: String(record.id) },
    ]
  }

  #appended(typed: PlannedChange, waitsFor: number | undefined): Omit<QueuedStep, 'isPart'> {
    const { kind, record, replaces: insteadOf = record && String(record.id) } = typed
    const before =
      insteadOf === undefined ? [] : this.#outbox.changesOf(kind, this.#outbox.resolve(kind, insteadOf))
    const item = this.#append(typed, waitsFor)
    const isReplaced = (row: QueuedChange) =>
      JSON.stringify(row) !== JSON.stringify(this.#outbox.get(row.seq) ?? null)
    return { ...item, replaced: before.filter(isReplaced) }
  }

  #append(typed: PlannedChange, waitsFor: number | undefined): Omit<QueuedStep, 'replaced' | 'isPart'> {
    const step = this.#undeleted(typed)
    const { kind, op, record } = step
    const fields = op === 'update' ? changedFields(record ?? null, step.fields ?? {}) : (step.fields ?? {})
    const overtaken =
      op === 'update' && record
        ? this.#outbox.supersede(kind, String(record.id), Object.keys(step.fields ?? {}))
        : []
    if (op === 'update' && Object.keys(fields).length === 0) {
      return { planned: step, change: undefined, isNew: false, historyStep: undefined }
    }
    const isHeld = this.#isHeld(step)
    const change = this.#outbox.append(
      {
        kind,
        op,
        fields,
        base: record ?? null,
        record: record && String(record.id),
        state: isHeld ? 'held' : 'waiting',
        isSeparate: step.isSeparate,
        waitsFor,
      },
      this.#parts.now,
    )
    // Two that wait for each other would wait for ever.
    if (change && change.waitsFor === null)
      for (const seq of overtaken) this.#outbox.moveAfter(seq, change.seq)
    if (step.replaces !== undefined && change) this.#outbox.setAlias(kind, step.replaces, change.record)
    const name = record ? String(record.id) : (change?.record ?? '')
    const after = op === 'delete' ? null : { ...(record ?? { id: name }), ...fields }
    const past = { kind, record: name, before: record ?? null, after }
    return {
      planned: step,
      change,
      isNew: change !== undefined && this.#outbox.isNew(change),
      historyStep: past,
    }
  }

  /** What takes the place of a record whose deletion was never sent is that record. */
  #undeleted(step: PlannedChange): PlannedChange {
    const { kind, replaces: insteadOf, fields = {} } = step
    // A timer that is held here is never a change of what the service has.
    if (insteadOf === undefined || this.#isHeld(step)) return step
    const record = this.#outbox.undelete(kind, insteadOf)
    return record ? { kind, op: 'update', record, fields } : step
  }

  #isHeld({ kind, op, fields }: PlannedChange): boolean {
    return kind === 'entry' && op === 'create' && (fields?.time_end ?? null) === null && this.#holdsTimers
  }

  get #holdsTimers(): boolean {
    if (this.#parts.isLocal) return false
    const known = this.#parts.state.snapshot(openEntriesSnapshot)
    return known?.value === 'refused' && this.#parts.now.getTime() - known.at.getTime() < heldForMs
  }

  /** Takes back those of its steps that are nowhere but here. */
  withdraw({ plan, steps: items, historySeq: history, droppedSeqs: dropped }: QueuedPlan) {
    this.#parts.state.atomically(() => {
      const left = items.filter((item) => !this.#takenBack(item))
      if (left.length < items.length) {
        if (plan.undoes !== undefined) this.#history.setState(plan.undoes, 'done')
        if (plan.redoes !== undefined) this.#history.setState(plan.redoes, 'undone')
      }
      if (left.length === 0) for (const seq of dropped) this.#history.setState(seq, 'undone')
      if (history !== undefined) {
        this.#history.replaceSteps(history, inOneStep(left.flatMap(({ historyStep: past }) => past ?? [])))
      }
    })
  }

  /** Has the outbox as it was before; false where the service has the change, or may have it. */
  #takenBack({ planned: step, change, isNew, replaced }: QueuedStep): boolean {
    const current = change && this.#outbox.get(change.seq)
    if (change && (!current || current.outcomeUnknown)) return false
    // Somebody else's change was merged into it meanwhile.
    if (change && JSON.stringify(current?.fields) !== JSON.stringify(change.fields)) return false
    if (current && isNew) this.#outbox.remove(current.seq)
    if (current && step.replaces !== undefined)
      this.#outbox.removeAlias(step.kind, step.replaces, current.record)
    for (const row of replaced) this.#outbox.restore(row)
    return true
  }
}

/** However many steps it takes, it is one change of one record. */
function partOf(
  { kind, record, fields }: PlannedChange,
  step: PlannedChange,
  steps: readonly PlannedChange[],
): { past?: HistoryStep; isPart?: boolean } {
  if (!record) return {}
  const past = { kind, record: String(record.id), before: record, after: { ...record, ...fields } }
  return { past, isPart: step !== steps.at(-1) }
}

/** What was changed twice has been changed once, at the end. */
function inOneStep(past: readonly HistoryStep[]): HistoryStep[] {
  const steps: HistoryStep[] = []
  for (const step of past) {
    const at = steps.findIndex(
      ({ kind, record, after }) => after && kind === step.kind && record === step.record,
    )
    const [first = step] = at < 0 ? [] : steps.splice(at, 1)
    steps.push({ ...step, before: first.before })
  }
  return steps
}
