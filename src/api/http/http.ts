import { TtError } from '../../lib/errors.js'
import {
  type InvalidResponseError,
  invalidJsonError,
  networkError,
  type SignInAdvice,
  statusError,
} from '../errors.js'
import { displayUrl, readBaseUrl } from './base-url.js'
import { followRedirects } from './redirects.js'
import { createTimeout, type Timeout, withIdleTimeout } from './timeout.js'
import { withTrace } from './trace.js'
import {
  bufferResponse,
  type Fetch,
  type HeadersLike,
  networkTransport,
  type StreamedResponse,
  viaFetch,
} from './transport.js'

export interface HttpOptions {
  /** The API root, ending in /api/v1 (service-api-v1.md section 1). */
  baseUrl: string
  /** Returns the bearer token of a request; with `skipsRefresh` even a token that is about to expire. */
  token(skipsRefresh?: boolean): Promise<string> | string
  /**
   * Returns another token after a 401, with which the request is sent once more; undefined if there is none. A request
   * with status 401 had no effect, whatever its method.
   */
  refreshToken?(rejected: string): Promise<string | undefined>
  /** What the user can do when the service does not accept the token or its scope. */
  signInAdvice?: SignInAdvice
  /** Replaces the network: a service in this process. */
  fetch?: Fetch
  /**
   * Time limit of one request, including redirects and body, and of each pause of a streamed body, in milliseconds. The
   * default is 10,000 over the network, and no limit with `fetch`.
   */
  timeoutMs?: number
  userAgent: string
  /** Receives method, path, status and milliseconds of each exchange; never the token, never a body. */
  trace?(line: string): void
  /** Called when a request begins; calls `end` on the result when it is complete. For a progress indicator. */
  withProgress?(): { end(): void }
  /** Receives the headers of each 2xx response. */
  onResponse?(headers: HeadersLike): void
  /** Passes on the batches of each list and counts their records. */
  countItems?: ProgressCounter
  /** Allows `http:` to other machines. */
  insecureHttp?: boolean
}

export type ProgressCounter = <Item>(batches: AsyncIterable<Item[]>) => AsyncIterable<Item[]>

export interface RequestOptions {
  query?: Record<string, string | undefined>
  /** Sent as JSON. */
  body?: unknown
  /** Additional headers; they do not replace those of every request. */
  headers?: Record<string, string>
  /** Returns a 2xx response whose body is not JSON with `invalidBodyError`, instead of throwing that error. */
  acceptsInvalidBody?: boolean
  /** Time limit of this request in milliseconds, instead of `HttpOptions.timeoutMs`. */
  timeoutMs?: number
  /** Refreshes the token only after a 401: a refresh sends a request to another server, with its own time limit. */
  skipsRefresh?: boolean
}

export interface HttpResponse {
  status: number
  headers: HeadersLike
  /** The parsed JSON; undefined if the body is empty or invalid. */
  value: unknown
  /** Why the body is invalid; only with `acceptsInvalidBody`. */
  invalidBodyError?: InvalidResponseError
  /** The final address, after redirects. */
  url: URL
}

export interface ListOptions extends Pick<RequestOptions, 'query' | 'timeoutMs' | 'skipsRefresh'> {
  /** Finds the elements in JSON other than an array; undefined stands for an empty body. Throws if there are none. */
  unwrap(value: unknown): unknown[]
}

export interface ListResponse extends Omit<HttpResponse, 'value'> {
  /**
   * The elements of the list in batches, as they arrive; can be read once. Throws like `request`, at any batch.
   */
  batches: AsyncIterable<unknown[]>
}

export interface Http {
  /**
   * Sends one request and returns a response that is 2xx and JSON or empty.
   *
   * `path` is relative to the base URL, or an absolute address of the same origin. Throws TtError:
   * - `unreachable` (UnreachableError) without a response and for 408, 425, 429 and 5xx
   * - `unauthenticated` for 401, `insufficient_scope` for 403
   * - `not_found` for 404 and `rejected` for any other 4xx (RejectedError)
   * - `rejected` (InvalidResponseError) for an invalid redirect, for a 2xx response that is not JSON, and for a 403 or 404
   *   that is neither empty nor JSON
   * - `usage` for an invalid request
   */
  request(method: string, path: string, options?: RequestOptions): Promise<HttpResponse>
  /** Requests (GET) a list and streams it: it is never in memory as a whole. Throws like `request`. */
  list(path: string, options: ListOptions): Promise<ListResponse>
}

/** Creates the HTTP client of a service. Throws TtError `usage` for an invalid base URL. */
export function createHttp(options: HttpOptions): Http {
  const base = readBaseUrl(options.baseUrl, options.insecureHttp)
  const service = displayUrl(base)
  const defaultTimeoutMs = options.timeoutMs ?? (options.fetch ? undefined : 10_000)
  const send = withTrace(
    options.fetch ? viaFetch(options.fetch) : networkTransport(options.insecureHttp),
    options.trace,
  )

  /** Sends one request; `read` reads the body of a 2xx response, and other responses are thrown as errors. */
  async function exchange<Body>(
    method: string,
    path: string,
    request: RequestOptions,
    read: (response: StreamedResponse, timeout: Timeout) => Promise<Body>,
  ): Promise<{ status: number; headers: HeadersLike; url: URL; body: Body }> {
    const { query, body, headers: added, timeoutMs = defaultTimeoutMs, skipsRefresh = false } = request
    const verb = checkMethod(method, body)
    const address = addressOf(base, path, query)
    const text = body === undefined ? undefined : JSON.stringify(body)
    const attempt = async (token: string) => {
      const headers = { ...lowerCase(added), ...headersFor(token, options.userAgent, body) }
      const timeout = createTimeout(timeoutMs)
      const { signal } = timeout
      const work = async () => {
        const { response, url } = await followRedirects(send, address, {
          method: verb,
          headers,
          body: text,
          signal,
        })
        const { status } = response
        return status >= 200 && status <= 299
          ? { success: { status, headers: response.headers, url, body: await read(response, timeout) } }
          : { failure: await bufferResponse(response), url }
      }
      return timeout.race(work()).catch((error) => {
        throw networkError(error, service)
      })
    }
    const progress = options.withProgress?.()
    try {
      const token = await options.token(skipsRefresh)
      let outcome = await attempt(token)
      if (outcome.failure?.status === 401) {
        const newToken = await options.refreshToken?.(token)
        if (newToken !== undefined) outcome = await attempt(newToken)
      }
      if (outcome.success) {
        options.onResponse?.(outcome.success.headers)
        return outcome.success
      }
      const { failure, url } = outcome
      throw statusError({ method: verb, path: url.pathname, service }, failure, options.signInAdvice)
    } finally {
      progress?.end()
    }
  }

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
      const { status } = response
      const toError = (error: unknown, beginning: string) =>
        error instanceof SyntaxError
          ? invalidJsonError(service, status, beginning)
          : networkError(error, service)
      const batches = streamElements(pieces, unwrap, toError)
      return { ...response, batches: options.countItems?.(batches) ?? batches }
    },
  }
}

/** Resolves a path against the base URL and adds the query, with `+` and spaces percent-encoded. */
function addressOf(base: URL, path: string, query: Record<string, string | undefined> = {}): URL {
  const isAbsolute = /^https?:\/\//i.test(path)
  const [address = ''] = (isAbsolute ? path : `${displayUrl(base)}/${path.replace(/^\/+/, '')}`).split('#', 1)
  const added = Object.entries(query)
    .filter((pair): pair is [string, string] => pair[1] !== undefined)
    .map(([key, value]) => `${percentEncoded(key)}=${percentEncoded(value)}`)
  const [start = '', ...existing] = address.split('?')
  const search = [existing.join('?'), ...added].filter(Boolean).join('&')
  const text = search ? `${start}?${search}` : start
  if (!URL.canParse(text)) throw new TtError('usage', `"${path}" is not a path.`)
  const url = new URL(text)
  if (url.origin !== base.origin) {
    throw new TtError(
      'usage',
      `${url.origin} is not the service at ${displayUrl(base)}. The token was not sent there.`,
      {
        hint: 'Use a path relative to the base URL, such as /timesheets.',
      },
    )
  }
  return url
}

/** Returns text encoded for a path or a query; half a surrogate pair, which has no encoding, becomes U+FFFD. */
export function percentEncoded(text: string): string {
  return encodeURIComponent(text.replace(/[\ud800-\udfff]/gu, '\ufffd'))
}

function checkMethod(method: string, body: unknown): string {
  const verb = method.toUpperCase()
  if (!['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].includes(verb)) {
    throw new TtError('usage', `"${method}" is not an HTTP method.`, {
      hint: 'Use GET, POST, PATCH or DELETE.',
    })
  }
  if (body !== undefined && (verb === 'GET' || verb === 'HEAD')) {
    throw new TtError('usage', `A ${verb} request cannot have fields.`, { hint: 'Use POST or PATCH.' })
  }
  return verb
}

function headersFor(token: string, userAgent: string, body: unknown): Record<string, string> {
  const bearer = token.trim()
  // Checked here because the error of fetch would contain the whole token.
  if (!/^[\x21-\x7e]+$/.test(bearer)) {
    const problem = bearer === '' ? 'There is no token.' : 'The token contains an invalid character.'
    throw new TtError('unauthenticated', problem, { hint: 'Check TT_TOKEN, or sign in again.' })
  }
  return {
    accept: 'application/json',
    authorization: `Bearer ${bearer}`,
    'user-agent': userAgent,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
}

function lowerCase(headers: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
