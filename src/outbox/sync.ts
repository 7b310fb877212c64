import type { WireFields } from '../api-client/types.js'
import { TtError } from '../lib/errors.js'
import type { TryWithLock } from '../lib/lock.js'
import type { ClientState } from './cache/client-state.js'
import type { ChangePhase, Delivery, DeliveryResult } from './delivery/delivery.js'
import { isUnauthorized } from './delivery/delivery-errors.js'
import type { Duplicate } from './delivery/duplicates.js'
import { hasEnd, type SettlingChange } from './delivery/settling-time.js'
import { toCreateFields } from './field-equality.js'
import { History } from './history.js'
import type { Outbox } from './outbox.js'
import { isRejected, type QueuedChange } from './queued-change.js'

export interface SyncParts {
  state: ClientState
  outbox: Outbox
  delivery: Delivery
  /** Looks up duplicates: further records of the same create. */
  duplicates(): Promise<Duplicate[]>
  clock(): Date
  /** Resolves after this number of milliseconds. */
  pause(ms: number): Promise<void>
  circuitBreaker: { reset(): void; retryAfterMs(): number } | undefined
  lock: TryWithLock
}

/** The numbers of delivered and pending changes. */
export interface SyncProgress {
  delivered: number
  remaining: number
}

export interface DeliverOptions {
  /** Receives the progress after each change. */
  onProgress?(progress: SyncProgress): void
  /** Whether to wait until each create with an unknown outcome is found, is sent again, or needs a complete list. */
  wait?: boolean
  /** Receives the creates that it waits for, before each pause. */
  onWait?(settling: readonly SettlingChange[]): void
}

/** A change in the outbox, and how far its delivery is. */
export interface ListedChange extends QueuedChange {
  phase: ChangePhase
}

export interface SyncResult extends DeliveryResult {
  duplicates: Duplicate[]
}

/** How long to wait for another process that delivers, in milliseconds. */
const lockWaitMs = 60_000
/** The longest pause that the service may request before delivery ends, in milliseconds. */
const maxRetryAfterMs = 30_000
/** The first and the longest pause between attempts, in milliseconds; other commands pause as in `CircuitBreaker`. */
const minPauseMs = 250
const maxPauseMs = 5_000
/** The longest time between two lookups of creates with an unknown outcome, in milliseconds. */
const lookUpMs = 15_000
/** Up to this number, the pending changes are counted after each one; above it, after as many. */
const exactlyCounted = 100
/** Failures in a row after which delivery ends: of a service that has responded before, and of one that never did. */
const maxFailures = { afterResponse: 10, withoutResponse: 3 }

/** Delivers the outbox on demand, and retries or discards rejected changes. */
export class Sync {
  readonly #parts: SyncParts

  constructor(parts: SyncParts) {
    this.#parts = parts
  }

  /** Returns all pending and rejected changes with their phases, in order. */
  list(): ListedChange[] {
    return this.#parts.outbox.all().map((change) => this.#listed(change))
  }

  #listed(change: QueuedChange): ListedChange {
    return { ...change, phase: this.#parts.delivery.phaseOf(change) }
  }

  /**
   * Delivers pending changes. Retries after growing pauses, or those that the service requests, as long as it responds
   * from time to time. Throws TtError `failure` when another process holds the lock.
   */
  async deliver({ onProgress = () => {}, wait = false, onWait }: DeliverOptions = {}): Promise<SyncResult> {
    const total = await this.#deliver(onProgress)
    while (wait && !total.failure && total.settling.some(hasEnd)) {
      onWait?.(total.settling)
      // Other commands may deliver during the pause.
      await this.#parts.pause(this.#untilLookUpMs(total.settling))
      const { delivered, rejected, failure, settling } = await this.#deliver(onProgress)
      total.delivered += delivered
      total.rejected.push(...rejected)
      total.failure = failure
      total.settling = settling
    }
    return { ...total, duplicates: total.failure ? [] : await this.#parts.duplicates() }
  }

  #untilLookUpMs(settling: readonly SettlingChange[]): number {
    const now = this.#parts.clock().getTime()
    const remainingMs = settling.filter(hasEnd).map(({ until }) => until - now)
    return Math.min(lookUpMs, Math.max(minPauseMs, Math.min(...remainingMs)))
  }

  async #deliver(onProgress: (progress: SyncProgress) => void): Promise<DeliveryResult> {
    return this.#locked(() => this.#deliverAll(onProgress))
  }

  /** Runs `work` with the lock of the profile. Throws TtError `failure` when another process holds it. */
  async #locked<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = await this.#parts.lock(work, { waitMs: lockWaitMs })
    if (result !== undefined) return result
    throw new TtError('failure', 'Another tt process has been sending changes for a long time.', {
      hint: 'The pending changes are stored.',
      nextStep: { action: 'list_changes' },
    })
  }

  /** Returns the change with that number, otherwise the changes of the record with that ID. Throws TtError `not_found`. */
  find(id: string): ListedChange[] {
    const { outbox } = this.#parts
    const change = /^\d{1,15}$/.test(id) ? outbox.get(Number(id)) : undefined
    if (change) return [this.#listed(change)]
    const found = (['entry', 'expense'] as const).flatMap((kind) =>
      outbox.changesOf(kind, outbox.resolve(kind, id)),
    )
    if (found.length > 0) return found.map((each) => this.#listed(each))
    throw new TtError(
      'not_found',
      `No pending or rejected change has the number ${id}, or changes an entry or expense with that ID.`,
      {
        nextStep: { action: 'list_changes' },
      },
    )
  }

  /**
   * Makes rejected changes pending again. A conflicting change overwrites the values at the service; a change of a record
   * that was deleted becomes a create, and a deletion includes later changes of its record.
   */
  retry(changes: readonly QueuedChange[]) {
    const { state, outbox } = this.#parts
    state.atomically(() => {
      for (const { seq } of changes) {
        // The change before it may have become a create with its fields.
        const change = outbox.get(seq)
        if (!change || !isRejected(change.state)) continue
        if (change.rejection?.gone && change.base) this.#recreate(change)
        else outbox.retry(change)
      }
    })
  }

  /**
   * Settles a create whose outcome is unknown with the record that it has created. Throws TtError `usage` for another
   * change, and for the record of another create; `not_found` if the service does not have the record.
   */
  async adopt(change: QueuedChange, id: string): Promise<void> {
    const { seq, op, outcomeUnknown } = change
    if (op !== 'create' || !outcomeUnknown)
      throw new TtError('usage', `Change ${seq} is not a new record whose outcome is unknown.`, {
        nextStep: { action: 'list_changes' },
      })
    await this.#locked(() => this.#parts.delivery.adopt(change, id))
  }

  /** Returns the changes with those that depend on them, which have no purpose without them. */
  withDependents(changes: readonly ListedChange[]): ListedChange[] {
    const dependents = ({ seq }: QueuedChange) =>
      this.#parts.outbox.dependents(seq).map((change) => this.#listed(change))
    const all = changes.flatMap((change) => [change, ...dependents(change)])
    return [...new Map(all.map((change) => [change.seq, change])).values()]
  }

  /** Removes the changes; with a create, all changes of its record. */
  discard(changes: readonly QueuedChange[]) {
    const { state, outbox } = this.#parts
    state.atomically(() => {
      for (const { seq, op, kind, record } of changes) {
        const dependent = op === 'create' ? outbox.changesOf(kind, record) : []
        for (const change of [{ seq }, ...dependent]) outbox.remove(change.seq)
      }
    })
  }

  async #deliverAll(onProgress: (progress: SyncProgress) => void): Promise<DeliveryResult> {
    const { delivery, outbox, circuitBreaker, pause } = this.#parts
    const total: DeliveryResult = { delivered: 0, rejected: [], failure: undefined, settling: [] }
    circuitBreaker?.reset()
    let failures = 0
    let remaining = outbox.pendingCount()
    const countRemaining = () => {
      // Counting thousands of changes after each one would take longer than to send them.
      const isEstimate = remaining > exactlyCounted && remaining % exactlyCounted !== 0
      remaining = isEstimate ? remaining - 1 : outbox.pendingCount()
      return remaining
    }
    for (;;) {
      const before = total.delivered
      const { delivered, rejected, failure, settling } = await delivery.run({
        repeatLookups: true,
        onProgress: (result) =>
          onProgress({ delivered: before + result.delivered, remaining: countRemaining() }),
      })
      total.delivered += delivered
      total.rejected.push(...rejected)
      total.failure = failure
      total.settling = settling
      if (!failure || isUnauthorized(failure)) return total
      failures = delivered + rejected.length > 0 ? 1 : failures + 1
      const hasResponded = total.delivered + total.rejected.length > 0
      if (failures >= maxFailures[hasResponded ? 'afterResponse' : 'withoutResponse']) return total
      const retryAfterMs = circuitBreaker?.retryAfterMs() ?? 0
      if (retryAfterMs > maxRetryAfterMs) return total
      const pauseMs = Math.min(maxPauseMs, minPauseMs * 2 ** (failures - 1)) * (0.5 + Math.random() / 2)
      await pause(Math.max(retryAfterMs, pauseMs))
      circuitBreaker?.reset()
    }
  }

  /** Replaces all changes of a deleted record by one create. */
  #recreate({ kind, record }: QueuedChange) {
    const { outbox, state } = this.#parts
    const failed = outbox.changesOf(kind, record).filter(({ rejection }) => rejection?.gone)
    const [first] = failed
    if (!first?.base) return
    for (const { seq } of failed) outbox.remove(seq)
    const changed = Object.assign({}, ...failed.map(({ fields }) => fields)) as WireFields
    const fields = { ...toCreateFields(kind, first.base, new History(state).sentFields(kind)), ...changed }
    const created = outbox.append({ kind, op: 'create', fields }, first.typedAt)
    if (created) outbox.renameRecord(kind, record, created.record)
  }
}
