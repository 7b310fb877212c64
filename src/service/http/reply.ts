import type { Scope } from '../../api/types.js'
import { isObject } from '../../lib/is-object.js'
import type { RequestLike } from './request-context.js'

/** What was wrong with each field. */
export type FieldErrors = Record<string, string[]>

/** An answer that is an error (service-api-v1.md section 7; the body is the design's, section 5). */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly errors: FieldErrors = {},
  ) {
    super(message)
  }
}

export const badRequest = (message: string) => new HttpError(400, 'bad_request', message)
export const invalidQuery = (message: string) => new HttpError(400, 'invalid_query', message)
export const notFound = (message: string) => new HttpError(404, 'not_found', message)
export const conflict = (field: string, problem: string) =>
  new HttpError(409, 'conflict', `${field} ${problem}.`, { [field]: [problem] })

/** 422, with every problem of every field in the message too. */
export function invalid(errors: FieldErrors): HttpError {
  const problems = Object.entries(errors).flatMap(([field, words]) => words.map((word) => `${field} ${word}`))
  return new HttpError(422, 'invalid', `${problems.join('; ')}.`, errors)
}

/**
 * What the service answers, before it is a Response: a caller in this process reads it as it is, because making
 * the first Request or Response loads all of Node's fetch, which takes longer than everything else together.
 */
export interface Reply {
  status: number
  headers: Record<string, string>
  body: string | AsyncIterable<string> | null
}

/** A JSON answer. `body` is JSON text already when it is a string or comes in pieces. */
export function json(
  body: string | AsyncIterable<string> | object,
  status = 200,
  headers: Record<string, string> = {},
): Reply {
  const text = typeof body === 'string' || Symbol.asyncIterator in body ? body : JSON.stringify(body)
  return {
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8', ...noStore, ...headers },
    body: text,
  }
}

export function noContent(): Reply {
  return { status: 204, headers: noStore, body: null }
}

/** The Response for a socket. A body in pieces is read as fast as the client takes it. */
export function toResponse({ body, ...init }: Reply): Response {
  return new Response(body === null || typeof body === 'string' ? body : streamOf(body), init)
}

function streamOf(pieces: AsyncIterable<string>): ReadableStream {
  const encoder = new TextEncoder()
  const iterator = pieces[Symbol.asyncIterator]()
  return new ReadableStream(
    {
      async pull(controller) {
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

export function errorReply({ status, code, message, errors }: HttpError): Reply {
  return json({ error: code, message, errors }, status)
}

/** 401 with an empty body; the challenge says whether a token was refused or none was given (RFC 6750 section 3). */
export function unauthorized(tokenGiven: boolean): Reply {
  const challenge = tokenGiven ? 'Bearer realm="tt", error="invalid_token"' : 'Bearer realm="tt"'
  return { status: 401, headers: { 'WWW-Authenticate': challenge, ...noStore }, body: null }
}

/** 403 exactly as documented (service-api-v1.md section 7), with the challenge of RFC 6750 section 3. */
export function insufficientScope(scope: Scope): Reply {
  const challenge = `Bearer realm="tt", error="insufficient_scope", scope="${scope}"`
  return json({ error: 'insufficient_scope' }, 403, { 'WWW-Authenticate': challenge })
}

/** 405 for a path that exists (RFC 9110 section 15.5.6). */
export function methodNotAllowed(method: string, allowed: readonly string[]): Reply {
  const Allow = allowed.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name])).join(', ')
  const message = `${method} is not possible here; ${Allow} is.`
  return json({ error: 'method_not_allowed', message, errors: {} }, 405, { Allow })
}

/** The bearer token of the Authorization header (RFC 6750 section 2.1). */
export function bearerToken(header: string | null): string | undefined {
  return /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i.exec(header ?? '')?.[1]
}

const largestBody = 1024 * 1024

/** The JSON object that the request carries. Throws HttpError 400 where it is none, 413 where it is over 1 MiB. */
export async function readObject(request: RequestLike): Promise<Record<string, unknown>> {
  const text = await readText(request)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw badRequest('The body is not JSON.')
  }
  if (!isObject(value)) throw badRequest('The body is not a JSON object.')
  return value
}

/** The body of a request. Throws HttpError 413 where it is over 1 MiB. */
export async function readText(request: RequestLike): Promise<string> {
  const announced = request.headers.get('Content-Length')
  if (announced !== null) {
    if (Number(announced) > largestBody) throw tooLarge()
    return request.text()
  }
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength
    if (size > largestBody) throw tooLarge()
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

const tooLarge = () => new HttpError(413, 'too_large', 'The body is over 1 MiB.')
const noStore = { 'Cache-Control': 'no-store' }
