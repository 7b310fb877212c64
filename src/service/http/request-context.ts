import { isObject } from '../../lib/is-object.js'
import type { Queries } from '../storage/queries.js'
import type { ListOptions } from './list.js'
import { badRequest, HttpError, type HttpResponse } from './response.js'

/** The parts of a `Request` that the service reads. */
export interface RequestLike {
  method: string
  url: string
  headers: { get(name: string): string | null }
  text(): Promise<string>
  /** Whether `text` returns the same text again, so that the request can be handled again. */
  isRepeatable?: boolean
  /** The body as a stream, for requests without a Content-Length. */
  body?: AsyncIterable<Uint8Array> | null
}

/** Whether a request with this Accept header is that of a browser for a page. */
export const acceptsPages = (accept: string | null | undefined): boolean =>
  /\btext\/html\b/i.test(accept ?? '')

/** A number of turns for each user, so that others get their share; more callers wait in the order of their calls. */
export interface Turns {
  /**
   * Begins a turn of the user, which `end` ends. Returns undefined if it has begun, otherwise a promise that resolves when it
   * begins. Rejects with HttpError 429 when that takes too long.
   */
  begin(userId: number): Promise<void> | undefined
  /** Ends a turn of the user: the next caller begins, if there is one. */
  end(userId: number): void
}

/** A request to an endpoint, parsed. */
export interface ApiRequest {
  raw: RequestLike
  /** The public address of the request. */
  url: string
  /** The record ID at the end of the path. */
  id: string | undefined
  parameters: URLSearchParams
  /** Returns the first value of a query parameter. */
  query(name: string): string | undefined
}

/** The input of an endpoint handler: an authenticated and authorized request. */
export interface RequestContext {
  request: ApiRequest
  queries: Queries
  userId: number
  /** The time zone of the company (IANA name), if it is known already. */
  timeZone?: string | undefined
  /** Whether the user is known to see all projects; otherwise statements read the visibility of the company. */
  seesEverything: boolean
  now: Date
  /** Missing in the local workspace, where no other requests wait. */
  lists?: ListOptions | undefined
  /** Called with errors that occur while the response is being sent. */
  onError(error: unknown): void
}

export type Handler = (context: RequestContext) => Promise<HttpResponse>

/** What is known about a request, for the access log and the metrics. */
export interface RequestTrace {
  readonly id: string
  /** The authenticated user. */
  userId?: number | undefined
  /** When the request was complete, by `performance.now()`: before its body unless that has arrived. */
  receivedAtMs?: number
  /** See `RequestEnd`; undefined until the response begins. */
  responseMs?: number | undefined
}

/** The end of a request. */
export interface RequestEnd {
  method: string
  path: string
  /** The status that was sent; 499 if the client disconnected before. */
  status: number
  /** Until the last byte of the response was sent, or the connection ended. */
  durationMs: number
  /**
   * From the end of the request to the beginning of the response, or until the client disconnected before it. Undefined if the
   * request was incomplete then.
   */
  responseMs: number | undefined
  /** Whether the connection ended before the response was complete. */
  isAborted: boolean
}

/** Observes every request to a listener. */
export interface RequestObserver {
  /** Called with the X-Request-Id header of a request. */
  begin(requestId: string | undefined): RequestTrace
  end(trace: RequestTrace, end: RequestEnd): void
}

export const maxBodyBytes = 1024 * 1024

/** Reads the JSON object in the body of a request. Throws HttpError 400 if there is none, and 413 above 1 MiB. */
export async function readJsonObject(request: RequestLike): Promise<Record<string, unknown>> {
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

/** Reads the body of a request as text. Throws HttpError 413 above 1 MiB, and 400 when the client disconnects before its end. */
export async function readText(request: RequestLike): Promise<string> {
  try {
    return await receiveText(request)
  } catch (error) {
    throw error instanceof HttpError ? error : badRequest('The body is incomplete.')
  }
}

async function receiveText(request: RequestLike): Promise<string> {
  const contentLength = request.headers.get('Content-Length')
  if (contentLength !== null) {
    if (Number(contentLength) > maxBodyBytes) throw tooLarge()
    return request.text()
  }
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength
    if (size > maxBodyBytes) throw tooLarge()
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

const tooLarge = () => new HttpError(413, 'too_large', 'The body is larger than 1 MiB.')
