import type { Id, WireRecord } from '../api/types.js'
import type { Cache } from '../cache/cache.js'
import type { ClientState } from '../cache/client-state.js'
import { TtError } from '../lib/errors.js'
import {
  ChangeWriter,
  type Plan,
  type PlannedChange,
  type QueuedPlan,
  type QueuedStep,
} from './change-writer.js'
import { type Delivery, type DeliveryResult, isUnauthorized, monotonicMs } from './delivery/delivery.js'
import type { Duplicate } from './delivery/duplicates.js'
import { resentCreates } from './delivery/resent-creates.js'
import {
  duplicateMessage,
  queuedMessage,
  rejectedError,
  rejectedMessage,
  settlingReason,
} from './delivery/sync-messages.js'
import type { History } from './history.js'
import type { Outbox } from './outbox.js'
import { applyPending } from './pending-overlay.js'
import type { QueuedChange } from './queued-change.js'

/** What has become of a step. */
export interface Outcome {
  /** The record as the service has it, or will have it. */
  record: WireRecord
  pending: boolean
}

/** What delivery needs of the way to the service. */
export interface ServiceStatus {
  readonly failure: TtError | undefined
  mayRetry(): boolean
}

export interface ChangesParts {
  state: ClientState
  history: History
  outbox: Outbox
  delivery: Delivery
  /** Looks up records that requests of the same create have made twice. */
  duplicates(): Promise<Duplicate[]>
  cache: Cache | undefined
  /** Undefined in the local workspace, where nothing is in the way. */
  circuitBreaker: ServiceStatus | undefined
  /** Held by the process that delivers; undefined in the local workspace, where a transaction of the state does that. */
  lockPath: string | undefined
  now: Date
  clock(): Date
  warn(text: string): void
  /** Told after what the command itself says. */
  warnAfterOutput(text: string): void
}

/** How long a command waits for another process that delivers, in milliseconds. */
const turnMs = 15_000
/** The same, where the change is safe already. */
const shortTurnMs = 3_000
/** How long a command that has something else to do delivers what others left, in milliseconds. */
const backlogMs = 3_000
/** How often duplicates are looked up, in milliseconds. */
const lookUpIntervalMs = 60_000

/**
 * The one way in which entries and expenses are changed: written into the outbox and the history in one transaction,
 * then delivered, as far as the service can be reached. What cannot be delivered now is kept.
 */
export class Changes {
  readonly #parts: ChangesParts
  readonly #outbox: Outbox
  readonly #writing: ChangeWriter

  constructor(parts: ChangesParts) {
    this.#parts = parts
    this.#outbox = parts.outbox
    this.#writing = new ChangeWriter({ ...parts, isLocal: parts.lockPath === undefined })
  }

  /** Makes a change that follows from nothing that is there. Throws like `decide`. */
  async apply(plan: Plan): Promise<Outcome[]> {
    const isDue = this.#parts.circuitBreaker?.mayRetry() !== false
    const written = this.#parts.state.atomically(() => this.#writing.write(plan))
    if (!isDue) return this.#outcome(written, undefined)
    const round = await this.#delivered(() => this.#inTurn(() => this.#run(written), shortTurnMs))
    return this.#outcome(written, round)
  }

  /**
   * Makes a change that follows from what is there: `plan` reads it, while no other process of the profile changes
   * anything.
   *
   * Throws TtError `rejected` or `not_found` for what the service refuses: it is set aside. Throws `unauthenticated` and
   * `insufficient_scope` when the token is not accepted, and `failure` when this machine cannot save the change: nothing is kept then.
   */
  async readAndApply(plan: () => Promise<Plan>): Promise<Outcome[]> {
    const { state, lockPath, delivery } = this.#parts
    const write = async () => {
      const planned = await plan()
      return state.atomically(() => this.#writing.write(planned))
    }
    if (lockPath === undefined) {
      const written = await state.exclusively(async () => {
        await this.#finishInterrupted()
        return write()
      })
      return this.#outcome(written, await this.#delivered(() => this.#inTurn(() => this.#run(written))))
    }
    const turn = await this.#inTurn(async () => {
      const backlog = () => delivery.run({ deadlineMs: monotonicMs() + backlogMs })
      const before = delivery.next() && (await this.#delivered(backlog))
      this.#tellSetAside(before?.rejected ?? [])
      const written = await write()
      return { written, round: await this.#delivered(() => this.#run(written)) }
    })
    if (turn) return this.#outcome(turn.written, turn.round)
    // Somebody else delivers, or has found the service dead: it is decided from what is known here, and kept.
    return this.#outcome(await write(), undefined)
  }

  /** Delivers what other commands have left, unless somebody else does so now. What is set aside is told. */
  async deliverBacklog(): Promise<void> {
    await this.#reportDuplicates()
    if (!this.#parts.delivery.next()) return
    const deadlineMs = monotonicMs() + backlogMs
    const round = await this.#delivered(() => this.#inTurn(() => this.#parts.delivery.run({ deadlineMs }), 0))
    this.#tellSetAside(round?.rejected ?? [])
    if (isLocalFailure(round?.failure)) this.#parts.warnAfterOutput(queuedMessage(round.failure.message))
  }

  /**
   * Delivers to the local workspace what an earlier command could not, as its disk failed. The workspace may have it, so
   * that a decision from both would count it twice. Throws what still prevents it.
   */
  async #finishInterrupted() {
    const { delivery } = this.#parts
    const round = delivery.next() && (await delivery.run())
    if (round?.failure) throw round.failure
  }

  /** Looks up duplicates of creates that were sent more than once, once a minute. */
  async #reportDuplicates() {
    const { state, lockPath, now, duplicates, warn } = this.#parts
    const resent = lockPath === undefined ? undefined : resentCreates(state, now)
    if (!resent || Math.abs(now.getTime() - resent.at.getTime()) < lookUpIntervalMs) return
    for (const duplicate of await duplicates()) warn(duplicateMessage(duplicate))
  }

  /** Runs `work` while no other process of the profile delivers; undefined when that cannot be had in time. */
  async #inTurn<Result>(work: () => Promise<Result>, waitMs = turnMs): Promise<Result | undefined> {
    const { lockPath, state } = this.#parts
    if (lockPath === undefined) return state.exclusively(work)
    const { tryWithLock } = await import('../lib/lock.js')
    // The others need the service as well: when they find it dead, waiting for them leads nowhere.
    return tryWithLock(lockPath, work, {
      waitMs,
      shouldStop: () => (state.snapshot('reach')?.value ?? null) !== null,
    })
  }

  /** Delivers all that waits up to what was just written; what was read for it by this command is not read again. */
  #run({ plan, steps: items }: QueuedPlan): Promise<DeliveryResult> {
    const fresh = items.flatMap(({ change, isNew }) => (plan.fresh && isNew && change ? [change.seq] : []))
    return this.#parts.delivery.run({ fresh: new Set(fresh), deadlineMs: monotonicMs() + backlogMs })
  }

  /**
   * A change in the outbox is saved, and it is delivered later when this machine fails at that now: a command that
   * failed would be repeated.
   */
  async #delivered(run: () => Promise<DeliveryResult | undefined>): Promise<DeliveryResult | undefined> {
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof TtError)) throw error
      return { delivered: 0, rejected: [], failure: error, settling: [] }
    }
  }

  #outcome(written: QueuedPlan, round: DeliveryResult | undefined): Outcome[] {
    const own = new Set(
      written.steps.flatMap(({ planned: step, change }) => (step.isIndependent ? [] : (change?.seq ?? []))),
    )
    this.#tellSetAside(
      (round?.rejected ?? []).filter(({ seq, state }) => !own.has(seq) || state === 'conflict'),
    )
    const refused = round?.rejected.find(({ seq, state }) => own.has(seq) && state === 'refused')
    if (refused && this.#parts.lockPath === undefined) {
      // The local workspace says so at once to whoever typed it: there is nothing to be kept for later.
      this.#writing.withdraw(written)
      throw rejectedError(refused, false)
    }
    if (refused) throw rejectedError(refused, true)
    const made = written.steps.flatMap(({ planned: step, change, isPart }) =>
      isPart ? [] : [this.#made(step, change)],
    )
    if (isUnauthorized(round?.failure) && made.some(({ pending }) => pending)) {
      this.#writing.withdraw(written)
      throw round?.failure
    }
    const { responses: answers } = this.#parts.delivery
    const isWaiting = ({ change }: QueuedStep) =>
      change && !answers.has(change.seq) && this.#outbox.get(change.seq)?.state === 'waiting'
    if (written.steps.some(isWaiting))
      this.#parts.warnAfterOutput(queuedMessage(this.#whyNotDelivered(round)))
    else if (isLocalFailure(round?.failure)) {
      const rest = 'The change is saved; the next command brings the state of this machine up to date.'
      this.#parts.warnAfterOutput(`${round.failure.message} ${rest}`)
    }
    return made
  }

  #whyNotDelivered(round: DeliveryResult | undefined): TtError | string {
    if (round?.failure) return round.failure
    // Nothing has stopped it, and it did not come to this one.
    if (round && this.#parts.delivery.next()) return 'what was typed before is sent first.'
    if (round && round.settling.length > 0) return settlingReason(round.settling, this.#parts.clock())
    if (round) return 'what it belongs to is set aside.'
    const { circuitBreaker, state } = this.#parts
    const last = state.snapshot('reach')?.value as { reason?: unknown } | null | undefined
    if (circuitBreaker?.failure) return circuitBreaker.failure
    return typeof last?.reason === 'string' ? last.reason : 'another tt process is delivering.'
  }

  #made({ kind, op, record }: PlannedChange, change: QueuedChange | undefined): Outcome {
    const { cache, delivery } = this.#parts
    const answer = change && delivery.responses.get(change.seq)
    const now = change && this.#outbox.get(change.seq)
    // The service has it, even where the disk did not take that.
    if (answer && now?.state !== 'conflict') return { record: answer, pending: false }
    const name = this.#outbox.resolve(kind, change?.record ?? String(record?.id))
    const known = answer ?? cache?.get(kind, name)?.record
    // Somebody else changed the same meanwhile: what is there was kept.
    if (now?.state === 'conflict') return { record: known ?? record ?? { id: name }, pending: false }
    if (op === 'delete') return { record: record ?? { id: name }, pending: now !== undefined }
    if (change && !now) {
      if (known) return { record: known, pending: false }
      // Another process has delivered it meanwhile, and where there is no cache, what came of it is not known here.
      const delivered = applyPending(record, [{ ...change, record: name }])
      if (delivered) return { record: { ...delivered.record, id: numbered(name) }, pending: false }
    }
    return (
      applyPending(record ?? known, this.#outbox.changesOf(kind, name)) ?? {
        record: record ?? { id: name },
        pending: false,
      }
    )
  }

  #tellSetAside(changes: readonly QueuedChange[]) {
    for (const change of changes) this.#parts.warn(rejectedMessage(change))
  }
}

/** Whether delivery stopped because of this machine, not of the service. */
function isLocalFailure(error: TtError | undefined): error is TtError {
  return error?.code === 'failure'
}

/** The id of the local workspace that a name stands for. */
function numbered(name: string): Id {
  return /^\d+$/.test(name) ? Number(name) : name
}
