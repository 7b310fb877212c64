import type { InvalidResponseError } from '../api-errors.js'
import type { SignInAdvice } from './status-errors.js'
import type { Fetch, HeadersLike } from './transport.js'

export interface HttpOptions {
  /** The API root, ending in /api/v1 (service-api-v1.md section 1). */
  baseUrl: string
  /** Returns the bearer token of a request; with `skipsRefresh` even a token that is about to expire. */
  token(skipsRefresh?: boolean): Promise<string> | string
  /**
   * Returns another token after a 401, with which the request is sent once more; undefined if there is none. A request
   * with status 401 had no effect, whatever its method.
   */
  refreshToken?(rejected: string): Promise<string | undefined>
  /** The default is for a token that belongs to no profile. */
  signInAdvice?: SignInAdvice
  /** Replaces the network: a service in this process. */
  fetch?: Fetch
  /**
   * Time limit of one request, including redirects and body, and of each pause of a streamed body, in milliseconds. The
   * default is 10,000 over the network, and no limit with `fetch`.
   */
  timeoutMs?: number
  userAgent: string
  /** Receives method, path, status and milliseconds of each exchange; never the token, never a body. */
  trace?(line: string): void
  /** Called when a request begins; calls `end` on the result when it is complete. For a progress indicator. */
  withProgress?(): { end(): void }
  /** Receives the headers of each 2xx response. */
  onResponse?(headers: HeadersLike): void
  /** Returns the batches of each list unchanged and counts their records. */
  countItems?: ProgressCounter
  /** Allows `http:` to other machines. */
  insecureHttp?: boolean
}

export type ProgressCounter = <Item>(batches: AsyncIterable<Item[]>) => AsyncIterable<Item[]>

export interface RequestOptions {
  query?: Record<string, string | undefined>
  /** Sent as JSON. */
  body?: unknown
  /** A media type that is preferred to JSON. */
  accept?: string
  /** Additional headers; they do not replace those of every request. */
  headers?: Record<string, string>
  /** Returns a 2xx response whose body is not JSON with `invalidBodyError`, instead of throwing that error. */
  acceptsInvalidBody?: boolean
  /** Time limit of this request in milliseconds, instead of `HttpOptions.timeoutMs`. */
  timeoutMs?: number
  /** Refreshes the token only after a 401: a refresh sends a request to another server, with its own time limit. */
  skipsRefresh?: boolean
  /** Whether the service may not support the request: then 500 or 501 says nothing about its other responses. */
  isTentative?: boolean
}

export interface HttpResponse {
  status: number
  headers: HeadersLike
  /** The parsed JSON; undefined if the body is empty or invalid. */
  value: unknown
  /** Why the body is invalid; only with `acceptsInvalidBody`. */
  invalidBodyError?: InvalidResponseError
  /** The final address, after redirects. */
  url: URL
}

interface ListRequest extends Pick<RequestOptions, 'query' | 'timeoutMs' | 'skipsRefresh' | 'isTentative'> {
  /** Finds the elements in JSON other than an array; undefined stands for an empty body. Throws if there are none. */
  unwrap(value: unknown): unknown[]
  /** A form of the list that is preferred to JSON records. */
  compact?: CompactList
}

/** A form of a list: a JSON array with a media type of its own, whose elements have fewer fields than the records. */
export interface CompactList {
  mediaType: string
  /** Decodes an element. Throws InvalidResponseError. */
  read(element: unknown): unknown
}

export interface ListResponse extends Omit<HttpResponse, 'value'> {
  /** The elements of the list in batches, as they arrive; can be read once. Throws like `request`, at any batch. */
  batches: AsyncIterable<unknown[]>
  /** Whether the response has the compact form: the elements are decoded. */
  isCompact?: boolean
}

export interface Http {
  /**
   * Sends one request and returns a response that is 2xx and JSON or empty.
   *
   * `path` is relative to the base URL, or an absolute address of the same origin. Throws TtError:
   * - `unreachable` (UnreachableError) without a response and for 408, 425, 429 and 5xx
   * - `unauthenticated` for 401, `insufficient_scope` for 403
   * - `not_found` for 404 and `rejected` for any other 4xx (RejectedError)
   * - `rejected` (InvalidResponseError) for an invalid redirect, for a 2xx response that is not JSON, and for a 403 or 404
   *   that is neither empty nor JSON
   * - `usage` for an invalid request
   */
  request(method: string, path: string, options?: RequestOptions): Promise<HttpResponse>
  /** Requests (GET) a list and streams it: it is never in memory as a whole. Throws like `request`. */
  list(path: string, options: ListRequest): Promise<ListResponse>
}
