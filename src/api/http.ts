import { TtError } from '../lib/errors.js'
import { displayUrl, readBaseUrl } from './base-url.js'
import {
  type InvalidResponseError,
  invalidJsonError,
  networkError,
  type SignInHints,
  statusError,
} from './errors.js'
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
  /** The bearer token, asked for at each request; as it is, even if it is about to end, where `asItIs` is true. */
  token(asItIs?: boolean): Promise<string> | string
  /**
   * Asked once when a token is refused (401): another one, with which the request is sent again, or undefined where
   * there is none. A refused request was not done, whatever its method.
   */
  refreshToken?(stale: string): Promise<string | undefined>
  /** What to do when the service refuses the token or its scope. */
  hints?: SignInHints
  /** Answers instead of the network: a service in this process. */
  fetch?: Fetch
  /**
   * How long one request may take, redirects and body included, and each pause of a body that is read in pieces; over
   * the network 10,000 where not given.
   */
  timeoutMs?: number
  userAgent: string
  /** Told method, path, status and milliseconds of each exchange, for --debug; never the token, never a body. */
  trace?(line: string): void
  /** Told when a request begins, and by `end` that it is over: somebody may wait for it. */
  withProgress?(): { end(): void }
  /** Receives the headers of each 2xx response. */
  onResponse?(headers: HeadersLike): void
  /** Passes the batches of each list on, and sees how many records have come. */
  countItems?: ProgressCounter
  /** Lets `http:` reach other machines. */
  insecureHttp?: boolean
}

export type ProgressCounter = <Item>(batches: AsyncIterable<Item[]>) => AsyncIterable<Item[]>

export interface RequestOptions {
  query?: Record<string, string | undefined>
  /** Sent as JSON. */
  body?: unknown
  /** Further headers; those that every request carries stay what they are. */
  headers?: Record<string, string>
  /** A 2xx response whose body is not JSON is returned with `invalid`, instead of thrown. */
  acceptsInvalidBody?: boolean
  /** How long this request may take, instead of what the wrapper gives each. */
  timeoutMs?: number
  /** Renews the token only when it is refused: renewing asks another server, which has time limits of its own. */
  skipsRefresh?: boolean
}

export interface HttpResponse {
  status: number
  headers: HeadersLike
  /** The parsed JSON; undefined where the body is empty or invalid. */
  value: unknown
  /** Why the body is invalid; only with `returnsInvalid`. */
  invalidBodyError?: InvalidResponseError
  /** The address that answered, after redirects. */
  url: URL
}

export interface ListOptions extends Pick<RequestOptions, 'query' | 'timeoutMs' | 'skipsRefresh'> {
  /** Finds the elements in an answer that is no JSON array, undefined for an empty one. Throws where there are none. */
  unwrap(value: unknown): unknown[]
}

export interface ListResponse extends Omit<HttpResponse, 'value'> {
  /**
   * The elements of the list, in batches as they come in; to be read once. Throws what `request` would have thrown, at
   * any batch.
   */
  batches: AsyncIterable<unknown[]>
}

export interface Http {
  /**
   * Sends one request and gives the answer, if it is 2xx and JSON or empty.
   *
   * `path` is relative to the base URL, or an absolute address of the same origin. Throws TtError:
   * `unreachable` (an UnreachableError) without an answer and for 408, 425, 429 and 5xx, `unauthenticated` for 401,
   * `insufficient_scope` for 403, `not_found` for 404 and `rejected` for any other 4xx (a RefusedError), `rejected`
   * (a NonsenseError) for a redirect that cannot be followed, for a 2xx answer that is not JSON and for a 404 that is
   * neither empty nor JSON, `usage` for a request that cannot be made.
   */
  request(method: string, path: string, options?: RequestOptions): Promise<HttpResponse>
  /** Asks (GET) for a list, which is never whole in memory. Throws like `request`. */
  list(path: string, options: ListOptions): Promise<ListResponse>
}

/** Makes the one HTTP wrapper of a service. Throws TtError `usage` for a base URL that cannot be used. */
export function createHttp(options: HttpOptions): Http {
  const base = readBaseUrl(options.baseUrl, options.insecureHttp)
  const service = displayUrl(base)
  const usualTimeoutMs = options.timeoutMs ?? (options.fetch ? undefined : 10_000)
  const send = withTrace(
    options.fetch ? viaFetch(options.fetch) : networkTransport(options.insecureHttp),
    options.trace,
  )

  /** One request; `read` takes the body of a 2xx answer, and everything else is thrown. */
  async function exchange<Body>(
    method: string,
    path: string,
    request: RequestOptions,
    read: (answer: StreamedResponse, limit: Timeout) => Promise<Body>,
  ): Promise<{ status: number; headers: HeadersLike; url: URL; body: Body }> {
    const { query, body, headers: further, timeoutMs = usualTimeoutMs, skipsRefresh = false } = request
    const verb = checkMethod(method, body)
    const address = addressOf(base, path, query)
    const text = body === undefined ? undefined : JSON.stringify(body)
    const attempt = async (token: string) => {
      const headers = { ...lowerCased(further), ...headersFor(token, options.userAgent, body) }
      const limit = createTimeout(timeoutMs)
      const { signal } = limit
      const work = async () => {
        const { answer, url } = await followRedirects(send, address, {
          method: verb,
          headers,
          body: text,
          signal,
        })
        const { status, headers: sent } = answer
        return status >= 200 && status <= 299
          ? { value: { status, headers: sent, url, body: await read(answer, limit) } }
          : { refusal: await bufferResponse(answer), url }
      }
      return limit.race(work()).catch((error) => {
        throw networkError(error, service)
      })
    }
    const waiting = options.withProgress?.()
    try {
      const token = await options.token(skipsRefresh)
      let answered = await attempt(token)
      if (answered.refusal?.status === 401) {
        const another = await options.refreshToken?.(token)
        if (another !== undefined) answered = await attempt(another)
      }
      if (answered.value) {
        options.onResponse?.(answered.value.headers)
        return answered.value
      }
      const { refusal, url } = answered
      throw statusError({ method: verb, path: url.pathname, service }, refusal, options.hints)
    } finally {
      waiting?.end()
    }
  }

  return {
    async request(method, path, request = {}) {
      const { body: text, ...answer } = await exchange(method, path, request, (arriving) => arriving.text())
      if (method.toUpperCase() === 'HEAD' || text.trim() === '') return { ...answer, value: undefined }
      try {
        return { ...answer, value: JSON.parse(text) as unknown }
      } catch {
        const invalidBodyError = invalidJsonError(service, answer.status, text)
        if (request.acceptsInvalidBody) return { ...answer, value: undefined, invalidBodyError }
        throw invalidBodyError
      }
    },

    async list(path, { unwrap, ...request }) {
      const { body: pieces, ...answer } = await exchange('GET', path, request, async (arriving, limit) =>
        withIdleTimeout(arriving.pieces(), limit),
      )
      const { streamElements } = await import('./decode/json-array-stream.js')
      const { status } = answer
      const failed = (error: unknown, beginning: string) =>
        error instanceof SyntaxError
          ? invalidJsonError(service, status, beginning)
          : networkError(error, service)
      const batches = streamElements(pieces, unwrap, failed)
      return { ...answer, batches: options.countItems?.(batches) ?? batches }
    },
  }
}

/** Resolves a path against the base URL and adds the query, with `+` and spaces percent-encoded. */
function addressOf(base: URL, path: string, query: Record<string, string | undefined> = {}): URL {
  const absolute = /^https?:\/\//i.test(path)
  const [given = ''] = (absolute ? path : `${displayUrl(base)}/${path.replace(/^\/+/, '')}`).split('#', 1)
  const added = Object.entries(query)
    .filter((pair): pair is [string, string] => pair[1] !== undefined)
    .map(([key, value]) => `${percentEncoded(key)}=${percentEncoded(value)}`)
  const [start = '', ...asked] = given.split('?')
  const search = [asked.join('?'), ...added].filter(Boolean).join('&')
  const text = search ? `${start}?${search}` : start
  if (!URL.canParse(text)) throw new TtError('usage', `"${path}" is not a path.`)
  const url = new URL(text)
  if (url.origin !== base.origin) {
    throw new TtError(
      'usage',
      `${url.origin} is not the service at ${displayUrl(base)}. The token was not sent there.`,
      {
        hint: 'Give a path relative to the base URL, such as /timesheets.',
      },
    )
  }
  return url
}

/** Text as part of a path or a query; half a surrogate pair, which has no encoding, becomes U+FFFD. */
export function percentEncoded(text: string): string {
  return encodeURIComponent(text.replace(/[\ud800-\udfff]/gu, '\ufffd'))
}

function checkMethod(method: string, body: unknown): string {
  const verb = method.toUpperCase()
  if (!['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].includes(verb)) {
    throw new TtError('usage', `"${method}" is not a method.`, { hint: 'Use GET, POST, PATCH or DELETE.' })
  }
  if (body !== undefined && (verb === 'GET' || verb === 'HEAD')) {
    throw new TtError('usage', `A ${verb} request carries no fields.`, { hint: 'Use POST or PATCH.' })
  }
  return verb
}

function headersFor(token: string, userAgent: string, body: unknown): Record<string, string> {
  const bearer = token.trim()
  // Checked here because fetch would name the whole token in its own error.
  if (!/^[\x21-\x7e]+$/.test(bearer)) {
    const problem = bearer === '' ? 'There is no token.' : 'The token has a character that no token can have.'
    throw new TtError('unauthenticated', problem, { hint: 'Check TT_TOKEN, or sign in again.' })
  }
  return {
    accept: 'application/json',
    authorization: `Bearer ${bearer}`,
    'user-agent': userAgent,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
}

function lowerCased(headers: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
