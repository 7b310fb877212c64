import { TtError } from '../lib/errors.js'
import { minuteMs } from '../lib/time-units.js'
import { ExpiredSignInError, isInconclusive, markUnsent, UnreachableError } from './errors.js'
import type { Http, ListResponse, RequestOptions } from './http.js'

/** What is known of a service that failed last; every field of time is in epoch milliseconds. */
export interface CircuitRecord {
  /** The first failure of the running minute. */
  failedAt: number
  /** How many failures there were since it last answered. */
  failures: number
  /** Before then, nobody asks who has no other reason to. */
  retryAt: number
  /** Before then, the service wants nobody to ask (Retry-After); 0 where it does not say. */
  pausedUntil: number
  /** The last failure, a sentence. */
  reason: string
}

/** Where that is kept between commands. */
export interface CircuitMemory {
  read(): CircuitRecord | undefined
  write(record: CircuitRecord | undefined): void
}

interface CircuitBreakerOptions {
  memory: CircuitMemory
  clock: () => Date
  /** From 0 to 1, for the jitter. */
  random?: () => number
}

/** How long after a failure commands spend little time on the service; then one of them gives it a full try. */
/** What a command has within that minute, for all its requests together. */
const patienceMs = 1500
const longestPauseMs = 3_600_000
const firstWaitMs = 500
const longestWaitMs = 15_000

/**
 * Keeps a dead service from costing time: what one request of a command finds out, the others need not, and what one
 * command finds out, the next ones of the same minute hardly need.
 *
 * A failure is an UnreachableError or a NonsenseError of the HTTP wrapper. Whatever else the service answers, a
 * refusal as well, shows that it is there.
 */
export class CircuitBreaker {
  readonly #memory: CircuitMemory
  readonly #nowMs: () => number
  readonly #random: () => number
  /** The failure after which this command asks nothing more. */
  #closed: TtError | undefined
  /** Failures since the last answer in this command. */
  #inARow = 0
  /** What the failures of this command have cost of its patience. */
  #spentMs = 0
  #reopened = false

  constructor({ memory, clock, random = Math.random }: CircuitBreakerOptions) {
    this.#memory = memory
    this.#nowMs = () => clock().getTime()
    this.#random = random
  }

  /**
   * The same Http, which gives up in time and fails fast once the service was found dead in this command, or as long
   * as it wants a pause. A failure of a request that was not sent says so (`unsent`).
   */
  guard(http: Http): Http {
    return {
      request: (method, path, options = {}) =>
        this.#ask(options, (hurried) => http.request(method, path, hurried)),
      list: async (path, options) => {
        const answer = await this.#ask(options, (hurried) => http.list(path, hurried))
        return { ...answer, batches: this.#watched(answer.batches) }
      },
    }
  }

  /** Why nothing more is asked in this command; undefined as long as the service answers. */
  get failure(): TtError | undefined {
    return this.#failureWith(this.#memory.read())
  }

  /** Whether a command that has no other reason to ask should try to deliver now (backoff, Retry-After). */
  mayRetry(): boolean {
    const record = this.#memory.read()
    if (this.#failureWith(record)) return false
    if (!record || this.#reopened) return true
    const waitMs = record.retryAt - this.#nowMs()
    // A longer wait than there is means that the clock was set back.
    return waitMs <= 0 || waitMs > longestWaitMs
  }

  /** Asks again after a failure: for `tt sync`, which tries several times. Ignores the backoff, not Retry-After. */
  reset(): void {
    this.#forget()
    this.#reopened = true
  }

  /** Milliseconds until the service wants to be asked again (Retry-After); 0 when it does not say. */
  retryAfterMs(): number {
    return this.#pauseLeft(this.#memory.read())
  }

  #failureWith(record: CircuitRecord | undefined): TtError | undefined {
    const leftMs = this.#pauseLeft(record)
    if (!record || leftMs === 0) return this.#closed
    const until = wallTime(record.pausedUntil)
    return new UnreachableError(`${record.reason} It requested a pause until ${until}.`, {
      retryAfterMs: leftMs,
      isUnsent: true,
      hint: `Repeat the command after ${until}.`,
    })
  }

  async #ask<Options extends RequestOptions, Answer>(
    options: Options,
    send: (options: Options) => Promise<Answer>,
  ): Promise<Answer> {
    const record = this.#memory.read()
    const failure = this.#failureWith(record)
    if (failure) throw failure instanceof UnreachableError ? markUnsent(failure) : failure
    const hurried = this.#isWithinMinute(record)
    const begunMs = this.#nowMs()
    try {
      const answer = await send(hurried ? this.#hurried(options) : options)
      this.#answered()
      return answer
    } catch (error) {
      // Nothing more is sent in this command; the next one finds out whether the user has signed in.
      if (error instanceof ExpiredSignInError) this.#closed ??= error
      // A 403 or 404 without JSON says nothing about the record, but other requests may be answered.
      else if (isInconclusive(error) && error.status !== 403 && error.status !== 404)
        this.#failed(error, Math.max(0, this.#nowMs() - begunMs), hurried)
      else if (error instanceof TtError && error.status !== undefined) this.#answered()
      throw error
    }
  }

  /** A service that answered may still fail before all of a list is here. */
  async *#watched(batches: ListResponse['batches']): ListResponse['batches'] & AsyncGenerator<unknown[]> {
    try {
      yield* batches
    } catch (error) {
      // Nothing more is sent in this command; the next one finds out whether the user has signed in.
      if (error instanceof ExpiredSignInError) this.#closed ??= error
      else if (isInconclusive(error)) this.#failed(error, 0, false)
      throw error
    }
  }

  #hurried<Options extends RequestOptions>(options: Options): Options {
    const leftMs = Math.max(1, patienceMs - this.#spentMs)
    return { ...options, timeoutMs: Math.min(leftMs, options.timeoutMs ?? leftMs), skipsRefresh: true }
  }

  #answered(): void {
    this.#forget()
    const record = this.#memory.read()
    // What was on its way when the service asked for a pause does not end the pause.
    if (record && this.#pauseLeft(record) === 0) this.#memory.write(undefined)
  }

  #failed(error: TtError, tookMs: number, hurried: boolean): void {
    const countedAlready = this.#closed !== undefined
    const asked = error instanceof UnreachableError ? (error.retryAfterMs ?? 0) : 0
    const pauseMs = Math.min(asked, longestPauseMs)
    if (hurried) this.#spentMs += tookMs
    this.#inARow++
    this.#reopened = false
    // A service that says at once that it cannot may be able to for the next request.
    const saidSo = error instanceof UnreachableError && error.status !== undefined && pauseMs === 0
    const quickly = tookMs < patienceMs && this.#spentMs < patienceMs
    if (!saidSo || !quickly || this.#inARow > 1) this.#closed ??= error
    if (countedAlready && pauseMs === 0) return
    this.#remember(error.message, pauseMs)
  }

  #remember(reason: string, pauseMs: number): void {
    const nowMs = this.#nowMs()
    const known = this.#memory.read()
    const failures = (known?.failures ?? 0) + 1
    const waitMs = Math.min(longestWaitMs, firstWaitMs * 2 ** (failures - 1))
    const quietMs = Math.max(pauseMs, this.#pauseLeft(known))
    this.#memory.write({
      failedAt: known && this.#isWithinMinute(known) ? known.failedAt : nowMs,
      failures,
      retryAt: nowMs + Math.round(waitMs * (0.5 + this.#random() / 2)),
      pausedUntil: quietMs > 0 ? nowMs + quietMs : 0,
      reason,
    })
  }

  #forget(): void {
    this.#closed = undefined
    this.#inARow = 0
    this.#spentMs = 0
  }

  #isWithinMinute(record: CircuitRecord | undefined): boolean {
    const sinceMs = record ? this.#nowMs() - record.failedAt : -1
    return sinceMs >= 0 && sinceMs < minuteMs
  }

  #pauseLeft(record: CircuitRecord | undefined): number {
    const leftMs = record ? record.pausedUntil - this.#nowMs() : 0
    // A longer pause than there is means that the clock was set back.
    return leftMs > 0 && leftMs <= longestPauseMs ? leftMs : 0
  }
}

/** The first whole minute from then on, as a clock on the wall shows it. */
function wallTime(epochMs: number): string {
  return new Date(Math.ceil(epochMs / 60_000) * 60_000).toTimeString().slice(0, 5)
}
