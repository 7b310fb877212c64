import { TtError } from '../../lib/errors.js'
import { minuteMs } from '../../lib/time-units.js'
import {
  ExpiredSignInError,
  isInconclusive,
  isServerFault,
  markUnsent,
  UnreachableError,
} from '../api-errors.js'
import type { Http, ListResponse, RequestOptions } from './http.js'

/** The stored state of an open circuit. All times are in epoch milliseconds. */
export interface CircuitRecord {
  /** The failure that began the minute of the reduced time limit. */
  failedAt: number
  /** Failures since the last response. */
  failures: number
  /** The end of the backoff: before it, commands do not deliver pending changes. */
  retryAt: number
  /** The end of the pause that the service requested (Retry-After); 0 without one. */
  pausedUntil: number
  /** The last failure, a sentence. */
  reason: string
}

/** Stores the state between commands. */
export interface CircuitMemory {
  read(): CircuitRecord | undefined
  write(record: CircuitRecord | undefined): void
}

interface CircuitBreakerOptions {
  memory: CircuitMemory
  clock: () => Date
  /** Whether requests have their full time limit within a minute after a failure: no user waits for them. */
  isPatient?: boolean
  /** From 0 to 1, for the jitter. */
  random?: () => number
}

/** Time limit for all requests of a command together, within a minute after a failure. */
const reducedLimitMs = 1500
const longestPauseMs = 3_600_000
/** The backoff: the first wait after a failure, and the longest. A sync on demand has its own, in src/outbox/sync.ts. */
const firstWaitMs = 500
const longestWaitMs = 15_000

/**
 * Circuit breaker for a service: after a failure, further requests of the command fail at once, and commands within the
 * next minute wait for at most 1.5 s in total.
 *
 * A failure is an UnreachableError or an InvalidResponseError of the HTTP wrapper. Every other response, including an
 * error, closes the circuit. A 500 or 501 in response to a tentative request does neither.
 */
export class CircuitBreaker {
  readonly #memory: CircuitMemory
  readonly #nowMs: () => number
  readonly #isPatient: boolean
  readonly #random: () => number
  /** The failure after which this command sends no more requests. */
  #openedBy: TtError | undefined
  /** Failures of this command since its last response. */
  #failuresInARow = 0
  /** Time of the reduced limit that failures of this command have used. */
  #usedMs = 0
  #wasReset = false

  constructor({ memory, clock, isPatient = false, random = Math.random }: CircuitBreakerOptions) {
    this.#memory = memory
    this.#nowMs = () => clock().getTime()
    this.#isPatient = isPatient
    this.#random = random
  }

  /**
   * Wraps `http` with the circuit breaker: requests fail at once while the circuit is open or during a requested pause,
   * and have the reduced time limit within a minute after a failure. Errors of requests that were not sent have
   * `isUnsent`.
   */
  guard(http: Http): Http {
    return {
      request: (method, path, options = {}) =>
        this.#send(options, (limited) => http.request(method, path, limited)),
      list: async (path, options) => {
        const response = await this.#send(options, (limited) => http.list(path, limited))
        return { ...response, batches: this.#watchBatches(response.batches) }
      },
    }
  }

  /** The error of an open circuit; undefined while requests are sent. */
  get failure(): TtError | undefined {
    return this.#failureWith(this.#memory.read())
  }

  /** Whether a command should deliver pending changes now, by the backoff and Retry-After. */
  mayRetry(): boolean {
    const record = this.#memory.read()
    if (this.#failureWith(record)) return false
    if (!record || this.#wasReset) return true
    const waitMs = record.retryAt - this.#nowMs()
    // A wait above the maximum means that the clock was set back.
    return waitMs <= 0 || waitMs > longestWaitMs
  }

  /** Closes the circuit for another attempt. Ignores the backoff, but not Retry-After. */
  reset(): void {
    this.#forget()
    this.#wasReset = true
  }

  /** Milliseconds until the end of the pause that the service requested (Retry-After); 0 without one. */
  retryAfterMs(): number {
    return this.#remainingPauseMs(this.#memory.read())
  }

  #failureWith(record: CircuitRecord | undefined): TtError | undefined {
    const remainingMs = this.#remainingPauseMs(record)
    if (!record || remainingMs === 0) return this.#openedBy
    const until = wallTime(record.pausedUntil)
    return new UnreachableError(`${record.reason} It requested a pause until ${until}.`, {
      retryAfterMs: remainingMs,
      isUnsent: true,
      hint: `Repeat the command after ${until}.`,
    })
  }

  async #send<Options extends RequestOptions, Response>(
    options: Options,
    send: (options: Options) => Promise<Response>,
  ): Promise<Response> {
    const record = this.#memory.read()
    const failure = this.#failureWith(record)
    if (failure) throw failure instanceof UnreachableError ? markUnsent(failure) : failure
    const isLimited = !this.#isPatient && this.#isWithinMinute(record)
    const startMs = this.#nowMs()
    try {
      const response = await send(isLimited ? this.#withReducedLimit(options) : options)
      this.#recordResponse()
      return response
    } catch (error) {
      // This command sends no more requests; the next one tries again, in case the user has signed in.
      if (error instanceof ExpiredSignInError) this.#openedBy ??= error
      else if (options.isTentative && isServerFault(error)) throw error
      // A 403 or 404 without JSON says nothing about the record; other requests may still succeed.
      else if (isInconclusive(error) && error.status !== 403 && error.status !== 404)
        this.#recordFailure(error, Math.max(0, this.#nowMs() - startMs), isLimited)
      else if (error instanceof TtError && error.status !== undefined) this.#recordResponse()
      throw error
    }
  }

  /** Records failures while a list is read, after its response has begun. */
  async *#watchBatches(
    batches: ListResponse['batches'],
  ): ListResponse['batches'] & AsyncGenerator<unknown[]> {
    try {
      yield* batches
    } catch (error) {
      // This command sends no more requests; the next one tries again, in case the user has signed in.
      if (error instanceof ExpiredSignInError) this.#openedBy ??= error
      else if (isInconclusive(error)) this.#recordFailure(error, 0, false)
      throw error
    }
  }

  #withReducedLimit<Options extends RequestOptions>(options: Options): Options {
    const remainingMs = Math.max(1, reducedLimitMs - this.#usedMs)
    return {
      ...options,
      timeoutMs: Math.min(remainingMs, options.timeoutMs ?? remainingMs),
      skipsRefresh: true,
    }
  }

  #recordResponse(): void {
    this.#forget()
    const record = this.#memory.read()
    // The response to an earlier request does not end a pause that was requested in the meantime.
    if (record && this.#remainingPauseMs(record) === 0) this.#memory.write(undefined)
  }

  #recordFailure(error: TtError, tookMs: number, isLimited: boolean): void {
    const wasOpen = this.#openedBy !== undefined
    const requestedMs = error instanceof UnreachableError ? (error.retryAfterMs ?? 0) : 0
    const pauseMs = Math.min(requestedMs, longestPauseMs)
    if (isLimited) this.#usedMs += tookMs
    this.#failuresInARow++
    this.#wasReset = false
    // After a quick error response (5xx), the next request may succeed.
    const hasResponded = error instanceof UnreachableError && error.status !== undefined && pauseMs === 0
    const isQuick = tookMs < reducedLimitMs && this.#usedMs < reducedLimitMs
    if (!hasResponded || !isQuick || this.#failuresInARow > 1) this.#openedBy ??= error
    if (wasOpen && pauseMs === 0) return
    this.#remember(error.message, pauseMs)
  }

  #remember(reason: string, pauseMs: number): void {
    const nowMs = this.#nowMs()
    const previous = this.#memory.read()
    const failures = (previous?.failures ?? 0) + 1
    const waitMs = Math.min(longestWaitMs, firstWaitMs * 2 ** (failures - 1))
    const longerPauseMs = Math.max(pauseMs, this.#remainingPauseMs(previous))
    this.#memory.write({
      failedAt: previous && this.#isWithinMinute(previous) ? previous.failedAt : nowMs,
      failures,
      retryAt: nowMs + Math.round(waitMs * (0.5 + this.#random() / 2)),
      pausedUntil: longerPauseMs > 0 ? nowMs + longerPauseMs : 0,
      reason,
    })
  }

  #forget(): void {
    this.#openedBy = undefined
    this.#failuresInARow = 0
    this.#usedMs = 0
  }

  #isWithinMinute(record: CircuitRecord | undefined): boolean {
    const sinceMs = record ? this.#nowMs() - record.failedAt : -1
    return sinceMs >= 0 && sinceMs < minuteMs
  }

  #remainingPauseMs(record: CircuitRecord | undefined): number {
    const remainingMs = record ? record.pausedUntil - this.#nowMs() : 0
    // A pause above the maximum means that the clock was set back.
    return remainingMs > 0 && remainingMs <= longestPauseMs ? remainingMs : 0
  }
}

/** Returns the time of day of the next whole minute, such as "09:31". */
function wallTime(epochMs: number): string {
  return new Date(Math.ceil(epochMs / 60_000) * 60_000).toTimeString().slice(0, 5)
}
