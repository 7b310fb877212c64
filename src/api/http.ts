import { TtError } from '../errors.js'
import { readBaseUrl, shown } from './base-url.js'
import {
  baseUrlHint,
  NonsenseError,
  networkFailure,
  notJson,
  type SignInHints,
  statusFailure,
} from './failures.js'
import { isWebPage } from './service-words.js'
import { traced, withinTime } from './timed.js'
import {
  type Arrived,
  type Fetch,
  type HeadersLike,
  type Outgoing,
  overNetwork,
  type Transport,
  through,
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
  renewed?(stale: string): Promise<string | undefined>
  /** What to do when the service refuses the token or its scope. */
  hints?: SignInHints
  /** Answers instead of the network: a service in this process. */
  fetch?: Fetch
  /** How long one request may take, redirects and body included; over the network 10,000 where not given. */
  timeoutMs?: number
  userAgent: string
  /** Told method, path, status and milliseconds of each exchange, for --debug; never the token, never a body. */
  trace?(line: string): void
  /** Lets `http:` reach other machines. */
  insecureHttp?: boolean
}

export interface RequestOptions {
  query?: Record<string, string | undefined>
  /** Sent as JSON. */
  body?: unknown
  /** Further headers; those that every request carries stay what they are. */
  headers?: Record<string, string>
  /** A web page is no failure of this request, but its value, as text. */
  pageIsValue?: boolean
  /** How long this request may take, instead of what the wrapper gives each. */
  timeoutMs?: number
  /** Renews the token only when it is refused: renewing asks another server, which has time limits of its own. */
  tokenAsItIs?: boolean
}

export interface Answer {
  status: number
  headers: HeadersLike
  /** The parsed JSON; undefined where the body is empty. */
  value: unknown
  /** The address that answered, after redirects. */
  url: URL
}

export interface Http {
  /**
   * Sends one request and gives the answer, if it is 2xx and JSON or empty (to DELETE: whatever its body, but for a web page).
   *
   * `path` is relative to the base URL, or an absolute address of the same origin. Throws TtError:
   * `unreachable` (an UnreachableError) without an answer and for 408, 425, 429 and 5xx, `unauthenticated` for 401,
   * `insufficient_scope` for 403, `not_found` for 404 and `rejected` for any other 4xx (a RefusedError), `rejected`
   * (a NonsenseError) for a redirect that cannot be followed and for an answer that is not JSON, `usage` for a
   * request that cannot be made.
   */
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>
}

const maxRedirects = 5

/** Makes the one HTTP wrapper of a service. Throws TtError `usage` for a base URL that cannot be used. */
export function createHttp(options: HttpOptions): Http {
  const base = readBaseUrl(options.baseUrl, options.insecureHttp)
  const service = shown(base)
  const usualTimeoutMs = options.timeoutMs ?? (options.fetch ? undefined : 10_000)
  const send = traced(options.fetch ? through(options.fetch) : overNetwork, options.trace)

  return {
    async request(method, path, request = {}) {
      const { query, body, headers: further, timeoutMs = usualTimeoutMs, tokenAsItIs = false } = request
      const verb = checkMethod(method, body)
      const address = addressOf(base, path, query)
      const text = body === undefined ? undefined : JSON.stringify(body)
      const attempt = (token: string) => {
        const headers = { ...lowerCased(further), ...headersFor(token, options.userAgent, body) }
        return withinTime(timeoutMs, (signal) =>
          follow(send, address, { method: verb, headers, body: text, signal }),
        ).catch((error) => {
          throw networkFailure(error, service)
        })
      }
      const token = await options.token(tokenAsItIs)
      let answered = await attempt(token)
      if (answered.status === 401) {
        const another = await options.renewed?.(token)
        if (another !== undefined) answered = await attempt(another)
      }
      const { url, ...answer } = answered
      if (answer.status < 200 || answer.status > 299) {
        throw statusFailure({ method: verb, path: url.pathname, service }, answer, options.hints)
      }
      const isPage = request.pageIsValue && isWebPage(answer.text)
      const value = isPage ? answer.text : jsonIn(verb, answer, service)
      return { status: answer.status, headers: answer.headers, value, url }
    },
  }
}

/** Resolves a path against the base URL and adds the query, with `+` and spaces percent-encoded. */
function addressOf(base: URL, path: string, query: Record<string, string | undefined> = {}): URL {
  const absolute = /^https?:\/\//i.test(path)
  const text = absolute ? path : `${shown(base)}/${path.replace(/^\/+/, '')}`
  if (!URL.canParse(text)) throw new TtError('usage', `"${path}" is not a path.`)
  const url = new URL(text)
  if (url.origin !== base.origin) {
    throw new TtError(
      'usage',
      `${url.origin} is not the service at ${shown(base)}. The token was not sent there.`,
      {
        hint: 'Give a path relative to the base URL, such as /timesheets.',
      },
    )
  }
  const added = Object.entries(query)
    .filter((pair): pair is [string, string] => pair[1] !== undefined)
    .map(([key, value]) => `${percentEncoded(key)}=${percentEncoded(value)}`)
  url.search = [url.search.slice(1), ...added].filter(Boolean).join('&')
  url.hash = ''
  return url
}

/** Text as part of a path or a query; half a surrogate pair, which has no encoding, becomes U+FFFD. */
export function percentEncoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'))
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
    const flaw = bearer === '' ? 'There is no token.' : 'The token has a character that no token can have.'
    throw new TtError('unauthenticated', flaw, { hint: 'Check TT_TOKEN, or sign in again.' })
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

/** Sends, and goes where the service points, as long as that is its own origin. */
async function follow(send: Transport, first: URL, request: Outgoing): Promise<Arrived & { url: URL }> {
  let url = first
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const answer = await send(url.href, request)
    if (![301, 302, 303, 307, 308].includes(answer.status)) return { ...answer, url }
    url = redirectTarget(url, request.method, answer)
  }
  throw new NonsenseError(`The service redirects more than ${maxRedirects} times (${first.pathname}).`)
}

/** Where a redirect leads (RFC 9110 section 15.4). Throws NonsenseError where it must not be followed. */
function redirectTarget(from: URL, method: string, { status, headers }: Arrived): URL {
  const location = headers.get('location')
  if (!location || !URL.canParse(location, from.href)) {
    throw new NonsenseError(`The service redirects without saying where to (${status}).`, { status })
  }
  const target = new URL(location, from)
  if (target.origin !== from.origin) {
    const other = target.origin === 'null' ? target.protocol : target.origin
    throw new NonsenseError(`The service redirects to ${other}. The token was not sent there.`, {
      status,
      hint: 'If that is where your service is now, use it as the base URL.',
    })
  }
  if (status < 307 && method !== 'GET' && method !== 'HEAD') {
    throw new NonsenseError(
      `The service answered ${method} with a redirect to ${target.pathname} (${status}).`,
      {
        status,
        hint: baseUrlHint,
      },
    )
  }
  return target
}

/**
 * The JSON of a 2xx answer. What a service says to a DELETE that it did is of no use to anybody; a web page, though, is
 * what others answer in its place.
 */
function jsonIn(method: string, { status, text }: Arrived, service: string): unknown {
  if (method === 'HEAD' || text.trim() === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    if (method === 'DELETE' && !isWebPage(text)) return undefined
    throw notJson(service, status, text)
  }
}
