import { TtError } from '../../lib/errors.js'
import type { ChangeOptions, CreateOptions } from '../api.js'
import { displayUrl } from './base-url.js'
import type { RequestOptions } from './http.js'
import type { SignInAdvice } from './status-errors.js'
import type { HeadersLike } from './transport.js'

/**
 * Resolves a path against the base URL and adds the query, with `+` and spaces percent-encoded. Throws TtError `usage` for
 * another origin.
 */
export function requestUrl(base: URL, path: string, query: Record<string, string | undefined> = {}): URL {
  const isAbsolute = /^https?:\/\//i.test(path)
  const [address = ''] = (isAbsolute ? path : `${displayUrl(base)}/${path.replace(/^\/+/, '')}`).split('#', 1)
  const parameters = Object.entries(query)
    .filter((pair): pair is [string, string] => pair[1] !== undefined)
    .map(([key, value]) => `${percentEncode(key)}=${percentEncode(value)}`)
  const [start = '', ...existing] = address.split('?')
  const search = [existing.join('?'), ...parameters].filter(Boolean).join('&')
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

/** Encodes text for a path or a query. Half a surrogate pair, which has no encoding, becomes U+FFFD. */
export function percentEncode(text: string): string {
  return encodeURIComponent(text.replace(/[\ud800-\udfff]/gu, '\ufffd'))
}

/** Returns the method in upper case. Throws TtError `usage` if it is unknown or cannot have that body. */
export function checkMethod(method: string, body: unknown): string {
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

interface HeaderParts {
  userAgent: string
  body: unknown
  /** A media type that is preferred to JSON. */
  accept: string | undefined
  signInAdvice: SignInAdvice
}

/** Returns the headers of every request. Throws TtError `unauthenticated` for a token that no header can contain. */
export function requestHeaders(
  token: string,
  { userAgent, body, accept, signInAdvice }: HeaderParts,
): Record<string, string> {
  const bearer = token.trim()
  // Checked here because the error of fetch would contain the whole token.
  if (!/^[\x21-\x7e]+$/.test(bearer)) {
    const problem = bearer === '' ? 'There is no token.' : 'The token contains an invalid character.'
    throw new TtError('unauthenticated', problem, signInAdvice.unauthenticated)
  }
  return {
    accept: accept === undefined ? 'application/json' : `${accept}, application/json;q=0.9`,
    authorization: `Bearer ${bearer}`,
    'user-agent': userAgent,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
}

/** Returns the headers with names in lower case. */
export function withLowerCaseNames(headers: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

/** Whether a response is from a service that performs a create once for each Idempotency-Key, however late a request arrives. */
export function supportsIdempotencyKeys(headers: HeadersLike): boolean {
  return headers.get('Idempotency-Key-Supported') === '?1'
}

/** Returns the request options that send the key of a create. */
export function withKey({ key }: CreateOptions = {}): RequestOptions {
  return key === undefined ? {} : { headers: { 'Idempotency-Key': key } }
}

/**
 * Returns the options of a create whose expense date has that name. A key stands for one request body, so a body with
 * another name has another key.
 */
export function withKeyForDateField(dateName: string, { key }: CreateOptions = {}): RequestOptions {
  if (key === undefined || dateName === 'spent_on') return withKey(key === undefined ? {} : { key })
  return withKey({ key: `${key}-${percentEncode(dateName)}`.slice(0, 255) })
}

/** Whether a response is from a service that honours If-Match on changes (RFC 9110 section 13.1.1). */
export function supportsConditions(headers: HeadersLike): boolean {
  return headers.get('If-Match-Supported') === '?1'
}

/** Returns the request options that send the condition of a change. */
export function withCondition({ ifMatch }: ChangeOptions = {}): RequestOptions {
  return ifMatch === undefined ? {} : { headers: { 'If-Match': ifMatch } }
}
