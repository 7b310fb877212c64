import { displayUrl, readBaseUrl } from './base-url.js'
import { createExchange } from './exchange.js'
import type { CompactList, Http, HttpOptions, HttpResponse } from './http.js'
import { networkError } from './network-errors.js'
import { invalidJsonError } from './status-errors.js'
import { withIdleTimeout } from './timeout.js'
import type { RecordBatches } from './transport.js'

/** Creates the HTTP client of a service. Throws TtError `usage` for an invalid base URL. */
export function createHttp(options: HttpOptions): Http {
  const base = readBaseUrl(options.baseUrl, options.insecureHttp)
  const service = displayUrl(base)
  const exchange = createExchange(options, base)

  return {
    async request(method, path, request = {}) {
      const { body, ...response } = await exchange(method, path, request, async (streamed) =>
        streamed.records ? collect(streamed.records) : streamed.text(),
      )
      if (typeof body !== 'string') return { ...response, value: body }
      const text = body
      if (method.toUpperCase() === 'HEAD' || text.trim() === '') return { ...response, value: undefined }
      try {
        return { ...response, value: JSON.parse(text) as unknown }
      } catch {
        const invalidBodyError = invalidJsonError(service, response.status, text)
        if (request.acceptsInvalidBody) return { ...response, value: undefined, invalidBodyError }
        throw invalidBodyError
      }
    },

    async list(path, { unwrap, compact, ...request }) {
      const accept = compact && { accept: compact.mediaType }
      const { body, ...response } = await exchange(
        'GET',
        path,
        { ...request, ...accept },
        async (streamed, timeout) =>
          streamed.records ? { records: streamed.records } : withIdleTimeout(streamed.pieces(), timeout),
      )
      const count = <Item>(batches: AsyncIterable<Item[]>) => options.countItems?.(batches) ?? batches
      if ('records' in body) return { ...response, batches: count(inBatches(body.records)) }
      const { streamElements } = await import('../decode/json-array-stream.js')
      const toError = (error: unknown, beginning: string) =>
        error instanceof SyntaxError
          ? invalidJsonError(service, response.status, beginning)
          : networkError(error, service)
      const elements = streamElements(body, unwrap, toError)
      if (!compact || mediaTypeOf(response) !== compact.mediaType)
        return { ...response, batches: count(elements) }
      return { ...response, isCompact: true, batches: count(readAll(elements, compact)) }
    },
  }
}

function mediaTypeOf({ headers }: Pick<HttpResponse, 'headers'>): string | undefined {
  return headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
}

async function* readAll(batches: AsyncIterable<unknown[]>, { read }: CompactList): AsyncGenerator<unknown[]> {
  for await (const batch of batches) yield batch.map(read)
}

async function* inBatches(records: RecordBatches): AsyncGenerator<unknown[]> {
  yield* records
}

async function collect(records: RecordBatches): Promise<unknown[]> {
  const all: unknown[] = []
  for await (const batch of records) for (const record of batch) all.push(record)
  return all
}
