import { TtError, type TtErrorDetails } from '../../lib/errors.js'
import { isObject } from '../../lib/is-object.js'
import { baseUrlHint, InvalidResponseError, RejectedError, UnreachableError } from '../api-errors.js'
import type { Scope } from '../types.js'
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

/** Reads the bodies of error responses, as text for one line of a terminal. */

/** The deepest nesting at which field errors are read. */
const maxDepth = 5
const maxLength = 500

/**
 * Returns the end of a sentence about a failed request: the error text of the service, the title of a web page, or only a
 * full stop.
 *
 * The text of JSON is `message`, or else `error_description`, or else `error`, followed by the messages of all fields.
 * service-api-v1.md section 7 does not show these errors, so every form is accepted.
 */
export function errorText(body: string): string {
  const page = describeWebPage(body)
  if (page) return `, with ${page}.`
  const text = bodyText(body)
  if (!text) return '.'
  return `: ${/[.?!…]$/.test(text) ? text : `${text}.`}`
}

/** Returns the error text of the service in one line; empty if there is none, and for a web page. */
function bodyText(body: string): string {
  return describeWebPage(body) ? '' : toLine(rawText(body))
}

/** Returns the names of the invalid fields, each once, as the service writes them. */
function invalidFields(body: string): string[] {
  const fields = errorsOf(parseJson(body)).map(({ field }) => toLine(field))
  return [...new Set(fields)].filter((field) => field !== '')
}

/** Whether a body is JSON, and therefore probably from the service instead of a proxy. */
export function isJson(body: string): boolean {
  return parseJson(body) !== undefined
}

/** Returns the code in the field `error` of a JSON object (service-api-v1.md section 7); undefined if there is none. */
export function errorCode(body: string): string | undefined {
  const value = parseJson(body)
  return isObject(value) && typeof value.error === 'string' ? value.error : undefined
}

/** Describes a body that should have been JSON, such as `a web page titled "Sign in"`. */
export function describeBody(body: string): string {
  const page = describeWebPage(body)
  if (page) return page
  if (body.trim() === '') return 'an empty body'
  return /^\s*[[{"]/.test(body) ? 'JSON that is cut off or damaged' : 'text that is not JSON'
}

/** Describes a web page, such as that of a network which requires a sign-in; undefined for other bodies. */
function describeWebPage(body: string): string | undefined {
  if (!/^\s*(<!--[\s\S]{0,2000}?-->\s*)?<(!doctype html|html|head|body)\b/i.test(body)) return undefined
  const title = toLine(/<title[^>]*>([^<]{1,200})<\/title>/i.exec(body)?.[1] ?? '')
  return title && title.length <= 80 ? `a web page titled "${title}"` : 'a web page'
}

function rawText(body: string): string {
  const value = parseJson(body)
  if (value === undefined) return body.slice(0, 200) // Plain text usually begins with the error.
  const summary = summaryOf(value)
  const messages = errorsOf(value).map(({ field, message }) => (field ? `${field} ${message}` : message))
  // The summary of some services repeats the messages of the fields.
  const details = [...new Set(messages)].filter((message) => !summary?.includes(message)).join('; ')
  return [details ? summary?.replace(/\.$/, '') : summary, details].filter(Boolean).join(': ')
}

/** Returns the value of JSON; undefined for other text. */
export function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function summaryOf(value: unknown): string | undefined {
  if (!isObject(value)) return undefined
  const { message, error_description: description, error } = value
  return [message, description, error].find((text): text is string => typeof text === 'string' && text !== '')
}

/** An error of one field; `field` is empty for an error of the whole record. */
interface FieldError {
  field: string
  message: string
}

function errorsOf(value: unknown): FieldError[] {
  if (!isObject(value)) return fieldErrors(value)
  const { errors, error, message } = value
  const found = [errors, error, message]
    .filter((part) => typeof part === 'object')
    .flatMap((part) => fieldErrors(part))
  return found.length === 0 && summaryOf(value) === undefined ? fieldErrors(value) : found
}

/** Returns `{end: ["is too early", "is odd"]}` as two errors of `end`. `base` in Rails means the whole record. */
function fieldErrors(value: unknown, field = '', depth = 0): FieldError[] {
  if (value === null || value === undefined || depth > maxDepth) return []
  if (Array.isArray(value)) return value.flatMap((part) => fieldErrors(part, field, depth + 1))
  if (!isObject(value)) return [{ field, message: String(value) }]
  const text = value.message ?? value.detail ?? value.title
  if (typeof text === 'string')
    return fieldErrors(text, typeof value.field === 'string' ? value.field : field)
  return Object.entries(value).flatMap(([key, part]) =>
    fieldErrors(part, key === 'base' ? field : key, depth + 1),
  )
}

/** Returns one line without control characters, which could change the terminal. */
function toLine(text: string): string {
  const line = text.replace(/[\p{Cc}\s]+/gu, ' ').trim()
  return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line
}
