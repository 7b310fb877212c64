import { TtError } from '../../lib/errors.js'
import { DatabaseUnavailableError } from '../storage/unavailable.js'

/** The problems of each field of a request body, by field name. */
export type FieldErrors = Record<string, string[]>

/** An error response (service-api-v1.md section 7). */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly errors: FieldErrors = {},
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
  }
}

export const badRequest = (message: string) => new HttpError(400, 'bad_request', message)
export const invalidQuery = (message: string) => new HttpError(400, 'invalid_query', message)
export const notFound = (message: string) => new HttpError(404, 'not_found', message)
export const conflict = (field: string, problem: string) =>
  new HttpError(409, 'conflict', `${field} ${problem}.`, { [field]: [problem] })

/** When clients may try again after a failure that should be over soon, in seconds. */
const retryAfterSeconds = 2

/** Returns the response to a user with too many requests in progress. */
export function tooManyRequests(): HttpError {
  const message = 'You have too many requests in progress. Send the request again.'
  return new HttpError(429, 'too_many_requests', message, {}, { 'Retry-After': String(retryAfterSeconds) })
}

/** Returns the response to a server error that has no other one. It contains no message of the database and no path. */
export function serverError(error: unknown): HttpError {
  if (error instanceof DatabaseUnavailableError) {
    const message = 'The service is temporarily unavailable. Send the request again.'
    return new HttpError(503, 'unavailable', message, {}, { 'Retry-After': String(retryAfterSeconds) })
  }
  if (isDiskFull(error))
    return new HttpError(507, 'internal', 'The service cannot store anything: its disk is full.')
  return new HttpError(500, 'internal', 'The service failed.')
}

function isDiskFull(error: unknown): boolean {
  if (!(error instanceof TtError)) return false
  const { message, cause } = error
  return /disk is full/i.test(`${message} ${cause instanceof Error ? cause.message : ''}`)
}

/** Returns the error 422, whose message lists the problems of all fields. */
export function invalidFields(errors: FieldErrors): HttpError {
  const problems = Object.entries(errors).flatMap(([field, messages]) =>
    messages.map((message) => `${field} ${message}`),
  )
  return new HttpError(422, 'invalid', `${problems.join('; ')}.`, errors)
}
