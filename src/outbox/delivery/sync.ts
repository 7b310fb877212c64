import { setTimeout as pause } from 'node:timers/promises'
import type { WireFields } from '../../api/types.js'
import type { ClientState } from '../../cache/client-state.js'
import { TtError } from '../../lib/errors.js'
import { tryWithLock } from '../../lib/lock.js'
import { toCreateFields } from '../field-equality.js'
import { History } from '../history.js'
import { asPending, isRejected, type Outbox } from '../outbox.js'
import type { QueuedChange } from '../queued-change.js'
import { type Delivery, type DeliveryResult, isUnauthorized } from './delivery.js'
import type { Duplicate } from './duplicates.js'
import { hasEnd, type SettlingChange } from './settling-time.js'

export interface SyncParts {
  state: ClientState
  outbox: Outbox
  delivery: Delivery
  /** Looks up records that requests of the same create have made twice. */
  duplicates(): Promise<Duplicate[]>
  clock(): Date
  circuitBreaker: { reset(): void; retryAfterMs(): number } | undefined
  lockPath: string | undefined
}

/** How far delivery has come. */
export interface SyncProgress {
  delivered: number
  remaining: number
}

export interface DeliverOptions {
  /** Receives the progress after each change. */
  onProgress?(progress: SyncProgress): void
  /** Waits until each create with an unknown outcome is found, is sent again, or waits for a complete list. */
  wait?: boolean
  /** Receives what is waited for, before each pause. */
  onWait?(settling: readonly SettlingChange[]): void
}

export interface SyncResult extends DeliveryResult {
  duplicates: Duplicate[]
}

/** Another process that delivers has this long to finish, in milliseconds. */
const turnMs = 60_000
/** A pause that the service asks for is waited out up to this long, in milliseconds. */
const longestPauseMs = 30_000
const firstWaitMs = 250
const longestWaitMs = 5_000
/** How long creates with an unknown outcome are waited for before they are looked up again, in milliseconds. */
const lookUpMs = 15_000
/** Failures in a row after which it ends: of a service that has answered meanwhile, and of one that never did. */
const patience = { proven: 10, unproven: 3 }

/** What the user does to the outbox itself: deliver it now, and decide what becomes of what was set aside. */
export class Sync {
  readonly #parts: SyncParts

  constructor(parts: SyncParts) {
    this.#parts = parts
  }

  /** All that waits or is set aside, in order. */
  list(): QueuedChange[] {
    return this.#parts.outbox.all()
  }

  /**
   * Delivers what waits, again and again as long as the service answers now and then, with growing pauses, or those
   * that it asks for. Throws TtError `failure` when another process keeps delivering.
   */
  async deliver({
    onProgress: progress = () => {},
    wait = false,
    onWait: waiting,
  }: DeliverOptions = {}): Promise<SyncResult> {
    const total = await this.#deliver(progress)
    while (wait && !total.failure && total.settling.some(hasEnd)) {
      waiting?.(total.settling)
      // Other commands may deliver in the meantime.
      await pause(this.#untilLookUpMs(total.settling))
      const { delivered, rejected, failure: stopped, settling } = await this.#deliver(progress)
      Object.assign(total, { delivered: total.delivered + delivered, stopped, settling })
      total.rejected.push(...rejected)
    }
    return { ...total, duplicates: total.failure ? [] : await this.#parts.duplicates() }
  }

  #untilLookUpMs(settling: readonly SettlingChange[]): number {
    const now = this.#parts.clock().getTime()
    const left = settling.filter(hasEnd).map(({ until }) => until - now)
    return Math.min(lookUpMs, Math.max(firstWaitMs, Math.min(...left)))
  }

  async #deliver(progress: (progress: SyncProgress) => void): Promise<DeliveryResult> {
    const { lockPath, state } = this.#parts
    if (lockPath === undefined) return state.exclusively(() => this.#deliverAll(progress))
    const round = await tryWithLock(lockPath, () => this.#deliverAll(progress), { waitMs: turnMs })
    if (round) return round
    throw new TtError('failure', 'Another tt process has been delivering for a long time.', {
      hint: 'What waits is safe. `tt sync list` shows it.',
    })
  }

  /** The changes that an id means: the number of a change, or the record whose changes are meant. Throws `not_found`. */
  find(id: string): QueuedChange[] {
    const { outbox } = this.#parts
    const numbered = /^\d{1,15}$/.test(id) ? outbox.get(Number(id)) : undefined
    if (numbered) return [numbered]
    const found = (['entry', 'expense'] as const).flatMap((kind) =>
      outbox.changesOf(kind, outbox.resolve(kind, id)),
    )
    if (found.length > 0) return found
    throw new TtError('not_found', `Nothing of ${id} waits or is set aside.`, {
      hint: '`tt sync list` shows what does, with its ids.',
    })
  }

  /**
   * Has what was set aside sent at the next delivery: a refused change as it is, a conflicting one over what somebody
   * else has set meanwhile. A change of a record that is gone makes the record anew.
   */
  retry(changes: readonly QueuedChange[]) {
    const { state, outbox } = this.#parts
    state.atomically(() => {
      for (const { seq } of changes) {
        // It may have been taken in by the one before it.
        const change = outbox.get(seq)
        if (!change || !isRejected(change.state)) continue
        if (change.rejection?.gone && change.base) this.#makeAnew(change)
        else outbox.update(asPending(change))
      }
    })
  }

  /** The changes, and those that wait for them: what was to make place for something goes nowhere without it. */
  withDependents(changes: readonly QueuedChange[]): QueuedChange[] {
    const all = changes.flatMap((change) => [change, ...this.#parts.outbox.dependents(change.seq)])
    return [...new Map(all.map((change) => [change.seq, change])).values()]
  }

  /** Drops the changes; what depends on a create goes with it. */
  discard(changes: readonly QueuedChange[]) {
    const { state, outbox } = this.#parts
    state.atomically(() => {
      for (const { seq, op, kind, record } of changes) {
        const dependent = op === 'create' ? outbox.changesOf(kind, record) : []
        for (const change of [{ seq }, ...dependent]) outbox.remove(change.seq)
      }
    })
  }

  async #deliverAll(progress: (progress: SyncProgress) => void): Promise<DeliveryResult> {
    const { delivery, outbox, circuitBreaker } = this.#parts
    const total: DeliveryResult = { delivered: 0, rejected: [], failure: undefined, settling: [] }
    circuitBreaker?.reset()
    let failures = 0
    for (;;) {
      const before = total.delivered
      const round = await delivery.run({
        repeatLookups: true,
        onProgress: ({ delivered }) =>
          progress({ delivered: before + delivered, remaining: outbox.pendingCount() }),
      })
      total.delivered += round.delivered
      total.rejected.push(...round.rejected)
      total.failure = round.failure
      total.settling = round.settling
      if (!round.failure || isUnauthorized(round.failure)) return total
      const answered = round.delivered + round.rejected.length > 0
      failures = answered ? 1 : failures + 1
      const proven = total.delivered + total.rejected.length > 0
      if (failures >= (proven ? patience.proven : patience.unproven)) return total
      const asked = circuitBreaker?.retryAfterMs() ?? 0
      if (asked > longestPauseMs) return total
      const wait = Math.min(longestWaitMs, firstWaitMs * 2 ** (failures - 1)) * (0.5 + Math.random() / 2)
      await pause(Math.max(asked, wait))
      circuitBreaker?.reset()
    }
  }

  /** One record for all that was typed of the one that is gone. */
  #makeAnew({ kind, record }: QueuedChange) {
    const { outbox, state } = this.#parts
    const gone = outbox.changesOf(kind, record).filter(({ rejection }) => rejection?.gone)
    const [first] = gone
    if (!first?.base) return
    for (const { seq } of gone) outbox.remove(seq)
    const typed = Object.assign({}, ...gone.map(({ fields }) => fields)) as WireFields
    const fields = { ...toCreateFields(kind, first.base, new History(state).sentFields(kind)), ...typed }
    const made = outbox.append({ kind, op: 'create', fields, base: null }, first.typedAt)
    if (made) outbox.renameRecord(kind, record, made.record)
  }
}
