import {
  baseUrlHint,
  ExpiredSignInError,
  InvalidResponseError,
  isInconclusive,
  RejectedError,
  UnreachableError,
} from '../../api-client/api-errors.js'
import type { RecordKind } from '../../api-client/types.js'
import { TtError } from '../../lib/errors.js'
import type { QueuedChange, Rejection } from '../queued-change.js'

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

/** Upper bound for requests of a change that the service fails on (500), or that a firewall blocks. */
const maxFailures = 15

/** Returns the rejection of a change from the error of its request. */
export function rejectionOf(error: RejectedError): Rejection {
  const { status } = error
  return { message: error.reason || error.message, ...(status === undefined ? {} : { status }) }
}

/** Whether the service may have rejected a change because it leaves an entry without an end. */
export function isOpenEntryRejection({ kind, op, fields }: QueuedChange, error: RejectedError): boolean {
  if (kind !== 'entry' || !mayConcernEnd(error)) return false
  return op === 'update' ? fields.time_end === null : (fields.time_end ?? null) === null
}

/** Whether a rejection names the end of the entry, or no field. */
export function mayConcernEnd({ fields, status }: RejectedError): boolean {
  if (status !== 400 && status !== 422) return false
  return fields.length === 0 || fields.some((name) => /end/i.test(name))
}

/** Whether an error is about one change, although its outcome is unknown: changes after it could be delivered. */
export function isFailureOfOneChange(error: unknown): error is UnreachableError | InvalidResponseError {
  const isFailure = error instanceof UnreachableError && error.status === 500
  return (
    isFailure || isBlocked(error) || error instanceof NotDeletedError || error instanceof ListedRecordError
  )
}

/**
 * Returns the rejection of a change that has failed too often, so that it does not block the changes after it forever;
 * undefined if it is sent again.
 */
export function repeatedFailure(
  { attempts }: QueuedChange,
  error: UnreachableError | InvalidResponseError,
): Rejection | undefined {
  if (attempts < maxFailures) return undefined
  const subject = isBlocked(error) ? 'The request was blocked' : 'The service has failed on it'
  return { message: `${subject} ${attempts} times. ${error.message}`, status: error.status ?? 500 }
}

/** Whether a firewall may have blocked a request because of its content. */
function isBlocked(error: unknown): boolean {
  return error instanceof InvalidResponseError && error.status === 403
}
