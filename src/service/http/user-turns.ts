import { tooManyRequests } from './http-error.js'

/** Work of one user that is done at the same time. The commands of a person do not reach it, also several at once. */
const maxParallel = { requests: 16, longLists: 8 }

/** How long more of it waits for its turn, in milliseconds. */
const maxWaitMs = 2000

/** Limits how much work of one user is done at the same time, so that others get their share. */
export interface UserLimits {
  /** Requests until their response begins. */
  requests: UserTurns
  /** Lists of more than one batch until their last record is sent. */
  longLists: UserTurns
}

export const createUserLimits = (waitMs = maxWaitMs): UserLimits => ({
  requests: new UserTurns(maxParallel.requests, waitMs),
  longLists: new UserTurns(maxParallel.longLists, waitMs),
})

/** A number of turns for each user; more callers wait in the order of their calls. */
export class UserTurns {
  readonly #limit: number
  readonly #maxWaitMs: number
  readonly #inProgress = new Map<number, number>()
  readonly #waiting = new Map<number, Set<() => void>>()

  constructor(limit: number, waitMs: number) {
    this.#limit = limit
    this.#maxWaitMs = waitMs
  }

  /**
   * Begins a turn of the user, which `end` ends. Returns undefined if it has begun, otherwise a promise that resolves when it
   * begins. Rejects with HttpError 429 when that takes too long.
   */
  begin(userId: number): Promise<void> | undefined {
    const inProgress = this.#inProgress.get(userId) ?? 0
    if (inProgress >= this.#limit) return this.#wait(userId)
    this.#inProgress.set(userId, inProgress + 1)
    return undefined
  }

  /** Ends a turn of the user: the next caller begins, if there is one. */
  end(userId: number): void {
    const [next] = this.#waiting.get(userId) ?? []
    if (next) {
      next()
      return
    }
    const others = (this.#inProgress.get(userId) ?? 0) - 1
    if (others > 0) this.#inProgress.set(userId, others)
    else this.#inProgress.delete(userId)
  }

  #wait(userId: number): Promise<void> {
    const waiting = this.#waiting.get(userId) ?? new Set()
    this.#waiting.set(userId, waiting)
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        waiting.delete(begin)
        if (waiting.size === 0) this.#waiting.delete(userId)
      }
      const begin = () => {
        leave()
        resolve()
      }
      const timer = setTimeout(() => {
        leave()
        reject(tooManyRequests())
      }, this.#maxWaitMs)
      waiting.add(begin)
    })
  }
}
