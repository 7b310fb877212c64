import type { Transport } from './transport.js'

/**
 * Returns a transport that reports method, path, status and milliseconds of each exchange, body included, to `trace`;
 * never a header, never a body.
 */
export function withTrace(send: Transport, trace: ((line: string) => void) | undefined): Transport {
  if (!trace) return send
  return async (url, request) => {
    const start = performance.now()
    const report = (outcome: number | string) => {
      const tookMs = Math.round(performance.now() - start)
      trace(`${request.method} ${new URL(url).pathname} ${outcome} ${tookMs} ms`)
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
