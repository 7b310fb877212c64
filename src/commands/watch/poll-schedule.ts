/** The pause after a poll with a change, and the longest pauses without one and after failures, in milliseconds. */
const firstPauseMs = 15_000
const longestPauseMs = 60_000
const longestFailurePauseMs = 240_000

/** Decides when to ask the service next: less often while nothing changes, and still less often while it fails. */
export class PollSchedule {
  #pauseMs = firstPauseMs
  #nextMs = -Infinity
  readonly #random: () => number

  /** @param random from 0 to 1, for the jitter */
  constructor(random: () => number = Math.random) {
    this.#random = random
  }

  /** Whether the next poll is due, by a clock in milliseconds that is never set back. */
  isDue(nowMs: number): boolean {
    return nowMs >= this.#nextMs
  }

  /** Records the result of a poll. */
  record(result: 'changed' | 'unchanged' | 'failed', nowMs: number) {
    if (result === 'changed') this.#pauseMs = firstPauseMs
    else if (result === 'unchanged')
      this.#pauseMs = Math.min(longestPauseMs, Math.max(firstPauseMs, this.#pauseMs * 1.5))
    else this.#pauseMs = Math.min(longestFailurePauseMs, this.#pauseMs * 2)
    this.#nextMs = nowMs + this.#pauseMs * (0.75 + this.#random() / 4)
  }

  /** Makes a poll due at once, such as after the machine was asleep. */
  reset() {
    this.#pauseMs = firstPauseMs
    this.#nextMs = -Infinity
  }
}
