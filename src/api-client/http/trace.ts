import { monotonicMs } from '../../lib/monotonic-clock.js'
import type { Transport } from './transport.js'

/**
 * Returns a transport that reports method, path, status and duration of each exchange to `trace`, but no headers and no
 * bodies. The duration is in milliseconds and includes reading the body.
 */
export function withTrace(send: Transport, trace: ((line: string) => void) | undefined): Transport {
  if (!trace) return send
  return async (url, request) => {
    const start = monotonicMs()
    const report = (outcome: number | string) => {
      const durationMs = Math.round(monotonicMs() - start)
      trace(`${request.method} ${new URL(url).pathname} ${outcome} ${durationMs} ms`)
    }
    const reportFailure = (error: unknown) => {
      report('failed')
      throw error
    }
    const response = await send(url, request).catch(reportFailure)
    if (response.records) report(response.status)
    return {
      ...response,
      async text() {
        const text = await response.text().catch(reportFailure)
        report(response.status)
        return text
      },
      async *pieces() {
        let outcome: number | string = 'failed'
        try {
          yield* response.pieces()
          outcome = response.status
        } finally {
          report(outcome)
        }
      },
    }
  }
}
