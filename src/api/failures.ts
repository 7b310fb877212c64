import { TtError, type TtErrorDetails } from '../errors.js'
import { describeBody, saidBy } from './service-words.js'
import type { HeadersLike } from './transport.js'
import type { Scope } from './types.js'

/** The service did not answer, or answered that it cannot now (429, 5xx). The request may be sent again later. */
export class UnreachableError extends TtError {
  /** How long the service asks to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined

  constructor(message: string, details: TtErrorDetails & { retryAfterMs?: number | undefined } = {}) {
    super('unreachable', message, details)
    this.retryAfterMs = details.retryAfterMs
  }
}

export const baseUrlHint = 'Check the base URL: it should end in /api/v1.'

/** Thrown inside when a request has taken longer than it may. */
export class TimeUp extends Error {
  constructor(readonly timeoutMs: number) {
    super('The time is up.')
  }
}

/** Why a request got no answer, as TtError `unreachable`; an error that is a TtError already stays as it is. */
export function networkFailure(error: unknown, service: string): TtError {
  const chain = causes(error)
  const own = chain.find((cause) => cause instanceof TtError)
  if (own) return own
  const timeUp = chain.find((cause) => cause instanceof TimeUp)
  const reason = timeUp ? `timed out after ${spoken(timeUp.timeoutMs)}` : reasonOf(chain)
  return new UnreachableError(`The service at ${service} cannot be reached (${reason}).`, {
    hint: 'Check the network and the base URL.',
    cause: error,
  })
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
export function statusFailure(
  request: { method: string; path: string; service: string },
  answer: { status: number; headers: HeadersLike; text: string },
  hints: SignInHints = generalHints,
): TtError {
  const { status } = answer
  const said = saidBy(answer.text)
  if (status === 429 || status >= 500) {
    const trouble = status === 429 ? 'takes no more requests for now' : 'cannot answer for now'
    return new UnreachableError(`The service at ${request.service} ${trouble} (${status})${said}`, {
      status,
      retryAfterMs: retryAfterMs(answer.headers),
      hint: 'Repeat the command later.',
    })
  }
  if (status === 401) {
    return new TtError('unauthenticated', `The service does not accept the token (401)${said}`, {
      status,
      hint: hints.unauthenticated,
    })
  }
  if (status === 403) {
    const scope = scopeFor(request.method)
    const more = /^: insufficient_scope\b/.test(said) ? '.' : said
    return new TtError('insufficient_scope', `The token lacks the scope ${scope} (403)${more}`, {
      status,
      hint: hints.missing(scope),
    })
  }
  if (status === 404) {
    return new TtError('not_found', `The service has nothing at ${request.path} (404)${said}`, {
      status,
      hint: /^, with a web page/.test(said) ? baseUrlHint : undefined,
    })
  }
  return new TtError('rejected', `The service refused the request (${status})${said}`, { status })
}

/** An answer of 2xx that carries no readable JSON, as TtError `rejected`. */
export function notJson(service: string, status: number, text: string): TtError {
  return new TtError(
    'rejected',
    `The service at ${service} answered with ${describeBody(text)} instead of JSON.`,
    {
      status,
      hint: baseUrlHint,
    },
  )
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

function reasonOf(chain: Error[]): string {
  const codes = chain.map((cause) => ('code' in cause ? String(cause.code) : ''))
  const known = reasons.find(([pattern]) => codes.some((code) => pattern.test(code)))
  return known?.[1] ?? chain.at(-1)?.message ?? 'unknown reason'
}

function spoken(milliseconds: number): string {
  return milliseconds < 1000 ? `${milliseconds} ms` : `${milliseconds / 1000} s`
}
