import type { WireRecord } from '../../api-client/types.js'
import { TtError } from '../../lib/errors.js'
import type { QueuedChange } from '../queued-change.js'
import { ChangeSender } from './change-sender.js'
import { ChangeSettler } from './change-settler.js'
import { SupersededError, stopsDelivery } from './delivery-errors.js'
import type { DeliveryParts } from './delivery-parts.js'
import type { SettlingChange } from './settling-time.js'

export interface DeliveryOptions {
  /** The numbers of changes whose record this command has read from the service. */
  fresh?: ReadonlySet<number>
  /** The time, by `performance.now()`, after which the next command delivers the remaining changes. */
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
    const settler = new ChangeSettler(parts)
    this.#settler = settler
    this.#sender = new ChangeSender({
      ...parts,
      lookUp: async (change) => (await import('./lost-create.js')).findLostCreate(change, parts),
      recordSending: (change) => settler.recordSending(change),
      storeRead: (change, current) => settler.storeRead(change, current),
    })
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
      if (deadlineMs !== undefined && performance.now() > deadlineMs) break
      try {
        const isFresh = fresh.has(change.seq) && !this.#settler.stale.has(change.seq)
        const outcome = await this.#sender.send(change, isFresh)
        const rejected = this.#settler.settle(change, outcome)
        if (outcome.name === 'settling') {
          this.#postponed.set(change.seq, { seq: change.seq, until: outcome.until })
          continue
        }
        if (rejected) result.rejected.push(rejected)
        else result.delivered++
        onProgress?.(result)
      } catch (error) {
        if (error instanceof SupersededError) continue
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
}
