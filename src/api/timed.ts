import { TimeUp } from './failures.js'
import type { Transport } from './transport.js'

/**
 * Runs `work` and throws TimeUp when it takes too long, whether or not it heeds the signal; without a time limit it
 * takes what it takes.
 */
export async function withinTime<Result>(
  timeoutMs: number | undefined,
  work: (signal: AbortSignal | null) => Promise<Result>,
): Promise<Result> {
  if (timeoutMs === undefined) return work(null)
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const timeUp = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new TimeUp(timeoutMs)
      reject(error)
      controller.abort(error)
    }, timeoutMs)
  })
  try {
    return await Promise.race([work(controller.signal), timeUp])
  } finally {
    clearTimeout(timer)
  }
}

/** Tells method, path, status and milliseconds of each exchange; never a header, never a body. */
export function traced(send: Transport, trace: ((line: string) => void) | undefined): Transport {
  if (!trace) return send
  return async (url, request) => {
    const begun = performance.now()
    const tell = (outcome: number | string) =>
      trace(
        `${request.method} ${new URL(url).pathname} ${outcome} ${Math.round(performance.now() - begun)} ms`,
      )
    try {
      const answer = await send(url, request)
      tell(answer.status)
      return answer
    } catch (error) {
      tell('failed')
      throw error
    }
  }
}
