import { InvalidResponseError, type RejectedError, UnreachableError } from '../../api-client/api-errors.js'
import type { QueuedChange, Rejection } from '../queued-change.js'
import { ListedRecordError, NotDeletedError } from './delivery-errors.js'

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
