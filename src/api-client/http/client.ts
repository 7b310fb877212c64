import { baseUrlHint, InvalidResponseError } from '../api-errors.js'
import { displayUrl, readBaseUrl } from './base-url.js'
import type { CompactList, Http, HttpOptions, HttpResponse, RequestOptions } from './http.js'
import { createTimeout, networkError, type Timeout, withIdleTimeout } from './network-errors.js'
import { checkMethod, requestHeaders, requestUrl, withLowerCaseNames } from './request.js'
import { invalidJsonError, statusError, tokenAdvice } from './status-errors.js'
import {
  type BufferedResponse,
  bufferResponse,
  networkTransport,
  type OutgoingRequest,
  type RecordBatches,
  type StreamedResponse,
  type Transport,
  viaFetch,
  withTrace,
} from './transport.js'

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

/** A 2xx response with the result of reading its body. */
interface Success<Body> extends Pick<HttpResponse, 'status' | 'headers' | 'url'> {
  body: Body
}

/** The outcome of sending a request once. */
type Attempt<Body> =
  | { success: Success<Body>; failure?: undefined }
  | { success?: undefined; failure: BufferedResponse; url: URL }

type ReadBody<Body> = (response: StreamedResponse, timeout: Timeout) => Promise<Body>

/**
 * Returns the function that sends one request, and repeats it with another token after a 401. It reads the body of a 2xx
 * response with `read`, and throws the TtErrors of `Http.request` for any other response.
 */
function createExchange(options: HttpOptions, base: URL) {
  const { userAgent, signInAdvice = tokenAdvice } = options
  const service = displayUrl(base)
  const defaultTimeoutMs = options.timeoutMs ?? (options.fetch ? undefined : 10_000)
  const send = withTrace(
    options.fetch ? viaFetch(options.fetch) : networkTransport(options.insecureHttp),
    options.trace,
  )

  /** Sends the request once, within its time limit. */
  function attempt<Body>(
    method: string,
    address: URL,
    requested: RequestOptions,
    token: string,
    read: ReadBody<Body>,
  ): Promise<Attempt<Body>> {
    const { body, headers, accept, timeoutMs = defaultTimeoutMs } = requested
    const timeout = createTimeout(timeoutMs)
    const request = {
      method,
      headers: {
        ...withLowerCaseNames(headers),
        ...requestHeaders(token, { userAgent, body, accept, signInAdvice }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: timeout.signal,
    }
    const work = async () => {
      const { response, url } = await followRedirects(send, address, request)
      const { status } = response
      return status >= 200 && status <= 299
        ? { success: { status, headers: response.headers, url, body: await read(response, timeout) } }
        : { failure: await bufferResponse(response), url }
    }
    return timeout.race(work()).catch((error) => {
      throw networkError(error, service)
    })
  }

  return async function exchange<Body>(
    method: string,
    path: string,
    request: RequestOptions,
    read: ReadBody<Body>,
  ): Promise<Success<Body>> {
    const verb = checkMethod(method, request.body)
    const address = requestUrl(base, path, request.query)
    const progress = options.withProgress?.()
    try {
      const token = await options.token(request.skipsRefresh ?? false)
      let outcome = await attempt(verb, address, request, token, read)
      if (outcome.failure?.status === 401) {
        const newToken = await options.refreshToken?.(token)
        if (newToken !== undefined) outcome = await attempt(verb, address, request, newToken, read)
      }
      if (outcome.success) {
        options.onResponse?.(outcome.success.headers)
        return outcome.success
      }
      const { failure, url } = outcome
      throw statusError({ method: verb, path: url.pathname, service }, failure, signInAdvice)
    } finally {
      progress?.end()
    }
  }
}

const maxRedirects = 5

/** Sends a request and follows redirects within the same origin. Throws InvalidResponseError for any other redirect. */
async function followRedirects(
  send: Transport,
  initialUrl: URL,
  request: OutgoingRequest,
): Promise<{ response: StreamedResponse; url: URL }> {
  let url = initialUrl
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const response = await send(url.href, request)
    if (![301, 302, 303, 307, 308].includes(response.status)) return { response, url }
    // An unread body would occupy the connection.
    await response.text()
    url = redirectTarget(url, request.method, response)
  }
  throw new InvalidResponseError(
    `The service redirects more than ${maxRedirects} times (${initialUrl.pathname}).`,
  )
}

/** Returns the target of a redirect (RFC 9110 section 15.4). Throws InvalidResponseError if it must not be followed. */
function redirectTarget(from: URL, method: string, { status, headers }: StreamedResponse): URL {
  const location = headers.get('location')
  if (!location || !URL.canParse(location, from.href)) {
    throw new InvalidResponseError(`The service redirects without a valid target (${status}).`, { status })
  }
  const target = new URL(location, from)
  if (target.origin !== from.origin) {
    const other = target.origin === 'null' ? target.protocol : target.origin
    throw new InvalidResponseError(`The service redirects to ${other}. The token was not sent there.`, {
      status,
      hint: 'If the service has moved there, use that address as the base URL.',
    })
  }
  if (status < 307 && method !== 'GET' && method !== 'HEAD') {
    throw new InvalidResponseError(
      `The service redirects ${method} to ${target.pathname} (${status}), which does not preserve the method.`,
      { status, hint: baseUrlHint },
    )
  }
  return target
}
