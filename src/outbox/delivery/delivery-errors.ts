import {
  baseUrlHint,
  ExpiredSignInError,
  InvalidResponseError,
  isInconclusive,
  RejectedError,
} from '../../api-client/api-errors.js'
import type { RecordKind } from '../../api-client/types.js'
import { TtError } from '../../lib/errors.js'

/** Thrown when the response to a deletion was invalid and the service still has the record. */
export class NotDeletedError extends InvalidResponseError {
  constructor(cause: InvalidResponseError) {
    super(`The record was not deleted. ${cause.message}`, { status: cause.status, cause })
  }
}

/** Thrown when the service responds 404 to a change of a record that it lists. */
export class ListedRecordError extends InvalidResponseError {
  constructor(cause: TtError) {
    super(`${cause.message} But the service lists the record.`, { status: cause.status, cause })
  }
}

/** Thrown when one record cannot be read before it is changed: the change stays pending, and others are sent. */
export class UnreadableError extends Error {
  override readonly cause: TtError

  constructor(cause: TtError) {
    super(cause.message)
    this.cause = cause
  }
}

/**
 * Thrown when neither a change nor the list of its collection gets a response of the API. The changes of that kind stay
 * pending.
 */
export class NotApiError extends InvalidResponseError {
  readonly kind: RecordKind

  /**
   * @param cause the error of the change
   * @param list the error of the list
   */
  constructor(kind: RecordKind, cause: TtError, list: TtError) {
    const reason = list === cause ? '' : ` ${list.message}`
    super(`${cause.message} This is not the API.${reason}`, {
      ...{ status: cause.status, cause, hint: baseUrlHint },
    })
    this.kind = kind
  }
}

/** Thrown when another process has modified or removed a change since it was read. */
export class SupersededError extends Error {}

/** Whether an error stops the delivery of all changes: an inconclusive response, or a token that is not accepted. */
export function stopsDelivery(error: unknown): boolean {
  return isInconclusive(error) || isUnauthorized(error) || isProxyRejection(error)
}

/** Whether a proxy requires credentials (407): the response is about no record. */
export function isProxyRejection(error: unknown): boolean {
  return error instanceof RejectedError && error.status === 407
}

/** Whether the service does not accept the token or its scope. False for an expired sign-in, whose changes are saved. */
export function isUnauthorized(error: unknown): boolean {
  if (!(error instanceof TtError) || error instanceof ExpiredSignInError) return false
  return error.code === 'unauthenticated' || error.code === 'insufficient_scope'
}

/** Whether the service does not have the record. */
export function isNotFound(error: unknown): error is TtError {
  return error instanceof TtError && error.code === 'not_found'
}
