import { ExpiredSignInError } from '../api-client/api-errors.js'
import { errorMessage, TtError } from '../lib/errors.js'
import type { TryWithLock } from '../lib/lock.js'
import { monotonicMs } from '../lib/monotonic-clock.js'
import type { Delivery, DeliveryResult } from './delivery/delivery.js'
import { isUnauthorized } from './delivery/delivery-errors.js'
import { hasEnd, type SettlingChange } from './delivery/settling-time.js'
import type { Notices } from './notices.js'
import type { Outbox, OutboxProgress } from './outbox.js'
import type { QueuedChange } from './queued-change.js'

export interface BackgroundDeliveryParts {
  outbox: Outbox
  delivery: Delivery
  notices: Notices
  /** The lock of the process that delivers: other commands wait for it. */
  lock: TryWithLock
  /** The lock of this process while it runs: there is one for each profile. */
  ownLock: TryWithLock
  circuitBreaker: { reset(): void; retryAfterMs(): number } | undefined
  clock(): Date
  /** Resolves after this number of milliseconds. */
  pause(ms: number): Promise<void>
  /** Whether another process, such as one that signs out, waits until this one has ended. */
  isUnwanted(): Promise<boolean>
  /** Throws TtError `failure` if the credentials cannot be read, before any change is sent. */
  checkCredentials(): Promise<void>
  /** Reads again what the next commands need, after all changes are sent. */
  refresh(): Promise<void>
  /** Stores the warnings so far for the next command. */
  storeWarnings(): void
}

/** How long after the last change of a command it still sends, waits and retries, in milliseconds. */
const limitMs = 90_000
/** The pause between changes: longer than commands take to notice that the lock is free, in milliseconds. */
const yieldMs = 60
/** The first and the longest pause after a failure, in milliseconds. */
const minPauseMs = 500
const maxPauseMs = 15_000
/** The longest time between two look-ups of creates with an unknown outcome, in milliseconds. */
const lookUpMs = 15_000
/** The longest pause without checking whether there is a new change, in milliseconds. */
const checkMs = 250

/**
 * Sends the pending changes of a profile in a process of its own: everything that is due, and what is due within 90 s after the
 * last change of a command. Between changes, other commands may send theirs. What it finds is stored for the next command.
 */
export class BackgroundDelivery {
  readonly #parts: BackgroundDeliveryParts
  readonly #start: { monotonicMs: number; wallMs: number }
  /** The end of the time limit, in milliseconds since the start. */
  #untilMs = 0
  /** The changes of commands at the last look. */
  #seen: OutboxProgress = { lastSeq: -1, revisions: 0 }
  #hasSent = false
  /** Whether another process waits until this one has ended. */
  #isUnwanted = false

  constructor(parts: BackgroundDeliveryParts) {
    this.#parts = parts
    this.#start = { monotonicMs: monotonicMs(), wallMs: parts.clock().getTime() }
  }

  /**
   * Resolves when nothing more is to be done now, at once if another process does it. Stores an error as the failure of the
   * delivery, and throws it.
   */
  async run(): Promise<void> {
    const { ownLock, notices } = this.#parts
    try {
      for (;;) {
        const hasRun = await ownLock(async () => this.#deliver().then(() => true), { waitMs: 0 })
        // A command that came while this process still held its lock has left its change to it.
        if (!hasRun || this.#isUnwanted || !this.#hasNewChanges()) return
      }
    } catch (error) {
      const message = `Internal error: ${errorMessage(error)}`.replace(/[^.!?…]$/, '$&.')
      notices.recordDelivery(error instanceof TtError ? error : new TtError('failure', message))
      throw error
    }
  }

  /**
   * Checks whether another process waits until this one has ended. Only the holder of the lock of this process may: the check
   * takes the lock of that other process for a moment, so that a second one would find it held.
   */
  async #checkUnwanted(): Promise<boolean> {
    this.#isUnwanted = await this.#parts.isUnwanted()
    return this.#isUnwanted
  }

  async #deliver(): Promise<void> {
    if (await this.#checkUnwanted()) return
    const { delivery, circuitBreaker, clock } = this.#parts
    let failures = 0
    let repeatLookups = false
    for (;;) {
      this.#noteChanges()
      const result = await this.#deliverOne(repeatLookups)
      if (!result) return
      repeatLookups = false
      const { failure, settling } = result
      if (result.delivered > 0) this.#hasSent = true
      if (failure) {
        if (isUnauthorized(failure) || failure instanceof ExpiredSignInError) return
        failures = result.delivered + result.rejected.length > 0 ? 1 : failures + 1
        const pauseMs = Math.min(maxPauseMs, minPauseMs * 2 ** (failures - 1)) * (0.5 + Math.random() / 2)
        if (!(await this.#pause(Math.max(circuitBreaker?.retryAfterMs() ?? 0, pauseMs)))) return
        circuitBreaker?.reset()
        continue
      }
      failures = 0
      if (delivery.next()) {
        if (!(await this.#pause(yieldMs, yieldMs))) return
        continue
      }
      if (!settling.some(hasEnd)) break
      if (!(await this.#pause(untilLookUpMs(settling, clock())))) return
      repeatLookups = true
    }
    if (this.#hasSent && !(await this.#checkUnwanted())) await this.#refresh()
    this.#hasSent = false
  }

  /** Delivers one change. Returns undefined if nothing can be delivered now. */
  async #deliverOne(repeatLookups: boolean): Promise<DeliveryResult | undefined> {
    const { delivery, lock, notices, checkCredentials, storeWarnings } = this.#parts
    try {
      await checkCredentials()
      const storeResult = (rejected?: QueuedChange) => {
        storeWarnings()
        if (rejected) notices.add([], [rejected])
      }
      const run = () => delivery.run({ limit: 1, repeatLookups, storeResult })
      return await lock(run, { waitMs: Math.max(0, this.#untilMs - this.#elapsedMs()) })
    } catch (error) {
      if (!(error instanceof TtError)) throw error
      // Such as a full disk, or a locked keychain.
      notices.recordDelivery(error)
      return { delivered: 0, rejected: [], failure: error, settling: [] }
    } finally {
      storeWarnings()
    }
  }

  async #refresh() {
    const { refresh, storeWarnings } = this.#parts
    await refresh().catch((error: unknown) => {
      // The next command reads it.
      if (!(error instanceof TtError)) throw error
    })
    storeWarnings()
  }

  /** Begins the time limit anew if a command has changed the outbox. */
  #noteChanges() {
    if (this.#hasNewChanges()) this.#untilMs = this.#elapsedMs() + limitMs
    this.#seen = this.#parts.outbox.progress()
  }

  /** Returns the time since the start by the clock that shows more: the machine may have slept. */
  #elapsedMs(): number {
    const { monotonicMs: startMs, wallMs } = this.#start
    return Math.max(monotonicMs() - startMs, this.#parts.clock().getTime() - wallMs)
  }

  #hasNewChanges(): boolean {
    const { lastSeq, revisions } = this.#parts.outbox.progress()
    return lastSeq > this.#seen.lastSeq || revisions > this.#seen.revisions
  }

  /** Waits, at most until there is a new change. Returns whether to continue. */
  async #pause(ms: number, stepMs = checkMs): Promise<boolean> {
    const { pause } = this.#parts
    const endMs = this.#elapsedMs() + ms
    for (let passedMs = 0; passedMs < ms && this.#elapsedMs() < endMs; passedMs += stepMs) {
      if (this.#elapsedMs() > this.#untilMs) return false
      await pause(Math.min(stepMs, ms - passedMs))
      if (await this.#checkUnwanted()) return false
      if (stepMs === checkMs && this.#hasNewChanges()) return true
    }
    return true
  }
}

function untilLookUpMs(settling: readonly SettlingChange[], now: Date): number {
  const remainingMs = settling.filter(hasEnd).map(({ until }) => until - now.getTime())
  return Math.min(lookUpMs, Math.max(checkMs, Math.min(...remainingMs)))
}
