import { type ErrorCode, TtError, type TtErrorDetails } from '../lib/errors.js'
import { bodyText, describeBody, errorCode, errorText, invalidFields, isJson } from './error-body.js'
import type { HeadersLike } from './transport.js'
import type { Id, Scope } from './types.js'

interface UnreachableDetails extends TtErrorDetails {
  retryAfterMs?: number | undefined
  isUnsent?: boolean
  /** `unreachable` where not given. */
  code?: ErrorCode
}

/**
 * The service did not answer, or answered that it cannot now (408, 425, 429, 5xx). The request may be sent again later.
 */
export class UnreachableError extends TtError {
  /** How long the service asks to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** The request was surely not done: it never left this machine, or the service turned it away unread (429). */
  readonly isUnsent: boolean

  constructor(message: string, details: UnreachableDetails = {}) {
    super(details.code ?? 'unreachable', message, details)
    this.retryAfterMs = details.retryAfterMs
    this.isUnsent = details.isUnsent ?? false
  }
}

/**
 * The sign-in of a stored profile has expired, while a command runs that can queue its changes: they are saved, and
 * reads use the cache, as when the service cannot be reached. Code `unauthenticated` where the cache does not suffice.
 */
export class ExpiredSignInError extends UnreachableError {
  /** The profile to sign in to; undefined for the current one. */
  readonly profile: string | undefined

  constructor(
    profile: string | undefined,
    details: { status?: number | undefined; isUnsent?: boolean; cause?: unknown } = {},
  ) {
    const nextStep = { action: 'sign_in', profile } as const
    super('Your sign-in has expired.', { isUnsent: true, ...details, nextStep, code: 'unauthenticated' })
    this.profile = profile
  }
}

/** An answer came and makes no sense: whether the request was done, it does not tell. */
export class InvalidResponseError extends TtError {
  constructor(message: string, details: TtErrorDetails = {}) {
    super('rejected', message, details)
  }
}

interface RejectionDetails extends TtErrorDetails {
  reason: string
  fields: string[]
}

/** The service understood the request and did not do it: 4xx, but for those that it may do later, 401 and 403. */
export class RejectedError extends TtError {
  /** The service's own words alone, in one line; empty where it said nothing. */
  readonly reason: string
  /** What the service finds fault with, by its own names: fields, or associations such as `task_link`. */
  readonly fields: readonly string[]

  constructor(code: 'not_found' | 'rejected', message: string, details: RejectionDetails) {
    super(code, message, details)
    this.reason = details.reason
    this.fields = details.fields
  }
}

/** Whether a failure leaves open what became of the request: nothing came, or nothing that makes sense. */
export function isInconclusive(error: unknown): error is UnreachableError | InvalidResponseError {
  return error instanceof UnreachableError || error instanceof InvalidResponseError
}

/** The same failure, of something that was asked after the service had taken the request. */
export function markSent(error: UnreachableError): UnreachableError {
  return withUnsent(error, false)
}

/** The same failure, for a request that was not sent because of it. */
export function markUnsent(error: UnreachableError): UnreachableError {
  return withUnsent(error, true)
}

function withUnsent(error: UnreachableError, isUnsent: boolean): UnreachableError {
  const { message, status, hint, retryAfterMs } = error
  const details = { status, isUnsent, cause: error }
  if (error instanceof ExpiredSignInError) return new ExpiredSignInError(error.profile, details)
  return new UnreachableError(message, { ...details, hint, retryAfterMs })
}

export const baseUrlHint = 'Check the base URL: it should end in /api/v1.'

/** Thrown inside when a request has taken longer than it may. */
export class TimeoutError extends Error {
  constructor(readonly timeoutMs: number) {
    super('The time is up.')
  }
}

/**
 * Returns why a request got no response, as TtError `unreachable`; a NonsenseError when the body of a response cannot be
 * decompressed. An error that is a TtError already stays as it is.
 */
export function networkError(error: unknown, service: string): TtError {
  const chain = causes(error)
  const own = chain.find((cause) => cause instanceof TtError)
  if (own) return own
  const undecodable = chain.find((cause) => 'code' in cause && decoding.test(String(cause.code)))
  if (undecodable) {
    const message = `The response of the service at ${service} cannot be decompressed (${undecodable.message}).`
    return new InvalidResponseError(message, { hint: 'Repeat the command later.', cause: error })
  }
  const timeUp = chain.find((cause) => cause instanceof TimeoutError)
  const reason = timeUp ? `timed out after ${spoken(timeUp.timeoutMs)}` : reasonOf(chain)
  return new UnreachableError(`The service at ${service} cannot be reached (${reason}).`, {
    hint: 'Check the network and the base URL.',
    isUnsent: !timeUp && chain.some(isBeforeSending),
    cause: error,
  })
}

/** Returns the error for an expense that is not in an incomplete list; `reason` is why the list is incomplete. */
export function incompleteListError(id: Id, reason: string): InvalidResponseError {
  const message = `Cannot tell whether expense ${id} exists: the list is incomplete (${reason}).`
  return new InvalidResponseError(message, { hint: 'Repeat the command later.' })
}

/** What to do when the service refuses a token: sentences that name the next command. */
export interface SignInHints {
  unauthenticated: string
  /** For a token without this scope. */
  missing(scope: Scope): string
}

const generalHints: SignInHints = {
  unauthenticated: 'Check TT_TOKEN, or sign in again.',
  missing: (scope) => `Sign in again and allow ${scope}.`,
}

/** An answer other than 2xx, as the TtError that service-api-v1.md section 7 and the design make of it. */
export function statusError(
  request: { method: string; path: string; service: string },
  answer: { status: number; headers: HeadersLike; text: string },
  hints: SignInHints = generalHints,
): TtError {
  const { status } = answer
  const said = errorText(answer.text)
  if ([408, 425, 429].includes(status) || status >= 500) {
    const trouble = status === 429 ? 'takes no more requests for now' : 'cannot answer for now'
    return new UnreachableError(`The service at ${request.service} ${trouble} (${status})${said}`, {
      status,
      retryAfterMs: retryAfterMs(answer.headers),
      isUnsent: status === 429,
      hint: 'Repeat the command later.',
    })
  }
  if (status === 401) {
    return new TtError('unauthenticated', `The service does not accept the token (401)${said}`, {
      status,
      hint: hints.unauthenticated,
    })
  }
  if (status === 403 && lacksScope(answer)) {
    const scope = scopeFor(request.method)
    const more = /^: insufficient_scope\b/.test(said) ? '.' : said
    return new TtError('insufficient_scope', `The token lacks the scope ${scope} (403)${more}`, {
      status,
      hint: hints.missing(scope),
    })
  }
  const sentence = `The service refused the request (${status})${said}`
  if (status < 400) return new InvalidResponseError(sentence, { status })
  // A proxy or firewall sends pages of its own: they say nothing about the record.
  if (status === 403 && answer.text.trim() !== '' && !isJson(answer.text))
    return new InvalidResponseError(sentence, { status, hint: proxyHint })
  const details = { status, reason: bodyText(answer.text), fields: invalidFields(answer.text) }
  if (status === 404) {
    const nothing = `The service has nothing at ${request.path} (404)${said}`
    // A proxy, or another server at a wrong address, sends a page or text: it says nothing about the record.
    if (answer.text.trim() !== '' && !isJson(answer.text))
      return new InvalidResponseError(nothing, { status, hint: baseUrlHint })
    return new RejectedError('not_found', nothing, details)
  }
  return new RejectedError('rejected', sentence, details)
}

/** An answer of 2xx that carries no readable JSON. */
export function invalidJsonError(service: string, status: number, text: string): InvalidResponseError {
  const came = describeBody(text)
  return new InvalidResponseError(`The service at ${service} answered with ${came} instead of JSON.`, {
    status,
    hint: baseUrlHint,
  })
}

const proxyHint = 'A proxy or firewall between this machine and the service may block the request.'

/** Whether a 403 is about the scope of the token (service-api-v1.md section 7; RFC 6750 section 3.1). */
function lacksScope({ headers, text }: { headers: HeadersLike; text: string }): boolean {
  const challenge = headers.get('www-authenticate') ?? ''
  return errorCode(text) === 'insufficient_scope' || /\berror="?insufficient_scope\b/.test(challenge)
}

/** The scope that a request needs (service-api-v1.md section 5). */
function scopeFor(method: string): Scope {
  return method === 'GET' || method === 'HEAD' ? 'service:read' : 'service:write'
}

/** Retry-After, in seconds or as a date (RFC 9110 section 10.2.3), as milliseconds from now. */
function retryAfterMs(headers: HeadersLike): number | undefined {
  const text = headers.get('retry-after')?.trim()
  if (!text) return undefined
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isFinite(waitMs) ? Math.max(0, waitMs) : undefined
}

/** The error, what caused it, and so on: fetch wraps the reason at least once. */
function causes(error: unknown): Error[] {
  const chain: Error[] = []
  for (let next = error; next instanceof Error && chain.length < 10; next = next.cause) chain.push(next)
  return chain
}

const reasons: [RegExp, string][] = [
  [/^ENOTFOUND$/, 'no such host'],
  [/^EAI_AGAIN$/, 'the name of the host cannot be looked up'],
  [/^ECONNREFUSED$/, 'connection refused'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET|ECONNABORTED)$/, 'connection lost'],
  [/^(ENETUNREACH|EHOSTUNREACH|ENETDOWN|EADDRNOTAVAIL)$/, 'no route to the host'],
  [/^(ETIMEDOUT|UND_ERR_\w*TIMEOUT)$/, 'timed out'],
  [/^HPE_|^UND_ERR_HTTP_PARSER$/, 'the answer is not HTTP'],
  [/^CERT_HAS_EXPIRED$/, 'the certificate has expired'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'the certificate belongs to another host'],
  [/CERT|SELF_SIGNED|UNABLE_TO_/, 'the certificate is not trusted'],
  [/^(ERR_SSL|ERR_TLS|EPROTO)/, 'no encrypted connection'],
]

/** Errors of zlib: a response came, and its body is not what its Content-Encoding says. */
const decoding = /^(Z_(DATA|BUF|STREAM|NEED_DICT)|ERR_BROTLI_|ERR__ERROR_|ZSTD_)/

const connecting = /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|ENETDOWN|EADDRNOTAVAIL)$/
const securing = /CERT|SELF_SIGNED|UNABLE_TO_|^EPROTO$|^ERR_SSL_(WRONG_VERSION|\w*HANDSHAKE|\w*PROTOCOL)/

/** Whether the name, the connection, the handshake or the certificate failed, all of which precede the request. */
function isBeforeSending(error: Error): boolean {
  const code = 'code' in error ? String(error.code) : ''
  // A route may also be lost while the answer is awaited.
  const connected = 'syscall' in error && ['read', 'write'].includes(String(error.syscall))
  return securing.test(code) || (connecting.test(code) && !connected)
}

function reasonOf(chain: Error[]): string {
  const codes = chain.map((cause) => ('code' in cause ? String(cause.code) : ''))
  const known = reasons.find(([pattern]) => codes.some((code) => pattern.test(code)))
  return known?.[1] ?? chain.at(-1)?.message ?? 'unknown reason'
}

function spoken(milliseconds: number): string {
  return milliseconds < 1000 ? `${milliseconds} ms` : `${Math.round(milliseconds / 100) / 10} s`
}
