import { type ErrorCode, TtError, type TtErrorDetails } from '../lib/errors.js'
import type { Id } from './types.js'

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

/**
 * Whether the service failed while it processed the request: 500 or 501, without a time to retry. Unlike 502, 503 and
 * 504, this may concern only this request, such as a filter by an unknown column.
 */
export function isServerFault(error: unknown): error is UnreachableError {
  if (!(error instanceof UnreachableError) || error.retryAfterMs !== undefined) return false
  return error.status === 500 || error.status === 501
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

/** Returns the error for an expense that is not in an incomplete list; `reason` is why the list is incomplete. */
export function incompleteListError(id: Id, reason: string): InvalidResponseError {
  const message = `Cannot tell whether expense ${id} exists: the list is incomplete (${reason}).`
  return new InvalidResponseError(message, { hint: 'Repeat the command later.' })
}
