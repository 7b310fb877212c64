import type { WireRecord } from '../api-client/types.js'
import { errorAfterSaving, TtError } from '../lib/errors.js'
import type { TryWithLock } from '../lib/lock.js'
import { monotonicMs } from '../lib/monotonic-clock.js'
import type { NextStep, Notice } from '../lib/next-step.js'
import type { Cache } from './cache/cache.js'
import { ChangeWriter, type ChangeWriterParts, type QueuedPlan, type QueuedStep } from './change-writer.js'
import type { Delivery, DeliveryOptions, DeliveryResult } from './delivery/delivery.js'
import { isUnauthorized } from './delivery/delivery-errors.js'
import type { Duplicate } from './delivery/duplicates.js'
import { resentCreates } from './delivery/resent-creates.js'
import type { InvoicedRecord } from './invoiced-records.js'
import {
  duplicateMessage,
  queuedMessage,
  rejectedError,
  rejectedMessage,
  settlingReason,
} from './messages.js'
import type { Notices } from './notices.js'
import type { Outbox } from './outbox.js'
import { applyPending, type WithPending } from './pending.js'
import { type AppliedPlan, type Plan, type PlannedChange, statusOf } from './plan.js'
import { isRejected, type QueuedChange } from './queued-change.js'

/** Whether the service can be reached. */
export interface ServiceStatus {
  readonly failure: TtError | undefined
  mayRetry(): boolean
}

export interface ChangeApplierParts extends ChangeWriterParts {
  /** Prompts before a change of what an invoice bills. */
  confirmInvoiced(records: readonly InvoicedRecord[]): Promise<boolean>
  delivery: Delivery
  /** Looks up duplicates: further records of the same create. */
  duplicates(): Promise<Duplicate[]>
  cache: Cache | undefined
  /** Undefined in the local workspace. */
  circuitBreaker: ServiceStatus | undefined
  hasDelivery: boolean
  lock: TryWithLock
  clock(): Date
  warn(message: string, nextStep?: NextStep): void
  /** Warns after the output of the command. */
  warnAfterOutput(message: string, nextStep?: NextStep): void
  /** Receives each plan once its changes are stored. */
  onApplied(applied: AppliedPlan): void
  /** What deliveries in the background have found. */
  notices: Notices
  /** Whether the command prints what they have found. */
  printsNotices: boolean
  /** Lets another process send the changes after the command; undefined if the command waits for the service. */
  sendLater: (() => void) | undefined
}

/** Time limit for waiting until another process has delivered its changes, in milliseconds. */
const lockWaitMs = 15_000
/** The same limit for a change that is already in the outbox, in milliseconds. */
const queuedLockWaitMs = 3_000
/** Time limit for delivering the changes of earlier commands, in milliseconds. */
const backlogMs = 3_000
/** Interval between lookups of duplicates, in milliseconds. */
const lookUpIntervalMs = 60_000

/**
 * Changes entries and expenses; no other module does. Writes a change to the outbox and the history in one transaction,
 * then delivers it. If the service cannot be reached, the change stays pending.
 */
export class ChangeApplier {
  readonly #parts: ChangeApplierParts
  readonly #outbox: Outbox
  readonly #writer: ChangeWriter

  constructor(parts: ChangeApplierParts) {
    this.#parts = parts
    this.#outbox = parts.outbox
    this.#writer = new ChangeWriter(parts)
  }

  /**
   * Writes a plan to the outbox and the history, in the open transaction. It stays pending. Throws InvoicedChange outside
   * `withInvoicedConfirmed`.
   */
  enqueue(plan: Plan): void {
    this.#writer.write(plan)
  }

  /** Runs `work`, and prompts where it changes what an invoice bills. Throws CancelledPrompt if the user declines. */
  withInvoicedConfirmed<Result>(work: () => Promise<Result>): Promise<Result> {
    const { invoiced, confirmInvoiced } = this.#parts
    return invoiced.confirmed(work, confirmInvoiced)
  }

  /** Applies a plan that depends on no existing record. Returns and throws the same as `readAndApply`. */
  async apply(plan: () => Promise<Plan>): Promise<WithPending[]> {
    if (!this.#parts.hasDelivery || this.#parts.sendLater) return this.readAndApply(plan)
    this.printNotices()
    const mayRetry = this.#parts.circuitBreaker?.mayRetry() !== false
    const queued = await this.withInvoicedConfirmed(async () => {
      const planned = await plan()
      return this.#parts.state.atomically(() => this.#writer.write(planned))
    })
    if (!mayRetry) return this.#finish(queued, undefined)
    const result = await this.#failureAsResult(
      () => this.#withLock(() => this.#deliver(queued), queuedLockWaitMs),
      queued,
    )
    return this.#finish(queued, result)
  }

  /**
   * Applies the plan that `plan` returns, and returns the records of its steps. Under the lock of the profile, `plan` reads
   * the records that it changes.
   *
   * Throws TtError `rejected` or `not_found` if the service rejects a change, which is stored as rejected. Throws
   * `unauthenticated` or `insufficient_scope` if the service does not accept the token, and `failure` if this machine
   * cannot save the change; no change is saved then.
   *
   * @param afterwards what belongs to the change in the local workspace, after its records
   */
  readAndApply(plan: () => Promise<Plan>, afterwards?: () => Promise<void>): Promise<WithPending[]> {
    // Prompts while other processes can use the profile.
    return this.withInvoicedConfirmed(() => this.#readAndApply(plan, afterwards))
  }

  async #readAndApply(plan: () => Promise<Plan>, afterwards = async () => {}): Promise<WithPending[]> {
    const { delivery, hasDelivery, sendLater } = this.#parts
    if (sendLater) return this.#applyLater(sendLater, plan)
    this.printNotices()
    const write = () => this.#write(plan)
    const applied = await this.#withLock(async () => {
      const deliverBacklog = () => delivery.run({ deadlineMs: monotonicMs() + backlogMs })
      const backlog = delivery.hasWork() ? await this.#failureAsResult(deliverBacklog) : undefined
      this.#warnAboutRejected(backlog?.rejected ?? [])
      const queued = await write()
      if (!hasDelivery) {
        const result = await this.#deliverNow(queued)
        await afterwards()
        return { queued, result }
      }
      return { queued, result: await this.#failureAsResult(() => this.#deliver(queued), queued) }
    })
    if (applied) return this.#finish(applied.queued, applied.result)
    // Another process delivers, or could not reach the service: this plan uses the cache and stays pending.
    return this.#finish(await write(), undefined)
  }

  /** Delivers the changes of a plan. Throws the error of one that is not stored, which undoes the transaction of the lock. */
  async #deliverNow(queued: QueuedPlan): Promise<DeliveryResult> {
    const result = await this.#deliver(queued, {})
    if (result.failure) throw result.failure
    this.#throwIfRejected(queued, result)
    return result
  }

  /** Saves a plan that another process sends. It waits for nothing but what the plan itself reads. */
  async #applyLater(sendLater: () => void, plan: () => Promise<Plan>): Promise<WithPending[]> {
    this.printNotices()
    const queued = await this.#write(plan)
    sendLater()
    return this.#finish(queued, undefined)
  }

  /** Plans and writes the changes; again if another process has changed the running timer in the meantime. */
  async #write(plan: () => Promise<Plan>): Promise<QueuedPlan> {
    for (;;) {
      // A plan creates the records that its changes need; those of one that has failed do not exist any more.
      this.#parts.takeCreated?.()
      const planned = await plan()
      const queued = this.#parts.state.atomically(() =>
        planned.isCurrent?.() === false ? undefined : this.#writeWithTimer(planned),
      )
      if (queued) return queued
    }
  }

  #writeWithTimer(plan: Plan): QueuedPlan {
    const { state, sendLater, now } = this.#parts
    const queued = this.#writer.write(plan)
    const { steps } = queued
    plan.saveTimer?.(steps.map(({ planned, change }) => change?.record ?? String(planned.record?.id)))
    if (sendLater && plan.intention) {
      const ends = steps.flatMap(({ planned, change }) =>
        change && planned.op === 'update' ? [change.seq] : [],
      )
      const changes = steps.flatMap(({ change }) => (change ? [change.seq] : []))
      const stored = state.snapshot('timer_intentions')?.value ?? []
      const intention = { ...plan.intention, typedAt: now.getTime(), changes, ends }
      state.saveSnapshot('timer_intentions', [...stored, intention], now)
    }
    return queued
  }

  /** Prints what deliveries in the background have found since the last command, once. */
  printNotices() {
    const { printsNotices, notices, warn } = this.#parts
    if (!printsNotices) return
    for (const { message, nextStep } of notices.take()) warn(message, nextStep)
  }

  /** Delivers pending changes after all, because no other process can: warns about those that remain. */
  async deliverInstead(): Promise<void> {
    const { delivery, warn } = this.#parts
    const deadlineMs = monotonicMs() + backlogMs
    const run = () => this.#withLock(() => delivery.run({ deadlineMs }), queuedLockWaitMs)
    const result = await this.#failureAsResult(run)
    this.#warnAboutRejected(result?.rejected ?? [])
    const count = this.#outbox.pendingCount()
    if (count === 0) return
    const { message, nextStep } = queuedMessage(this.#pendingReason([], result, count), count)
    warn(message, nextStep)
  }

  /**
   * Delivers pending changes of earlier commands unless another process does, and warns about rejected ones. A command that
   * does not wait for the service lets another process do that.
   */
  async deliverBacklog(): Promise<void> {
    this.printNotices()
    const { delivery, sendLater } = this.#parts
    if (sendLater) {
      if (delivery.hasWork()) sendLater()
      return
    }
    await this.reportDuplicates()
    if (!delivery.hasWork()) return
    const deadlineMs = monotonicMs() + backlogMs
    const result = await this.#failureAsResult(() => this.#withLock(() => delivery.run({ deadlineMs }), 0))
    this.#warnAboutRejected(result?.rejected ?? [])
    if (isLocalFailure(result?.failure)) this.#warnAfterOutput(queuedMessage(result.failure.message))
  }

  /** Looks up duplicates of creates that were sent more than once, at most once a minute. */
  async reportDuplicates() {
    const { state, now, duplicates, warn } = this.#parts
    const resent = resentCreates(state, now)
    if (!resent || Math.abs(now.getTime() - resent.at.getTime()) < lookUpIntervalMs) return
    for (const { message, nextStep } of (await duplicates()).map(duplicateMessage)) warn(message, nextStep)
  }

  /** Runs `work` with the lock of the profile. Returns undefined if another process holds the lock for `waitMs`. */
  async #withLock<Result>(work: () => Promise<Result>, waitMs = lockWaitMs): Promise<Result | undefined> {
    const { lock, state } = this.#parts
    // Stops waiting for the lock once another process has found that the service cannot be reached.
    return lock(work, {
      waitMs,
      shouldStop: () => (state.snapshot('circuit_breaker')?.value ?? null) !== null,
    })
  }

  /** Delivers pending changes up to those of a plan. Does not read records again that this command has read. */
  #deliver(
    { plan, steps }: QueuedPlan,
    limits: DeliveryOptions = { deadlineMs: monotonicMs() + backlogMs },
  ): Promise<DeliveryResult> {
    const { readAt } = plan
    const fresh = new Map(
      steps.flatMap(({ change, isNew }) =>
        readAt && isNew && change ? [[change.seq, readAt] as const] : [],
      ),
    )
    return this.#parts.delivery.run({ fresh, ...limits })
  }

  /**
   * Converts an error of this machine to a failure of the delivery. The command must not fail, because the change is
   * saved and the user would repeat the command. Any other error names `saved`, the plan that is delivered.
   */
  async #failureAsResult(
    run: () => Promise<DeliveryResult | undefined>,
    saved?: QueuedPlan,
  ): Promise<DeliveryResult | undefined> {
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof TtError)) throw saved ? errorAfterSaving([saved.plan.title], error) : error
      return { delivered: 0, rejected: [], failure: error, settling: [] }
    }
  }

  /** Returns the records of the steps, and warns about pending and rejected changes. Throws the same errors as `readAndApply`. */
  #finish(queued: QueuedPlan, result: DeliveryResult | undefined): WithPending[] {
    const own = ownSeqs(queued)
    this.#warnAboutRejected(
      (result?.rejected ?? []).filter(({ seq, state }) => !own.has(seq) || state !== 'refused'),
    )
    this.#throwIfRejected(queued, result)
    const steps = queued.steps.filter(({ isPart }) => !isPart)
    const results = afterSaving(queued, () =>
      steps.map(({ planned, change }) => this.#resultOf(planned, change)),
    )
    const failure = result?.failure
    if (isUnauthorized(failure) && results.some(({ pending }) => pending)) {
      this.#writer.withdraw(queued)
      throw failure
    }
    afterSaving(queued, () => {
      this.#warnAboutPending(queued, result)
      this.#parts.onApplied({ title: queued.plan.title, changes: this.#appliedChanges(steps, results) })
    })
    return results
  }

  /** Throws TtError `rejected` or `not_found` if the service has rejected a step that others depend on. */
  #throwIfRejected(queued: QueuedPlan, result: DeliveryResult | undefined) {
    const own = ownSeqs(queued)
    const rejected = result?.rejected.find(({ seq, state }) => own.has(seq) && state === 'refused')
    if (rejected) throw rejectedError(rejected, this.#parts.hasDelivery)
  }

  /** Returns the changes of the steps, without rejected ones and those that changed nothing. */
  #appliedChanges(steps: readonly QueuedStep[], results: readonly WithPending[]): AppliedPlan['changes'] {
    return steps.flatMap(({ planned: { kind }, change, historyStep }, at) => {
      const result = results[at]
      const current = change && this.#outbox.get(change.seq)
      if (!historyStep || !result || (current && isRejected(current.state))) return []
      return [{ kind, before: historyStep.before, after: historyStep.after && result }]
    })
  }

  #warnAboutPending({ steps }: QueuedPlan, result: DeliveryResult | undefined) {
    const { responses } = this.#parts.delivery
    const isPending = ({ change }: QueuedStep) =>
      change && !responses.has(change.seq) && this.#outbox.get(change.seq)?.state === 'waiting'
    const count = steps.filter(isPending).length
    // The other process sends them in a moment.
    if (this.#parts.sendLater && !this.#parts.notices.lastFailure) return
    if (count > 0) this.#warnAfterOutput(queuedMessage(this.#pendingReason(steps, result, count), count))
    else if (isLocalFailure(result?.failure)) {
      const message = `${result.failure.message} The change is saved; the next command updates the local state.`
      this.#warnAfterOutput({ message })
    }
  }

  #pendingReason(
    steps: readonly QueuedStep[],
    result: DeliveryResult | undefined,
    count: number,
  ): TtError | string {
    const own = result?.settling.filter(({ seq }) => steps.some(({ change }) => change?.seq === seq)) ?? []
    if (own.length > 0) return settlingReason(own, this.#parts.clock())
    if (result?.failure) return result.failure
    // The time limit was reached before these changes.
    if (result && this.#parts.delivery.next()) {
      if (count === 1) return 'earlier changes are sent first.'
      return `${count.toLocaleString('en')} changes are not sent yet.`
    }
    if (result && result.settling.length > 0) return settlingReason(result.settling, this.#parts.clock())
    if (result) return `${count === 1 ? 'it depends' : 'they depend'} on a rejected change.`
    const { circuitBreaker, state, sendLater, notices } = this.#parts
    if (sendLater && notices.lastFailure) return notices.lastFailure.error
    // Read once: it is computed from the stored state, which another process may change.
    const failure = circuitBreaker?.failure
    if (failure) return failure
    return state.snapshot('circuit_breaker')?.value?.reason ?? 'another tt process is sending changes.'
  }

  #resultOf(planned: PlannedChange, change: QueuedChange | undefined): WithPending {
    const { cache, delivery } = this.#parts
    const { kind, record } = planned
    const id = this.#outbox.resolve(kind, change?.record ?? String(record?.id))
    const cached = () => cache?.get(kind, id)?.record
    const unchanged = (stored = record): WithPending => ({ record: stored ?? { id }, pending: false })
    const current = change && this.#outbox.get(change.seq)
    const status = statusOf(planned, change, current, change && delivery.responses.get(change.seq))
    switch (status.name) {
      case 'conflict':
        return unchanged(status.stored ?? cached())
      case 'delivered':
        return unchanged(status.response)
      case 'deleted':
        return { ...unchanged(), pending: status.pending }
      case 'delivered_elsewhere':
        return unchanged(cached() ?? asDelivered(record, { ...status.change, record: id }))
      case 'queued':
        return applyPending(record ?? cached(), this.#outbox.changesOf(kind, id)) ?? unchanged()
    }
  }

  #warnAboutRejected(changes: readonly QueuedChange[]) {
    for (const { message, nextStep } of changes.map(rejectedMessage)) this.#parts.warn(message, nextStep)
  }

  #warnAfterOutput({ message, nextStep }: Notice) {
    this.#parts.warnAfterOutput(message, nextStep)
  }
}

/** Returns the numbers of the changes without which the command fails. */
function ownSeqs({ steps }: QueuedPlan): Set<number> {
  return new Set(steps.flatMap(({ planned, change }) => (planned.isIndependent ? [] : (change?.seq ?? []))))
}

/** Runs `work` after a plan was stored. Throws any error as one that names the plan. */
function afterSaving<Result>({ plan }: QueuedPlan, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw errorAfterSaving([plan.title], error)
  }
}

/** Whether an error of this machine stopped the delivery, and not the service. */
function isLocalFailure(error: TtError | undefined): error is TtError {
  return error?.code === 'failure'
}

/** Returns the record after a change, for the local workspace, which has no cache. */
function asDelivered(record: WireRecord | undefined, change: QueuedChange): WireRecord | undefined {
  const id = /^\d+$/.test(change.record) ? Number(change.record) : change.record
  const delivered = applyPending(record, [change])
  return delivered && { ...delivered.record, id }
}
