import type { Scope } from '../../api-client/types.js'
import { TtError } from '../../lib/errors.js'
import { DatabaseUnavailableError } from '../storage/unavailable.js'
import { nextTurn } from './turns.js'

/**
 * A response as plain data. Callers in this process read it directly, because the first `Response` loads all of Node's
 * fetch, which takes longer than everything else together.
 */
export interface HttpResponse {
  status: number
  headers: Record<string, string>
  /** Text, in pieces if it is long, or records. */
  body: string | AsyncIterable<string> | RecordBatches | null
}

/**
 * The records of a list in batches: all of a short list in one, or read while they are sent. A caller in this process
 * receives the records themselves; a socket receives a JSON array with one record per line, so that a client can parse
 * it line by line while it arrives.
 */
export class RecordBatches {
  constructor(readonly batches: readonly object[][] | AsyncIterable<object[]>) {}

  /** Returns the JSON text of a short list, and of others in pieces. */
  text(): string | AsyncIterable<string> {
    const { batches } = this
    return Symbol.asyncIterator in batches ? textPieces(batches) : `[${toLines(batches.flat())}]`
  }
}

async function* textPieces(batches: AsyncIterable<object[]>): AsyncGenerator<string> {
  let opening = '['
  for await (const records of batches) {
    yield `${opening}${toLines(records)}`
    opening = ',\n'
  }
  yield opening === '[' ? '[]' : ']'
}

/** Returns records, which contain no objects, as JSON. In a text, a quote follows a backslash. */
function toLines(records: readonly object[]): string {
  return JSON.stringify(records).slice(1, -1).replaceAll('},{"', '},\n{"')
}

/** Returns a JSON response with an object, or with the records of a list. */
export function jsonResponse(body: object, status = 200, headers: Record<string, string> = {}): HttpResponse {
  return {
    status,
    headers: { ...jsonHeaders, ...headers },
    body: body instanceof RecordBatches ? body : JSON.stringify(body),
  }
}

export function noContentResponse(): HttpResponse {
  return { status: 204, headers: noStore, body: null }
}

/** Returns the response for a socket. It reads a streamed body as fast as the client does. */
export function toFetchResponse({ status, headers, body }: HttpResponse): Response {
  const text = body instanceof RecordBatches ? body.text() : body
  return new Response(text === null || typeof text === 'string' ? text : toReadableStream(text), {
    status,
    headers: toSocketHeaders(headers),
  })
}

/** Adds the headers of all responses over a socket. */
export function toSocketHeaders(headers: Record<string, string>): Record<string, string> {
  return { ...headers, 'X-Content-Type-Options': 'nosniff' }
}

function toReadableStream(chunks: AsyncIterable<string>): ReadableStream {
  const encoder = new TextEncoder()
  const iterator = chunks[Symbol.asyncIterator]()
  return new ReadableStream(
    {
      async pull(controller) {
        await nextTurn()
        const { done, value } = await iterator.next()
        if (done) controller.close()
        else controller.enqueue(encoder.encode(value))
      },
      async cancel() {
        await iterator.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}

export function errorResponse({ status, code, message, errors, headers }: HttpError): HttpResponse {
  return jsonResponse({ error: code, message, errors }, status, headers)
}

/** Returns 401 with an empty body; the challenge says whether the request had a token (RFC 6750 section 3). */
export function unauthorizedResponse(hasToken: boolean): HttpResponse {
  const challenge = hasToken ? 'Bearer realm="tt", error="invalid_token"' : 'Bearer realm="tt"'
  return { status: 401, headers: { 'WWW-Authenticate': challenge, ...noStore }, body: null }
}

/** Returns 403 as documented (service-api-v1.md section 7), with the challenge of RFC 6750 section 3. */
export function insufficientScopeResponse(scope: Scope): HttpResponse {
  const challenge = `Bearer realm="tt", error="insufficient_scope", scope="${scope}"`
  return jsonResponse({ error: 'insufficient_scope' }, 403, { 'WWW-Authenticate': challenge })
}

/** Returns 405 for a path that exists (RFC 9110 section 15.5.6). */
export function methodNotAllowedResponse(method: string, allowed: readonly string[]): HttpResponse {
  const Allow = allowed.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name])).join(', ')
  const message = `This address does not allow ${method}; it allows ${Allow}.`
  return jsonResponse({ error: 'method_not_allowed', message, errors: {} }, 405, { Allow })
}

const noStore = { 'Cache-Control': 'no-store' }
const jsonHeaders = { 'Content-Type': 'application/json; charset=utf-8', ...noStore }

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
