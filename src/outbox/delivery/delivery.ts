import type { Api } from '../../api-client/api.js'
import { isInconclusive, UnreachableError } from '../../api-client/api-errors.js'
import type { KnownCapabilities } from '../../api-client/capabilities.js'
import type { RecordKind, WireRecord } from '../../api-client/types.js'
import { TtError } from '../../lib/errors.js'
import { monotonicMs } from '../../lib/monotonic-clock.js'
import type { NextStep } from '../../lib/next-step.js'
import { dayMs } from '../../lib/time-units.js'
import type { Cache } from '../cache/cache.js'
import type { ClientState } from '../cache/client-state.js'
import { isExactInstant } from '../field-equality.js'
import type { Outbox } from '../outbox.js'
import type { QueuedChange } from '../queued-change.js'
import { Attempts, remainingMs, type UnsettledRecord } from './attempts.js'
import { ChangeSender, type ReadTarget, type ServiceFacts } from './change-sender.js'
import { ChangeSettler } from './change-settler.js'
import { foundDeletions } from './deletions.js'
import {
  isUnauthorized,
  NotApiError,
  SupersededError,
  stopsDelivery,
  UnreadableError,
} from './delivery-errors.js'
import {
  type ClockReading,
  isRecent,
  offsetAtSending,
  type SettlingChange,
  settlingMs,
} from './settling-time.js'
import { TimerIntentions } from './timer-intentions.js'

/** After that many records that cannot be read, and no delivered change, the service is taken to be unavailable. */
const maxUnreadable = 15

export interface DeliveryOptions {
  /** When this command has read the records of changes from the service, by the numbers of the changes. */
  fresh?: ReadonlyMap<number, ClockReading>
  /** The time, by `monotonicMs()`, after which the next command delivers the remaining changes. */
  deadlineMs?: number
  /** The number of changes after which it ends. */
  limit?: number
  /** Whether to look up creates again that this process has looked up before. */
  repeatLookups?: boolean
  /** Stores what was warned about, and a rejected change, within the transaction that causes them. */
  storeResult?: (rejected?: QueuedChange) => void
  /** Receives the result so far after each change. */
  onProgress?(result: DeliveryResult): void
}

/** The result of one run of the delivery. */
export interface DeliveryResult {
  delivered: number
  /** The changes that this run has rejected. */
  rejected: QueuedChange[]
  /** The error that ended the delivery: the service cannot be reached, or does not accept the token. */
  failure: TtError | undefined
  /** The changes that are not sent yet, and the records that are read again: the service may still apply a request. */
  settling: readonly SettlingChange[]
}

/** The objects that the delivery of the outbox uses. */
export interface DeliveryParts {
  api: Api
  state: ClientState
  capabilities: KnownCapabilities
  outbox: Outbox
  /** undefined in the local workspace. */
  cache: Cache | undefined
  clock: () => Date
  /** Returns the milliseconds since this machine started; undefined if that is unknown. */
  uptimeMs?: (() => number) | undefined
  /** See `Profile`. Without delivery, a request is repeated only after a crash, and has no further effect then. */
  hasDelivery: boolean
  facts: ServiceFacts
  /** Returns the name of the task of an entry. */
  labelOf(record: WireRecord): string
  /** Records the error that stopped a delivery to a service; undefined if none did. */
  recordDelivery(failure: TtError | undefined): void
  warn(message: string, nextStep?: NextStep): void
}

/**
 * Delivers the outbox, in order and exactly once. One process at a time may do so for a profile.
 *
 * The outbox records on disk that a change is being sent before it is sent. A create whose response was lost is looked up
 * before it is retried; an update or a delete is compared with the record at the service, so that it does not overwrite
 * changes of other clients. After an update or a delete with an unknown outcome, later changes of the record wait until the
 * service can no longer apply it. A delivered change leaves the outbox in the transaction that stores the response.
 */
export class Delivery {
  readonly #parts: DeliveryParts
  readonly #sender: ChangeSender
  readonly #settler: ChangeSettler
  readonly #attempts: Attempts
  readonly #intentions: TimerIntentions
  /** Changes that this process does not send yet. */
  readonly #postponed = new Map<number, SettlingChange>()
  /** Why records could not be read again, by kind and ID. */
  readonly #unread = new Map<string, TtError>()
  /** The kinds of records whose collection does not respond as the API. */
  readonly #unavailable = new Set<RecordKind>()

  constructor(parts: DeliveryParts) {
    this.#parts = parts
    const settler = new ChangeSettler(parts)
    this.#settler = settler
    this.#attempts = new Attempts(parts.state)
    this.#intentions = new TimerIntentions(parts)
    const { api, cache, outbox, facts, clock } = parts
    const clockOffsetMs = offsetAtSending(facts, parts)
    this.#sender = new ChangeSender({
      ...parts,
      ...facts,
      hasCreationTimes: (kind) => isExactInstant(cache?.latestCreation(kind)),
      isCreatedHere: (kind, id) => outbox.isCreatedHere(kind, id),
      existedBefore: async (change, record) => {
        const { existedBefore } = await import('./lost-create.js')
        const sent = outbox.get(change.seq) ?? change
        return existedBefore(sent, record, { cache, outbox, clockOffsetMs })
      },
      lookUp: async (change) => {
        const { findLostCreate } = await import('./lost-create.js')
        return findLostCreate(change, { api, cache, outbox, clockOffsetMs, now: clock() })
      },
      recordSending: (change, lateFields) => settler.recordSending(change, lateFields),
      storeRead: (target, current) => settler.storeRead(target, current),
    })
  }

  /** The records at the service, by the number of the change that this process has delivered or found in conflict. */
  get responses(): ReadonlyMap<number, WireRecord> {
    return this.#settler.responses
  }

  /** Delivers pending changes until an error stops it. Throws errors that are not about the service. */
  async run({
    fresh = new Map(),
    deadlineMs,
    limit = Number.POSITIVE_INFINITY,
    repeatLookups = false,
    storeResult,
    onProgress,
  }: DeliveryOptions = {}): Promise<DeliveryResult> {
    const result: DeliveryResult = { delivered: 0, rejected: [], failure: undefined, settling: [] }
    this.#resumePostponed(repeatLookups)
    let count = 0
    const isOver = () => count >= limit || (deadlineMs !== undefined && monotonicMs() > deadlineMs)
    try {
      await this.#checkAgain(isOver)
      for (let change = this.next(); change && !isOver(); change = this.next()) {
        count++
        if (this.#intentions.hasWork) {
          await this.#intentions.complete(storeResult)
          continue
        }
        const until = this.#untilSettled(change)
        if (until === undefined) await this.#deliver(change, fresh.get(change.seq), result, storeResult)
        else this.#postpone(change, { reason: 'earlier_attempt', until })
        onProgress?.(result)
      }
    } catch (error) {
      if (!(error instanceof TtError) || !stopsDelivery(error)) throw error
      result.failure = error
    }
    this.#parts.recordDelivery(result.failure)
    return { ...result, settling: this.#settling() }
  }

  async #deliver(
    change: QueuedChange,
    readAt: ClockReading | undefined,
    result: DeliveryResult,
    storeResult?: DeliveryOptions['storeResult'],
  ) {
    try {
      const isFresh =
        readAt !== undefined && isRecent(readAt, this.#parts) && !this.#settler.stale.has(change.seq)
      const outcome = await this.#sender.send(change, isFresh)
      const settle = () => {
        const rejected = this.#settler.settle(change, outcome)
        storeResult?.(rejected)
        return rejected
      }
      const rejected = storeResult ? this.#parts.state.atomically(settle) : settle()
      if (outcome.name === 'settling') {
        const { until, failure } = outcome
        const reason = change.op === 'create' ? 'unknown_create' : 'unreadable'
        this.#postpone(change, { reason, until, failure })
        if (!isInconclusive(failure)) return
        result.failure ??= failure
        const failedCount = [...this.#postponed.values()].filter((other) => other.failure).length
        if (result.delivered === 0 && failedCount >= maxUnreadable) throw failure
      } else if (rejected) result.rejected.push(rejected)
      else result.delivered++
    } catch (error) {
      if (error instanceof SupersededError) return
      if (!(error instanceof NotApiError)) throw error
      this.#unavailable.add(error.kind)
      result.failure ??= error
    }
  }

  #postpone(
    { seq, kind, record }: QueuedChange,
    details: Pick<SettlingChange, 'reason' | 'until' | 'failure'>,
  ) {
    this.#postponed.set(seq, { seq, kind, record, ...details })
  }

  /**
   * Returns when a change may be sent because the service can no longer apply an earlier change of its record, in epoch
   * milliseconds; undefined if it may be sent now. A change that was sent itself is repeated at once.
   */
  #untilSettled({ op, kind, record, outcomeUnknown }: QueuedChange): number | undefined {
    if (op === 'create' || outcomeUnknown) return undefined
    const unsettled = this.#attempts.of(kind, record)
    return unsettled && this.#untilOf(unsettled)
  }

  #untilOf(unsettled: UnsettledRecord): number {
    return this.#parts.clock().getTime() + (remainingMs(unsettled, this.#parts) ?? settlingMs)
  }

  /** Reads the records again whose attempts have settled, and those that were deleted and appear again. */
  async #checkAgain(isOver: () => boolean) {
    this.#unread.clear()
    const read = (target: ReadTarget) => this.#sender.read(target)
    for (const unsettled of this.#attempts.all()) {
      const ms = remainingMs(unsettled, this.#parts)
      if (ms === undefined) this.#attempts.restart(unsettled, this.#parts)
      if (ms !== 0) continue
      if (isOver()) return
      const { settleAttempts } = await import('./check-again.js')
      await this.#tolerateOddResponse(unsettled, () =>
        settleAttempts(unsettled, this.#attempts, this.#parts, read),
      )
      const isOld = unsettled.attempts.every(({ sentAt }) => this.#parts.clock().getTime() - sentAt > dayMs)
      if (isOld) this.#attempts.removeAll(unsettled.kind, unsettled.record)
    }
    for (const deletion of foundDeletions(this.#parts.state, this.#parts.clock())) {
      if (isOver()) return
      const { repeatDeletion } = await import('./check-again.js')
      await this.#tolerateOddResponse(deletion, () => repeatDeletion(deletion, this.#parts, read))
    }
  }

  /** Leaves the check of one record to the next delivery when only its response is odd. */
  async #tolerateOddResponse(
    { kind, record }: Pick<UnsettledRecord, 'kind' | 'record'>,
    check: () => Promise<void>,
  ) {
    await check().catch((error: unknown) => {
      const failure = error instanceof UnreadableError ? error.cause : error
      const isAboutService = error instanceof UnreachableError || isUnauthorized(error)
      if (!(failure instanceof TtError) || isAboutService) throw error
      this.#unread.set(`${kind} ${record}`, failure)
    })
  }

  /** Returns the postponed changes, and the records without changes that are read again. */
  #settling(): SettlingChange[] {
    const postponed = [...this.#postponed.values()].filter(({ seq }) => this.#parts.outbox.get(seq ?? 0))
    const isPostponed = ({ kind, record }: UnsettledRecord) =>
      postponed.some((change) => change.kind === kind && change.record === record)
    const isPending = ({ kind, record }: UnsettledRecord) =>
      this.#parts.outbox.changesOf(kind, record).some(({ state }) => state === 'waiting')
    const readAgain = this.#attempts
      .all()
      .filter((unsettled) => !isPostponed(unsettled) && !isPending(unsettled))
      .map((unsettled): SettlingChange => {
        const { kind, record } = unsettled
        const failure = this.#unread.get(`${kind} ${record}`)
        return failure
          ? { seq: undefined, kind, record, reason: 'unreadable', until: undefined, failure }
          : { seq: undefined, kind, record, reason: 'read_again', until: this.#untilOf(unsettled) }
      })
    return [...postponed, ...readAgain]
  }

  /** Returns the phase of a change in the outbox. */
  phaseOf(change: QueuedChange): ChangePhase {
    const { op, outcomeUnknown } = change
    const isLookedUp = op === 'create' && outcomeUnknown
    return phaseOf(change, isLookedUp || this.#untilSettled(change) !== undefined)
  }

  /** Whether a change can be delivered, or a record may have to be read again. */
  hasWork(): boolean {
    if (this.next()) return true
    const isDue = (unsettled: UnsettledRecord) => remainingMs(unsettled, this.#parts) === 0
    return (
      this.#attempts.all().some(isDue) || foundDeletions(this.#parts.state, this.#parts.clock()).length > 0
    )
  }

  /**
   * Settles a create whose outcome is unknown with the record that it has created, and returns that record. Throws TtError
   * `not_found` if the service does not have it, `usage` if it is the record of another create.
   */
  async adopt(change: QueuedChange, id: string): Promise<WireRecord> {
    const { kind, fields } = change
    const record = await this.#sender
      .read({ kind, record: id, base: { ...fields, id } })
      .catch((error: unknown) => {
        throw error instanceof UnreadableError ? error.cause : error
      })
    if (record === 'gone') throw new TtError('not_found', `The service has no ${kind} ${id}.`)
    if (this.#parts.outbox.isCreatedHere(kind, String(record.id)))
      throw new TtError('usage', `Another change on this machine has created ${kind} ${record.id}.`)
    try {
      this.#settler.settle(change, { name: 'delivered', record, isResent: false })
    } catch (error) {
      if (!(error instanceof SupersededError)) throw error
      throw new TtError('not_found', `Change ${change.seq} was sent or changed by another tt process.`, {
        nextStep: { action: 'list_changes' },
      })
    }
    return record
  }

  /** Returns the next change to deliver; undefined if there is none, or if all depend on creates that are settling. */
  next(): QueuedChange | undefined {
    const urgent = this.#intentions.urgent.find(({ seq }) => !this.#postponed.has(seq))
    if (urgent && !this.#unavailable.has(urgent.kind)) return urgent
    return this.#parts.outbox.next(this.#postponed, this.#unavailable)
  }

  #resumePostponed(all: boolean) {
    this.#unavailable.clear()
    const now = this.#parts.clock().getTime()
    for (const [seq, { until }] of this.#postponed)
      if (all || (until !== undefined && until <= now)) this.#postponed.delete(seq)
  }
}

/**
 * The phases of a change on its way to the service, and those that follow each of them (docs/internals/delivery.md shows
 * them as a diagram). A change in `unknown` was sent, and the service may have applied it. In `settling`, a create is
 * looked up, and another change waits until the service can no longer apply an earlier request.
 */
export const nextPhases = {
  pending: ['sending', 'settling', 'delivered', 'conflict'],
  sending: ['delivered', 'rejected', 'conflict', 'local timer', 'unknown', 'pending'],
  unknown: ['sending', 'delivered', 'settling', 'conflict', 'rejected'],
  settling: ['sending', 'delivered', 'ambiguous', 'conflict'],
  ambiguous: ['delivered', 'pending', 'settling'],
  rejected: ['pending'],
  conflict: ['pending'],
  'local timer': ['pending'],
  delivered: [],
} as const satisfies Record<string, readonly string[]>

export type ChangePhase = keyof typeof nextPhases

/**
 * Returns the phase of a change in the outbox. `isSettling`: whether it waits until the service can no longer apply an
 * earlier request.
 */
function phaseOf(
  { state, outcomeUnknown }: Pick<QueuedChange, 'state' | 'outcomeUnknown'>,
  isSettling: boolean,
): Exclude<ChangePhase, 'sending' | 'delivered'> {
  switch (state) {
    case 'held':
      return 'local timer'
    case 'refused':
      return 'rejected'
    case 'waiting':
      return isSettling ? 'settling' : outcomeUnknown ? 'unknown' : 'pending'
    default:
      return state
  }
}
