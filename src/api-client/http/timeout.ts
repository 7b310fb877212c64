/** The error of a request that exceeds its time limit. `networkError` converts it for callers. */
export class TimeoutError extends Error {
  constructor(readonly timeoutMs: number) {
    super('The time limit is exceeded.')
  }
}

/** A time limit, which may apply to several operations one after the other. */
export interface Timeout {
  /** Aborted when the time limit is exceeded; null without a limit. */
  signal: AbortSignal | null
  /** Resolves like `work`. Throws TimeoutError when it takes too long, even if it ignores the signal. */
  race<Result>(work: Promise<Result>): Promise<Result>
}

/** Creates a time limit; without a number of milliseconds there is none. */
export function createTimeout(timeoutMs: number | undefined): Timeout {
  if (timeoutMs === undefined) return { signal: null, race: (work) => work }
  const controller = new AbortController()
  return {
    signal: controller.signal,
    async race(work) {
      let timer: NodeJS.Timeout | undefined
      const expiry = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          const error = new TimeoutError(timeoutMs)
          reject(error)
          controller.abort(error)
        }, timeoutMs)
      })
      try {
        return await Promise.race([work, expiry])
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

/** Resolves like `work`. Throws TimeoutError when it takes too long, even if it ignores the signal. */
export function withTimeout<Result>(
  timeoutMs: number | undefined,
  work: (signal: AbortSignal | null) => Promise<Result>,
): Promise<Result> {
  const timeout = createTimeout(timeoutMs)
  return timeout.race(work(timeout.signal))
}

/** Yields the pieces as they arrive. Throws TimeoutError when the next one takes too long. */
export async function* withIdleTimeout<Piece>(
  pieces: AsyncIterable<Piece>,
  timeout: Timeout,
): AsyncGenerator<Piece> {
  const iterator = pieces[Symbol.asyncIterator]()
  let isWaiting = false
  try {
    for (;;) {
      isWaiting = true
      const next = await timeout.race(iterator.next())
      if (next.done) return
      isWaiting = false
      yield next.value
    }
  } finally {
    // A consumer that stops early ends the iterator. One that failed or is still waiting ends by the signal.
    if (!isWaiting) await iterator.return?.()
  }
}
