import { TtError, type TtErrorDetails } from '../../lib/errors.js'
import { baseUrlHint, InvalidResponseError, RejectedError, UnreachableError } from '../api-errors.js'
import type { Scope } from '../types.js'
import { bodyText, describeBody, errorCode, errorText, invalidFields, isJson } from './error-body.js'
import type { HeadersLike } from './transport.js'

type Advice = Pick<TtErrorDetails, 'hint' | 'nextStep'>

/** What the user can do when the service does not accept the token or its scope. */
export interface SignInAdvice {
  unauthenticated: Advice
  /** For a token without this scope. */
  missingScope(scope: Scope): Advice
}

/** The advice for a token that belongs to no profile. */
export const tokenAdvice: SignInAdvice = {
  unauthenticated: { nextStep: { action: 'replace_token' } },
  missingScope: (scope) => ({ nextStep: { action: 'replace_token', scope } }),
}

/** Returns the error for a response other than 2xx (service-api-v1.md section 7). */
export function statusError(
  request: { method: string; path: string; service: string },
  response: { status: number; headers: HeadersLike; text: string },
  advice: SignInAdvice = tokenAdvice,
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
    const notFound = `The service at ${request.service} has no resource at ${request.path} (404)${reason}`
    // A proxy, or another server at a wrong address, sends a page or text, which does not describe the record.
    if (text.trim() !== '' && !isJson(text))
      return new InvalidResponseError(notFound, { status, hint: baseUrlHint })
    return new RejectedError('not_found', notFound, details)
  }
  if (status !== 405) return new RejectedError('rejected', message, details)
  const problem = `does not accept ${request.method} ${request.path} (405)`
  return new RejectedError('rejected', `The service at ${request.service} ${problem}${reason}`, details)
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
