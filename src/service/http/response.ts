import type { Scope } from '../../api-client/types.js'
import type { HttpError } from './http-error.js'
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
