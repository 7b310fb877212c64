import { type ErrorCode, TtError } from '../lib/errors.js'
import type { ChangeOptions } from './api.js'
import { InvalidResponseError, markSent, UnreachableError } from './api-errors.js'
import { findObject } from './decode/shapes.js'
import type { Http, HttpResponse } from './http/http.js'
import { percentEncode, withCondition } from './http/request.js'
import type { Id } from './types.js'

/**
 * Reads the record in the response to a create. Throws InvalidResponseError with the 2xx status when it is not there:
 * whatever fails now, no error may claim that the service rejected the create or that it was never sent.
 *
 * @param kind names the record in the singular
 */
export async function readCreated<Created>(
  response: HttpResponse,
  kind: string,
  read: (record: Record<string, unknown>) => Created | Promise<Created>,
): Promise<Created> {
  const record = findObject(response.value)
  let cause: unknown
  try {
    if (record?.id !== undefined) return await afterChange(read(record))
  } catch (error) {
    if (!(error instanceof TtError) || !inconclusiveCodes.has(error.code)) throw error
    cause = error
  }
  const problem = response.value === undefined ? 'is empty' : `is not a valid ${kind}`
  throw new InvalidResponseError(
    `The service accepted the ${kind}, but its response ${problem}. The ${kind} may exist.`,
    { status: response.status, hint: 'Check whether it exists before you send it again.', cause },
  )
}

/** Error codes of a request for the created record that leave open whether the record exists. */
const inconclusiveCodes: ReadonlySet<ErrorCode> = new Set([
  'rejected',
  'not_found',
  'unauthenticated',
  'insufficient_scope',
])

/**
 * Resolves like a request that follows an accepted change. When it fails, the error is marked as sent: the change was. A
 * response that says nothing about the change becomes an InvalidResponseError.
 */
export async function afterChange<Result>(request: Result | Promise<Result>): Promise<Result> {
  try {
    return await request
  } catch (error) {
    if (error instanceof UnreachableError) throw markSent(error)
    const isInconclusive = error instanceof TtError && inconclusiveCodes.has(error.code)
    if (!isInconclusive || error instanceof InvalidResponseError) throw error
    const { message, status } = error
    throw new InvalidResponseError(`The change was accepted, but its record cannot be read. ${message}`, {
      ...{ status, cause: error },
    })
  }
}

/** Sends the changed fields of a record. */
export const sendChange = (http: Http, path: string, body: object, options?: ChangeOptions) =>
  http.request('PATCH', path, { body, ...withCondition(options) })

/**
 * Sends a DELETE, which succeeds with 2xx and an empty or JSON body. An invalid body is thrown here, where the circuit
 * breaker does not count it: the next requests of the command are still sent.
 */
export async function deleteRecord(http: Http, path: string, options?: ChangeOptions): Promise<void> {
  const { invalidBodyError } = await http.request('DELETE', path, {
    acceptsInvalidBody: true,
    ...withCondition(options),
  })
  if (invalidBodyError) throw invalidBodyError
}

/**
 * Returns the path of one record of a list. Throws TtError `not_found` for an ID that would make it the path of the list:
 * no record has such an ID.
 */
export function recordPath(list: string, id: Id): string {
  const text = String(id)
  if (['', '.', '..'].includes(text)) throw new TtError('not_found', `No record has the ID "${text}".`)
  return `${list}/${percentEncode(text)}`
}
