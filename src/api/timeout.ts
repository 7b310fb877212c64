import { TimeLimitError } from './errors.js'
import type { Transport } from './transport.js'

/** How long something may take, again and again. */
export interface TimeLimit {
  /** Aborted when the time is up; null without a limit. */
  signal: AbortSignal | null
  /** What `work` comes to; throws TimeUp when it takes too long, whether or not it heeds the signal. */
  hold<Result>(work: Promise<Result>): Promise<Result>
}

/** Without a number of milliseconds everything takes what it takes. */
export function timeLimit(timeoutMs: number | undefined): TimeLimit {
  if (timeoutMs === undefined) return { signal: null, hold: (work) => work }
  const controller = new AbortController()
  return {
    signal: controller.signal,
    async hold(work) {
      let timer: NodeJS.Timeout | undefined
      const timeUp = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          const error = new TimeLimitError(timeoutMs)
          reject(error)
          controller.abort(error)
        }, timeoutMs)
      })
      try {
        return await Promise.race([work, timeUp])
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

/** What `work` comes to; throws TimeUp when it takes too long, whether or not it heeds the signal. */
export function withTimeLimit<Result>(
  timeoutMs: number | undefined,
  work: (signal: AbortSignal | null) => Promise<Result>,
): Promise<Result> {
  const limit = timeLimit(timeoutMs)
  return limit.hold(work(limit.signal))
}

/** The pieces as they come. Throws TimeUp where one of them is waited for too long. */
export async function* withIdleLimit<Piece>(
  pieces: AsyncIterable<Piece>,
  limit: TimeLimit,
): AsyncGenerator<Piece> {
  const iterator = pieces[Symbol.asyncIterator]()
  let isWanted = false
  try {
    for (;;) {
      isWanted = true
      const next = await limit.hold(iterator.next())
      if (next.done) return
      isWanted = false
      yield next.value
    }
  } finally {
    // Whoever stops here leaves the rest; what has failed, or is still awaited, ends by the signal.
    if (!isWanted) await iterator.return?.()
  }
}

/** Tells method, path, status and milliseconds of each exchange, its body included; never a header, never a body. */
export function withTrace(send: Transport, trace: ((line: string) => void) | undefined): Transport {
  if (!trace) return send
  return async (url, request) => {
    const begun = performance.now()
    const tell = (outcome: number | string) =>
      trace(
        `${request.method} ${new URL(url).pathname} ${outcome} ${Math.round(performance.now() - begun)} ms`,
      )
    const orFailed = (error: unknown) => {
      tell('failed')
      throw error
    }
    const answer = await send(url, request).catch(orFailed)
    return {
      ...answer,
      async text() {
        const text = await answer.text().catch(orFailed)
        tell(answer.status)
        return text
      },
      async *pieces() {
        let outcome: number | string = 'failed'
        try {
          yield* answer.pieces()
          outcome = answer.status
        } finally {
          tell(outcome)
        }
      },
    }
  }
}
