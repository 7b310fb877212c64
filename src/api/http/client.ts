import { displayUrl, readBaseUrl } from './base-url.js'
import { createExchange } from './exchange.js'
import type { Http, HttpOptions } from './http.js'
import { networkError } from './network-errors.js'
import { invalidJsonError } from './status-errors.js'
import { withIdleTimeout } from './timeout.js'

/** Creates the HTTP client of a service. Throws TtError `usage` for an invalid base URL. */
export function createHttp(options: HttpOptions): Http {
  const base = readBaseUrl(options.baseUrl, options.insecureHttp)
  const service = displayUrl(base)
  const exchange = createExchange(options, base)

  return {
    async request(method, path, request = {}) {
      const { body: text, ...response } = await exchange(method, path, request, (streamed) => streamed.text())
      if (method.toUpperCase() === 'HEAD' || text.trim() === '') return { ...response, value: undefined }
      try {
        return { ...response, value: JSON.parse(text) as unknown }
      } catch {
        const invalidBodyError = invalidJsonError(service, response.status, text)
        if (request.acceptsInvalidBody) return { ...response, value: undefined, invalidBodyError }
        throw invalidBodyError
      }
    },

    async list(path, { unwrap, ...request }) {
      const { body: pieces, ...response } = await exchange('GET', path, request, async (streamed, timeout) =>
        withIdleTimeout(streamed.pieces(), timeout),
      )
      const { streamElements } = await import('../decode/json-array-stream.js')
      const toError = (error: unknown, beginning: string) =>
        error instanceof SyntaxError
          ? invalidJsonError(service, response.status, beginning)
          : networkError(error, service)
      const batches = streamElements(pieces, unwrap, toError)
      return { ...response, batches: options.countItems?.(batches) ?? batches }
    },
  }
}
