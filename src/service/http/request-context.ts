import type { Queries } from '../storage/queries.js'
import type { HttpResponse } from './response.js'

/** The parts of a Request that the service reads. */
export interface RequestLike {
  method: string
  url: string
  headers: { get(name: string): string | null }
  text(): Promise<string>
  /** Read piece by piece where the headers do not tell its length. */
  body?: AsyncIterable<Uint8Array> | null
}

/** A request to an endpoint, taken apart. */
export interface ApiRequest {
  raw: RequestLike
  url: string
  /** The number at the end of the path. */
  id: string | undefined
  /** The first value of a parameter of the query. */
  query(name: string): string | undefined
}

/** What the handler of an endpoint is given: a request whose token and scope are checked, and whose it is. */
export interface RequestContext {
  request: ApiRequest
  queries: Queries
  userId: number
  now: Date
  /** Told of what goes wrong once the answer is on its way. */
  onError(error: unknown): void
}

export type Handler = (call: RequestContext) => Promise<HttpResponse>
