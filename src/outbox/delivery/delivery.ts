import { RejectedError } from '../../api-client/api-errors.js'
import type { WireRecord } from '../../api-client/types.js'
import { writeIfPossible } from '../../cache/client-state.js'
import { TtError } from '../../lib/errors.js'
import type { QueuedChange } from '../queued-change.js'
import { ChangeSender } from './change-sender.js'
import { ChangeSettler } from './change-settler.js'
import { monotonicMs } from './clock.js'
import { PostponedError, SupersededError, stopsDelivery } from './delivery-errors.js'
import type { DeliveryParts } from './delivery-parts.js'
import { isOpenEntryRejection, makeLocal, mayConcernEnd, replaceByLocalTimer } from './local-timer.js'
import type { LookupResult } from './lost-create.js'
import { isFailureOfOneChange, rejectionOf, repeatedFailure } from './rejection.js'
import type { SettlingChange } from './settling-time.js'

export interface DeliveryOptions {
  /** The numbers of changes whose record this command has read from the service. */
  fresh?: ReadonlySet<number>
  /** The time, by `monotonicMs`, after which the next command delivers the remaining changes. */
  deadlineMs?: number
  /** Whether to look up creates again that this process has looked up before. */
  repeatLookups?: boolean
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
  /** Creates with an unknown outcome that are not sent again yet. */
  settling: readonly SettlingChange[]
}

/** Loaded only for changes of earlier commands: a change that is delivered immediately needs neither. */
const conflicts = () => import('./conflicts.js')
const lostCreate = () => import('./lost-create.js')

/**
 * Delivers the outbox, in order and exactly once. One process at a time may do so for a profile.
 *
 * The outbox records on disk that a change is being sent before it is sent. A create whose response was lost is looked up
 * before it is retried; an update or a delete is compared with the record at the service, so that it does not overwrite
 * changes of other clients. A delivered change leaves the outbox in the transaction that stores the response.
 */
export class Delivery {
  readonly #parts: DeliveryParts
  readonly #sender: ChangeSender
  readonly #settler: ChangeSettler
  /** Creates that this process has looked up, and does not send again yet. */
  readonly #postponed = new Map<number, SettlingChange>()

  constructor(parts: DeliveryParts) {
    this.#parts = parts
    this.#sender = new ChangeSender(parts)
    this.#settler = new ChangeSettler(parts)
  }

  /** The records at the service, by the number of the change that this process has delivered or found in conflict. */
  get responses(): ReadonlyMap<number, WireRecord> {
    return this.#settler.responses
  }

  /** Delivers pending changes until an error stops it. Throws errors that are not about the service. */
  async run({
    fresh = new Set(),
    deadlineMs,
    repeatLookups = false,
    onProgress,
  }: DeliveryOptions = {}): Promise<DeliveryResult> {
    const result: DeliveryResult = { delivered: 0, rejected: [], failure: undefined, settling: [] }
    this.#resumePostponed(repeatLookups)
    for (let change = this.next(); change; change = this.next()) {
      if (deadlineMs !== undefined && monotonicMs() > deadlineMs) break
      try {
        const isFresh = fresh.has(change.seq) && !this.#settler.stale.has(change.seq)
        const rejected = await this.#deliver(change, isFresh)
        if (rejected) result.rejected.push(rejected)
        else result.delivered++
        onProgress?.(result)
      } catch (error) {
        if (error instanceof SupersededError) continue
        if (error instanceof PostponedError) {
          this.#postponed.set(change.seq, error.settling)
          continue
        }
        if (!(error instanceof TtError) || !stopsDelivery(error)) throw error
        result.failure = error
        break
      }
    }
    return { ...result, settling: [...this.#postponed.values()] }
  }

  /** Returns the next change to deliver; undefined if there is none, or if all depend on creates that are settling. */
  next(): QueuedChange | undefined {
    return this.#parts.outbox.next(this.#postponed)
  }

  #resumePostponed(all: boolean) {
    const now = this.#parts.clock().getTime()
    for (const [seq, { until }] of this.#postponed)
      if (all || (until !== undefined && until <= now)) this.#postponed.delete(seq)
  }

  /** Returns the change if it was rejected; undefined if it was delivered. */
  async #deliver(change: QueuedChange, isFresh: boolean): Promise<QueuedChange | undefined> {
    try {
      if (change.op === 'create') return await this.#create(change)
      return await (change.op === 'update' ? this.#update(change, isFresh) : this.#delete(change, isFresh))
    } catch (error) {
      const failed = this.#rejectRepeatedFailure(change, error)
      if (failed) return failed
      if (!(error instanceof RejectedError) || stopsDelivery(error)) throw error
      if (isOpenEntryRejection(change, error)) return this.#makeLocal(change)
      return this.#settler.reject(change, 'refused', rejectionOf(error))
    }
  }

  #rejectRepeatedFailure({ seq }: QueuedChange, error: unknown): QueuedChange | undefined {
    if (!isFailureOfOneChange(error)) return undefined
    const change = this.#parts.outbox.get(seq)
    const rejection = change && repeatedFailure(change, error)
    if (!rejection) return undefined
    // The outcome of its requests stays unknown.
    const { outcomeUnknown, sentAt, sentUptimeMs, sends } = change
    return this.#settler.reject(change, 'refused', rejection, { outcomeUnknown, sentAt, sentUptimeMs, sends })
  }

  async #create(change: QueuedChange): Promise<QueuedChange | undefined> {
    const { isLocal, supportsKeys, state, clock } = this.#parts
    const mayExist = change.outcomeUnknown && !isLocal
    if (mayExist) {
      const { found, edited, incomplete } = await this.#lookUp(change)
      if (found) return this.#settler.settle(change, found)
      if (edited) {
        const { editedElsewhere } = await conflicts()
        return this.#settler.adoptEdited(change, edited, editedElsewhere(edited, change))
      }
      if (!supportsKeys()) await this.#postponeUntilSettled(change, incomplete)
    }
    try {
      const created = await this.#sender.create(change)
      return this.#settler.settle({ ...change, sends: change.sends + 1 }, created)
    } catch (error) {
      if (!(error instanceof RejectedError) || stopsDelivery(error)) throw error
      // An earlier request may have arrived since, and the service may reject a second record like it.
      const { found } = mayExist ? await this.#lookUp(change) : {}
      if (found) return this.#settler.settle(change, found)
      // If the service also rejects an entry with an end, a missing end is not the reason.
      if (change.kind === 'entry' && !isOpenEntryRejection(change, error) && mayConcernEnd(error))
        writeIfPossible(() => state.saveSnapshot('open_entries', null, clock()))
      throw error
    }
  }

  async #lookUp(change: QueuedChange): Promise<LookupResult> {
    const { api, cache, outbox } = this.#parts
    return (await lostCreate()).findLostCreate(change, { api, cache, outbox })
  }

  /** Throws PostponedError while an earlier request of a create may still arrive, or the service sends incomplete lists. */
  async #postponeUntilSettled(change: QueuedChange, incomplete: string | undefined) {
    const { clock, uptimeMs, outbox } = this.#parts
    const { seq } = change
    const { remainingSettlingMs, settlingMs } = await import('./settling-time.js')
    let remainingMs = remainingSettlingMs(change, this.#parts)
    if (remainingMs === undefined) {
      // No clock shows when it was sent: the settling time starts now.
      const sent = { sentAt: clock().getTime(), sentUptimeMs: uptimeMs?.() ?? null }
      outbox.update({ ...change, ...sent })
      remainingMs = settlingMs
    }
    if (incomplete !== undefined) throw new PostponedError({ seq, until: undefined })
    if (remainingMs > 0) throw new PostponedError({ seq, until: clock().getTime() + remainingMs })
  }

  async #update(change: QueuedChange, isFresh: boolean): Promise<QueuedChange | undefined> {
    const { seq, fields } = change
    const current = isFresh ? undefined : await this.#sender.read(change)
    if (current === 'gone') return this.#rejectDeleted(change)
    const { remaining, conflicting } = current
      ? (await conflicts()).compareWithBase(current, change)
      : { remaining: fields, conflicting: {} }
    let response = current
    if (Object.keys(remaining).length > 0) {
      const updated = await this.#sender.update(change, remaining)
      if (updated === 'gone') return this.#rejectDeleted(change)
      response = updated
    }
    if (!response) throw new Error(`Change ${seq} has no fields.`)
    if (Object.keys(conflicting).length === 0) return this.#settler.settle(change, response)
    const { fieldConflict } = await conflicts()
    const rejection = fieldConflict(response, { ...change, fields: conflicting })
    // A retry may overwrite only the values that the user has seen.
    const overrides = { fields: conflicting, base: response }
    const rejected = this.#settler.reject(change, 'conflict', rejection, overrides)
    this.#settler.responses.set(seq, response)
    return rejected
  }

  async #delete(change: QueuedChange, isFresh: boolean): Promise<QueuedChange | undefined> {
    const current = isFresh ? undefined : await this.#sender.read(change)
    if (current === 'gone') return this.#settler.settle(change, undefined)
    const conflict = current && (await conflicts()).changedElsewhere(current, change)
    if (conflict) {
      const rejected = this.#settler.reject(change, 'conflict', conflict, { base: current })
      this.#settler.responses.set(change.seq, current)
      return rejected
    }
    await this.#sender.delete(change)
    return this.#settler.settle(change, undefined)
  }

  async #rejectDeleted(change: QueuedChange): Promise<QueuedChange> {
    const { deletedElsewhere } = await conflicts()
    return this.#settler.reject(change, 'conflict', deletedElsewhere(change))
  }

  /** Makes an entry local until it has an end, because the service rejects open entries. */
  #makeLocal(change: QueuedChange): undefined {
    const record = this.#parts.cache?.get(change.kind, change.record)?.record ?? change.base
    if (change.op === 'update' && record) replaceByLocalTimer(change, record, this.#parts)
    else makeLocal(change, this.#parts)
  }
}
