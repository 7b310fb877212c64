import { silentWaitMs, watchWait } from '../lock-wait.js'
import { monotonicMs } from '../monotonic-clock.js'
import { isBusyError } from './database-errors.js'

/**
 * The wait of a connection while another process keeps the database locked. SQLite waits for at most a second at a time,
 * so that a longer wait is reported.
 */
export class BusyWait {
  readonly #path: string
  readonly #limitMs: number
  #isSuspended: boolean | undefined

  /** @param limitMs how long to wait, in milliseconds */
  constructor(path: string, limitMs = 10_000) {
    this.#path = path
    this.#limitMs = limitMs
  }

  /** How long to wait, in milliseconds. */
  get limitMs(): number {
    return this.#limitMs
  }

  /** How long SQLite itself waits, in milliseconds. */
  get driverTimeoutMs(): number {
    return Math.min(this.#limitMs, silentWaitMs)
  }

  /**
   * Runs `work` without waiting.
   *
   * @param disableDriver called once, to make SQLite itself fail at once; from then on, only `repeatWhileBusy` waits
   */
  suspend<Result>(work: () => Result, disableDriver: () => void): Result {
    if (this.#isSuspended === undefined) disableDriver()
    const before = this.#isSuspended ?? false
    this.#isSuspended = true
    try {
      return work()
    } finally {
      this.#isSuspended = before
    }
  }

  /** Runs `work`, and repeats it while it fails because the database is locked, within the limit. Blocks the process. */
  repeatWhileBusy<Result>(work: () => Result): Result {
    let checkWait: (() => void) | undefined
    const startMs = monotonicMs()
    for (;;) {
      try {
        return work()
      } catch (error) {
        if (this.#isSuspended || !isBusyError(error) || monotonicMs() - startMs >= this.#limitMs) throw error
        checkWait ??= watchWait(`Waiting: another program keeps the database ${this.#path} locked.`, startMs)
        checkWait()
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
      }
    }
  }
}
