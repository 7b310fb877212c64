import type { KnownCapabilities } from '../api-client/capabilities.js'
import type { ClientState } from './cache/client-state.js'
import { toCreateFields } from './field-equality.js'
import { type History, type HistoryStep, mergeSteps } from './history.js'
import type { InvoicedRecords } from './invoiced-records.js'
import { changedFields, type Outbox } from './outbox.js'
import type { Plan, PlannedChange } from './plan.js'
import type { QueuedChange } from './queued-change.js'

/** A plan in the outbox. */
export interface QueuedPlan {
  plan: Plan
  /** Its number in the history; undefined if it has none. */
  historySeq: number | undefined
  /** The numbers of the changes in the history that can no longer be redone because of this one. */
  discardedSeqs: number[]
  steps: QueuedStep[]
}

export interface QueuedStep {
  planned: PlannedChange
  /** undefined if no change remains to be sent. */
  change: QueuedChange | undefined
  /** Whether the change was added, not merged into another. */
  isNew: boolean
  historyStep: HistoryStep | undefined
  /** Whether a later step has the result of the planned change. */
  isPart: boolean
  /** The previous versions of the changes that this one was merged into or replaced. */
  replaced: QueuedChange[]
}

export interface ChangeWriterParts {
  state: ClientState
  capabilities: KnownCapabilities
  outbox: Outbox
  history: History
  invoiced: InvoicedRecords
  now: Date
  /** Returns the ID of the records that this command has created for its changes; see `LocalWorkspace`. */
  takeCreated?: (() => string | undefined) | undefined
}

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

  /**
   * Writes a plan to the outbox and the history. Call it within a transaction. Throws InvoicedChange unless the user has
   * confirmed its changes of invoiced records.
   */
  write(plan: Plan): QueuedPlan {
    this.#parts.invoiced.checkSteps(plan.steps, (kind, id) => this.#outbox.resolve(kind, id))
    const steps: QueuedStep[] = []
    let lastSeq: number | undefined
    for (const planned of plan.steps) {
      const parts = this.#partsOf(planned)
      for (const part of parts) {
        const queued = this.#appendWithReplaced(part, plan.inOrder ? lastSeq : undefined)
        lastSeq = queued.change?.seq ?? lastSeq
        // The history has the planned change, not its parts.
        const historyStep = parts.length > 1 ? historyStepOf(planned) : queued.historyStep
        steps.push({ ...queued, historyStep, isPart: part !== parts.at(-1) })
      }
    }
    const historySteps = mergeSteps(steps.flatMap(({ historyStep }) => historyStep ?? []))
    const { now } = this.#parts
    const isNew = historySteps.length > 0 && plan.undoes === undefined && plan.redoes === undefined
    if (plan.undoes !== undefined) this.#history.setState(plan.undoes, 'undone')
    if (plan.redoes !== undefined) this.#history.setState(plan.redoes, 'done')
    if (!isNew) return { plan, steps, historySeq: undefined, discardedSeqs: [] }
    const discardedSeqs = this.#history.discardRedoable()
    const origin = { importId: plan.importId, catalogChange: this.#parts.takeCreated?.() }
    const historySeq = this.#history.record(plan.title, historySteps, now, origin)
    return { plan, steps, historySeq, discardedSeqs }
  }

  /**
   * Returns the changes to queue for a planned one. If the service rejects open entries, an update that removes the end
   * of an entry becomes a deletion and a local timer.
   */
  #partsOf(step: PlannedChange): PlannedChange[] {
    const { kind, op, record, fields } = step
    if (op !== 'update' || !record || fields?.time_end !== null || !this.#rejectsOpenEntries) return [step]
    if (this.#outbox.changesOf(kind, String(record.id)).some((change) => change.op === 'create'))
      return [step]
    const copiedFields = { ...toCreateFields(kind, record), ...fields }
    return [
      { kind, op: 'delete', record },
      { kind, op: 'create', fields: copiedFields, replaces: String(record.id) },
    ]
  }

  #appendWithReplaced(planned: PlannedChange, waitsFor: number | undefined): Omit<QueuedStep, 'isPart'> {
    const { kind, record, replaces = record && String(record.id) } = planned
    const before =
      replaces === undefined ? [] : this.#outbox.changesOf(kind, this.#outbox.resolve(kind, replaces))
    const queued = this.#append(planned, waitsFor)
    const { change } = queued
    const isReplaced = ({ seq, revision }: QueuedChange) => this.#outbox.get(seq)?.revision !== revision
    return {
      ...queued,
      isNew: change !== undefined && !before.some(({ seq }) => seq === change.seq),
      replaced: before.filter(isReplaced),
    }
  }

  #append(
    planned: PlannedChange,
    waitsFor: number | undefined,
  ): Pick<QueuedStep, 'planned' | 'change' | 'historyStep'> {
    const step = this.#asUpdateIfDeleted(planned)
    const { kind, op, record } = step
    const fields = op === 'update' ? changedFields(record ?? null, step.fields ?? {}) : (step.fields ?? {})
    const superseded =
      op === 'update' && record
        ? this.#outbox.supersede(kind, String(record.id), Object.keys(step.fields ?? {}))
        : []
    if (op === 'update' && Object.keys(fields).length === 0) {
      return { planned: step, change: undefined, historyStep: undefined }
    }
    const state = this.#isLocalTimer(step) ? 'held' : 'waiting'
    const change = this.#outbox.append({ ...step, fields }, this.#parts.now, { state, waitsFor })
    // Two changes that wait for each other would never be sent.
    if (change && change.waitsFor === null)
      for (const seq of superseded) this.#outbox.moveAfter(seq, change.seq)
    if (step.replaces !== undefined && change) this.#outbox.setAlias(kind, step.replaces, change.record)
    if (step.partOf !== undefined && change)
      this.#parts.invoiced.addPart(kind, {
        of: this.#outbox.resolve(kind, step.partOf),
        record: change.record,
      })
    return { planned: step, change, historyStep: historyStepOf({ ...step, fields }, change?.record) }
  }

  /** Converts a create that replaces a record into an update of it if the deletion was not sent. */
  #asUpdateIfDeleted(step: PlannedChange): PlannedChange {
    const { kind, replaces, fields = {} } = step
    // A local timer is never an update of an entry at the service.
    if (replaces === undefined || this.#isLocalTimer(step)) return step
    const record = this.#outbox.undelete(kind, replaces)
    return record ? { kind, op: 'update', record, fields } : step
  }

  #isLocalTimer({ kind, op, fields }: PlannedChange): boolean {
    return (
      kind === 'entry' && op === 'create' && (fields?.time_end ?? null) === null && this.#rejectsOpenEntries
    )
  }

  get #rejectsOpenEntries(): boolean {
    return this.#parts.capabilities.get('openEntries') !== undefined
  }

  /** Removes the steps that the service does not have from the outbox and the history. */
  withdraw({ plan, steps, historySeq, discardedSeqs }: QueuedPlan) {
    this.#parts.state.atomically(() => {
      const remaining = steps.filter((step) => !this.#revert(step))
      if (remaining.length < steps.length) {
        if (plan.undoes !== undefined) this.#history.setState(plan.undoes, 'done')
        if (plan.redoes !== undefined) this.#history.setState(plan.redoes, 'undone')
      }
      if (remaining.length === 0) for (const seq of discardedSeqs) this.#history.setState(seq, 'undone')
      if (historySeq !== undefined) {
        const historySteps = mergeSteps(remaining.flatMap(({ historyStep }) => historyStep ?? []))
        this.#history.replaceSteps(historySeq, historySteps)
      }
    })
  }

  /** Restores the state of the outbox before a step; returns false if the service has the change, or may have it. */
  #revert({ planned, change, isNew, replaced }: QueuedStep): boolean {
    const current = change && this.#outbox.get(change.seq)
    if (change && (!current || current.outcomeUnknown)) return false
    // Another process has merged a change into it. Its command has reported that as saved, even if the fields are the same
    // again. Sending and rejecting the change do not raise its revision.
    if (change && current?.revision !== change.revision) return false
    if (current && isNew) this.#outbox.remove(current.seq)
    if (current && planned.partOf !== undefined) this.#parts.invoiced.remove(planned.kind, current.record)
    if (current && planned.replaces !== undefined)
      this.#outbox.removeAlias(planned.kind, planned.replaces, current.record)
    for (const previous of replaced) this.#outbox.restore(previous)
    return true
  }
}

/** @param created the ID of a record that the change creates */
function historyStepOf({ kind, op, record, fields }: PlannedChange, created = ''): HistoryStep {
  const id = record ? String(record.id) : created
  const after = op === 'delete' ? null : { ...(record ?? { id }), ...fields }
  return { kind, record: id, before: record ?? null, after }
}
