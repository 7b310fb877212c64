import type { RecordKind, WireFields, WireRecord } from '../api/types.js'
import type { ClientState } from '../cache/client-state.js'
import { dayMs } from '../lib/time-units.js'
import { openEntriesSnapshot } from './delivery/local-timer.js'
import { toCreateFields } from './field-equality.js'
import type { History, HistoryStep } from './history.js'
import { changedFields, type Outbox } from './outbox.js'
import type { QueuedChange } from './queued-change.js'

/** One change of one record that a command makes. */
export interface PlannedChange {
  kind: RecordKind
  op: 'create' | 'update' | 'delete'
  /** The record as it is known now, with its pending changes; undefined for a create. */
  record?: WireRecord
  fields?: WireFields
  /** The name of a deleted record that a create replaces. */
  replaces?: string
  /** The other steps of its plan do not depend on it: its rejection does not fail the command. */
  isIndependent?: boolean
  /** It is not merged into a pending update of its record: the steps before it must be done first. */
  isSeparate?: boolean
}

/** The changes of a command. */
export interface Plan {
  /** The name of the command in the history: "Stopped Acme / Website / Design". */
  title: string
  steps: PlannedChange[]
  /** This command has read the records from the service, not from the cache. */
  fresh: boolean
  /** The number in the history of the change that this one undoes. */
  undoes?: number
  /** The number in the history of the change that this one redoes. */
  redoes?: number
  /** Each step waits until the one before it is done: a step may remove what another has copied to the service. */
  inOrder?: boolean
}

/** A plan in the outbox. */
export interface QueuedPlan {
  plan: Plan
  /** Its number in the history; undefined where it has none. */
  historySeq: number | undefined
  /** The numbers of the changes of the history that can no longer be redone because of this one. */
  discardedSeqs: number[]
  steps: QueuedStep[]
}

export interface QueuedStep {
  planned: PlannedChange
  /** Undefined where nothing remains to be sent. */
  change: QueuedChange | undefined
  isNew: boolean
  historyStep: HistoryStep | undefined
  /** A later step has the outcome of the planned change. */
  isPart: boolean
  /** The changes of the same record as they were before this one was merged into them or replaced them. */
  replaced: QueuedChange[]
}

export interface ChangeWriterParts {
  state: ClientState
  outbox: Outbox
  history: History
  now: Date
  /** The local workspace accepts open entries. */
  isLocal: boolean
}

/** How long to assume that a service rejects open entries, in milliseconds: a newer version of it may accept them. */
const openEntriesRejectedMs = 30 * dayMs

/** Writes the changes of a command to the outbox and the history, and withdraws them when the command fails. */
export class ChangeWriter {
  readonly #parts: ChangeWriterParts
  readonly #outbox: Outbox
  readonly #history: History

  constructor(parts: ChangeWriterParts) {
    this.#parts = parts
    this.#outbox = parts.outbox
    this.#history = parts.history
  }

  /** Writes a plan to the outbox and the history; belongs into a transaction. */
  write(plan: Plan): QueuedPlan {
    const items: QueuedStep[] = []
    let last: number | undefined
    for (const planned of plan.steps) {
      const steps = this.#stepsFor(planned)
      for (const step of steps) {
        const item = this.#appendWithReplaced(step, plan.inOrder ? last : undefined)
        last = item.change?.seq ?? last
        const { past = item.historyStep, isPart = false } =
          steps.length > 1 ? partOf(planned, step, steps) : {}
        items.push({ ...item, historyStep: past, isPart })
      }
    }
    const past = mergeSteps(items.flatMap((item) => item.historyStep ?? []))
    const { now } = this.#parts
    const isNew = past.length > 0 && plan.undoes === undefined && plan.redoes === undefined
    if (plan.undoes !== undefined) this.#history.setState(plan.undoes, 'undone')
    if (plan.redoes !== undefined) this.#history.setState(plan.redoes, 'done')
    if (!isNew) return { plan, steps: items, historySeq: undefined, discardedSeqs: [] }
    const discarded = this.#history.discardRedoable()
    return {
      plan,
      steps: items,
      discardedSeqs: discarded,
      historySeq: this.#history.record(plan.title, past, now),
    }
  }

  /** Replaces an update that removes the end of an entry by a deletion and a local timer, where the service rejects open entries. */
  #stepsFor(step: PlannedChange): PlannedChange[] {
    const { kind, op, record, fields } = step
    if (op !== 'update' || !record || fields?.time_end !== null || !this.#rejectsOpenEntries) return [step]
    if (this.#outbox.changesOf(kind, String(record.id)).some((change) => change.op === 'create'))
      return [step]
    const fieldsOfCopy = { ...toCreateFields(kind, record), ...fields }
    return [
      { kind, op: 'delete', record },
      { kind, op: 'create', fields: fieldsOfCopy, replaces: String(record.id) },
    ]
  }

  #appendWithReplaced(planned: PlannedChange, waitsFor: number | undefined): Omit<QueuedStep, 'isPart'> {
    const { kind, record, replaces: insteadOf = record && String(record.id) } = planned
    const before =
      insteadOf === undefined ? [] : this.#outbox.changesOf(kind, this.#outbox.resolve(kind, insteadOf))
    const item = this.#append(planned, waitsFor)
    const isReplaced = (row: QueuedChange) =>
      JSON.stringify(row) !== JSON.stringify(this.#outbox.get(row.seq) ?? null)
    return { ...item, replaced: before.filter(isReplaced) }
  }

  #append(planned: PlannedChange, waitsFor: number | undefined): Omit<QueuedStep, 'replaced' | 'isPart'> {
    const step = this.#asUpdateIfDeleted(planned)
    const { kind, op, record } = step
    const fields = op === 'update' ? changedFields(record ?? null, step.fields ?? {}) : (step.fields ?? {})
    const superseded =
      op === 'update' && record
        ? this.#outbox.supersede(kind, String(record.id), Object.keys(step.fields ?? {}))
        : []
    if (op === 'update' && Object.keys(fields).length === 0) {
      return { planned: step, change: undefined, isNew: false, historyStep: undefined }
    }
    const isLocalTimer = this.#isLocalTimer(step)
    const change = this.#outbox.append(
      {
        kind,
        op,
        fields,
        base: record ?? null,
        record: record && String(record.id),
        state: isLocalTimer ? 'held' : 'waiting',
        isSeparate: step.isSeparate,
        waitsFor,
      },
      this.#parts.now,
    )
    // Two changes that wait for each other would never be sent.
    if (change && change.waitsFor === null)
      for (const seq of superseded) this.#outbox.moveAfter(seq, change.seq)
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

  /** Turns a create that replaces a record into an update of it, where its deletion was not sent. */
  #asUpdateIfDeleted(step: PlannedChange): PlannedChange {
    const { kind, replaces: insteadOf, fields = {} } = step
    // A local timer is never an update of an entry at the service.
    if (insteadOf === undefined || this.#isLocalTimer(step)) return step
    const record = this.#outbox.undelete(kind, insteadOf)
    return record ? { kind, op: 'update', record, fields } : step
  }

  #isLocalTimer({ kind, op, fields }: PlannedChange): boolean {
    return (
      kind === 'entry' && op === 'create' && (fields?.time_end ?? null) === null && this.#rejectsOpenEntries
    )
  }

  get #rejectsOpenEntries(): boolean {
    if (this.#parts.isLocal) return false
    const known = this.#parts.state.snapshot(openEntriesSnapshot)
    return (
      known?.value === 'refused' && this.#parts.now.getTime() - known.at.getTime() < openEntriesRejectedMs
    )
  }

  /** Removes the steps that the service does not have from the outbox and the history. */
  withdraw({ plan, steps: items, historySeq: history, discardedSeqs: discarded }: QueuedPlan) {
    this.#parts.state.atomically(() => {
      const remaining = items.filter((item) => !this.#revert(item))
      if (remaining.length < items.length) {
        if (plan.undoes !== undefined) this.#history.setState(plan.undoes, 'done')
        if (plan.redoes !== undefined) this.#history.setState(plan.redoes, 'undone')
      }
      if (remaining.length === 0) for (const seq of discarded) this.#history.setState(seq, 'undone')
      if (history !== undefined) {
        this.#history.replaceSteps(
          history,
          mergeSteps(remaining.flatMap(({ historyStep: past }) => past ?? [])),
        )
      }
    })
  }

  /** Restores the outbox as it was before a step; returns false where the service has the change, or may have it. */
  #revert({ planned: step, change, isNew, replaced }: QueuedStep): boolean {
    const current = change && this.#outbox.get(change.seq)
    if (change && (!current || current.outcomeUnknown)) return false
    // Another process has merged a change into it.
    if (change && JSON.stringify(current?.fields) !== JSON.stringify(change.fields)) return false
    if (current && isNew) this.#outbox.remove(current.seq)
    if (current && step.replaces !== undefined)
      this.#outbox.removeAlias(step.kind, step.replaces, current.record)
    for (const row of replaced) this.#outbox.restore(row)
    return true
  }
}

/** Returns how the history shows one of several steps for one change: as that change of its record. */
function partOf(
  { kind, record, fields }: PlannedChange,
  step: PlannedChange,
  steps: readonly PlannedChange[],
): { past?: HistoryStep; isPart?: boolean } {
  if (!record) return {}
  const past = { kind, record: String(record.id), before: record, after: { ...record, ...fields } }
  return { past, isPart: step !== steps.at(-1) }
}

/** Merges the steps of each record into one, at the place of the last. */
function mergeSteps(past: readonly HistoryStep[]): HistoryStep[] {
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
