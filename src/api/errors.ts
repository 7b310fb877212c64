import { type ErrorCode, TtError, type TtErrorDetails } from '../lib/errors.js'
import { bodyText, describeBody, errorCode, errorText, invalidFields, isJson } from './http/error-body.js'
import type { HeadersLike } from './http/transport.js'
import type { Id, Scope } from './types.js'

interface UnreachableDetails extends TtErrorDetails {
  retryAfterMs?: number | undefined
  isUnsent?: boolean
  /** Default: `unreachable`. */
  code?: ErrorCode
}

/**
 * There was no response, or the service is temporarily unable to respond (408, 425, 429, 5xx). The request may be sent
 * again later.
 */
export class UnreachableError extends TtError {
  /** The delay that the service requests (Retry-After), in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** The request had no effect: it never left this machine, or the service rejected it unread (429). */
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

/** The response is invalid, and the outcome of the request unknown. */
export class InvalidResponseError extends TtError {
  constructor(message: string, details: TtErrorDetails = {}) {
    super('rejected', message, details)
  }
}

interface RejectionDetails extends TtErrorDetails {
  reason: string
  fields: string[]
}

/** The service rejected the request: 4xx except 401, 403 and those that may succeed later. */
export class RejectedError extends TtError {
  /** The error text of the service in one line; empty if there is none. */
  readonly reason: string
  /** The names of the invalid fields, or of associations such as `task_link`, as the service writes them. */
  readonly fields: readonly string[]

  constructor(code: 'not_found' | 'rejected', message: string, details: RejectionDetails) {
    super(code, message, details)
    this.reason = details.reason
    this.fields = details.fields
  }
}

/** Whether an error leaves the outcome of the request open: there was no response, or an invalid one. */
export function isInconclusive(error: unknown): error is UnreachableError | InvalidResponseError {
  return error instanceof UnreachableError || error instanceof InvalidResponseError
}

/** Returns the error of a request that followed an accepted change: the change was sent. */
export function markSent(error: UnreachableError): UnreachableError {
  return withUnsent(error, false)
}

/** Returns the error for a request that was not sent because of it. */
export function markUnsent(error: UnreachableError): UnreachableError {
  return withUnsent(error, true)
}

function withUnsent(error: UnreachableError, isUnsent: boolean): UnreachableError {
  const { message, status, hint, nextStep, retryAfterMs } = error
  const details = { status, isUnsent, cause: error }
  if (error instanceof ExpiredSignInError) return new ExpiredSignInError(error.profile, details)
  return new UnreachableError(message, { ...details, hint, nextStep, retryAfterMs })
}

export const baseUrlHint = 'Check the base URL: it should end in /api/v1.'

/** Thrown inside this module when a request exceeds its time limit. */
export class TimeoutError extends Error {
  constructor(readonly timeoutMs: number) {
    super('The time limit is exceeded.')
  }
}

/**
 * Returns the error for a request without a response: TtError `unreachable`, or InvalidResponseError when the body of a
 * response cannot be decompressed. Returns a TtError in the chain of causes unchanged.
 */
export function networkError(error: unknown, service: string): TtError {
  const chain = causes(error)
  const ttError = chain.find((cause) => cause instanceof TtError)
  if (ttError) return ttError
  const decodingError = chain.find((cause) => 'code' in cause && decodingCodes.test(String(cause.code)))
  if (decodingError) {
    const message = `The response of the service at ${service} cannot be decompressed (${decodingError.message}).`
    return new InvalidResponseError(message, { hint: 'Repeat the command later.', cause: error })
  }
  const timeout = chain.find((cause) => cause instanceof TimeoutError)
  const reason = timeout ? `timed out after ${formatMs(timeout.timeoutMs)}` : networkReason(chain)
  return new UnreachableError(`The service at ${service} cannot be reached (${reason}).`, {
    hint: 'Check the network and the base URL.',
    isUnsent: !timeout && chain.some(isBeforeSending),
    cause: error,
  })
}

/** Returns the error for an expense that is not in an incomplete list; `reason` is why the list is incomplete. */
export function incompleteListError(id: Id, reason: string): InvalidResponseError {
  const message = `Cannot tell whether expense ${id} exists: the list is incomplete (${reason}).`
  return new InvalidResponseError(message, { hint: 'Repeat the command later.' })
}

type Advice = Pick<TtErrorDetails, 'hint' | 'nextStep'>

/** What the user can do when the service does not accept the token. */
export interface SignInAdvice {
  unauthenticated: Advice
  /** For a token without this scope. */
  missingScope(scope: Scope): Advice
}

const defaultAdvice: SignInAdvice = {
  unauthenticated: { hint: 'Check TT_TOKEN, or sign in again.' },
  missingScope: (scope) => ({ hint: `Sign in again and allow ${scope}.` }),
}

/** Returns the error for a response other than 2xx (service-api-v1.md section 7). */
export function statusError(
  request: { method: string; path: string; service: string },
  response: { status: number; headers: HeadersLike; text: string },
  advice: SignInAdvice = defaultAdvice,
): TtError {
  const { status, text } = response
  const reason = errorText(text)
  if ([408, 425, 429].includes(status) || status >= 500) {
    const problem = status === 429 ? 'allows no more requests at the moment' : 'is temporarily unavailable'
    return new UnreachableError(`The service at ${request.service} ${problem} (${status})${reason}`, {
      status,
      retryAfterMs: retryAfterMs(response.headers),
      isUnsent: status === 429,
      hint: 'Repeat the command later.',
    })
  }
  if (status === 401) {
    return new TtError('unauthenticated', `The service does not accept the token (401)${reason}`, {
      status,
      ...advice.unauthenticated,
    })
  }
  if (status === 403 && lacksScope(response)) {
    const scope = scopeFor(request.method)
    const details = /^: insufficient_scope\b/.test(reason) ? '.' : reason
    return new TtError('insufficient_scope', `The token lacks the scope ${scope} (403)${details}`, {
      status,
      ...advice.missingScope(scope),
    })
  }
  const message = `The service rejected the request (${status})${reason}`
  if (status < 400) return new InvalidResponseError(message, { status })
  // A proxy or firewall sends pages of its own, which do not describe the record.
  if (status === 403 && text.trim() !== '' && !isJson(text))
    return new InvalidResponseError(message, { status, hint: proxyHint })
  const details = { status, reason: bodyText(text), fields: invalidFields(text) }
  if (status === 404) {
    const notFound = `The service has nothing at ${request.path} (404)${reason}`
    // A proxy, or another server at a wrong address, sends a page or text, which does not describe the record.
    if (text.trim() !== '' && !isJson(text))
      return new InvalidResponseError(notFound, { status, hint: baseUrlHint })
    return new RejectedError('not_found', notFound, details)
  }
  return new RejectedError('rejected', message, details)
}

/** Returns the error for a 2xx response whose body is not valid JSON. */
export function invalidJsonError(service: string, status: number, text: string): InvalidResponseError {
  const message = `The service at ${service} returned ${describeBody(text)} instead of JSON.`
  return new InvalidResponseError(message, { status, hint: baseUrlHint })
}

const proxyHint = 'A proxy or firewall between this machine and the service may block the request.'

/** Whether a 403 reports a missing scope of the token (service-api-v1.md section 7; RFC 6750 section 3.1). */
function lacksScope({ headers, text }: { headers: HeadersLike; text: string }): boolean {
  const challenge = headers.get('www-authenticate') ?? ''
  return errorCode(text) === 'insufficient_scope' || /\berror="?insufficient_scope\b/.test(challenge)
}

/** Returns the scope that a request requires (service-api-v1.md section 5). */
function scopeFor(method: string): Scope {
  return method === 'GET' || method === 'HEAD' ? 'service:read' : 'service:write'
}

/** Returns Retry-After, in seconds or as a date (RFC 9110 section 10.2.3), as milliseconds from now. */
function retryAfterMs(headers: HeadersLike): number | undefined {
  const text = headers.get('retry-after')?.trim()
  if (!text) return undefined
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isFinite(waitMs) ? Math.max(0, waitMs) : undefined
}

/** Returns the error and its causes: fetch wraps the reason at least once. */
function causes(error: unknown): Error[] {
  const chain: Error[] = []
  for (let next = error; next instanceof Error && chain.length < 10; next = next.cause) chain.push(next)
  return chain
}

const reasons: [RegExp, string][] = [
  [/^ENOTFOUND$/, 'no such host'],
  [/^EAI_AGAIN$/, 'the host name cannot be looked up'],
  [/^ECONNREFUSED$/, 'connection refused'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET|ECONNABORTED)$/, 'connection lost'],
  [/^(ENETUNREACH|EHOSTUNREACH|ENETDOWN|EADDRNOTAVAIL)$/, 'no route to the host'],
  [/^(ETIMEDOUT|UND_ERR_\w*TIMEOUT)$/, 'timed out'],
  [/^HPE_|^UND_ERR_HTTP_PARSER$/, 'the response is not HTTP'],
  [/^CERT_HAS_EXPIRED$/, 'the certificate has expired'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'the certificate belongs to another host'],
  [/CERT|SELF_SIGNED|UNABLE_TO_/, 'the certificate is not trusted'],
  [/^(ERR_SSL|ERR_TLS|EPROTO)/, 'no encrypted connection'],
]

/** Error codes of zlib: the body of a response does not match its Content-Encoding. */
const decodingCodes = /^(Z_(DATA|BUF|STREAM|NEED_DICT)|ERR_BROTLI_|ERR__ERROR_|ZSTD_)/

const connectionCodes = /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|ENETDOWN|EADDRNOTAVAIL)$/
const tlsCodes = /CERT|SELF_SIGNED|UNABLE_TO_|^EPROTO$|^ERR_SSL_(WRONG_VERSION|\w*HANDSHAKE|\w*PROTOCOL)/

/** Whether the lookup, the connection, the handshake or the certificate failed, which all precede the request. */
function isBeforeSending(error: Error): boolean {
  const code = 'code' in error ? String(error.code) : ''
  // A route may also be lost while waiting for the response.
  const isConnected = 'syscall' in error && ['read', 'write'].includes(String(error.syscall))
  return tlsCodes.test(code) || (connectionCodes.test(code) && !isConnected)
}

function networkReason(chain: Error[]): string {
  const codes = chain.map((cause) => ('code' in cause ? String(cause.code) : ''))
  const known = reasons.find(([pattern]) => codes.some((code) => pattern.test(code)))
  return known?.[1] ?? chain.at(-1)?.message ?? 'unknown reason'
}

function formatMs(milliseconds: number): string {
  return milliseconds < 1000 ? `${milliseconds} ms` : `${Math.round(milliseconds / 100) / 10} s`
}
