import type { HonoRequest } from 'hono'
import type { Reply } from './http.js'
import type { Storage } from './storage.js'

/** What the handler of an endpoint is given: a request whose token and scope are checked, and whose it is. */
export interface Call {
  request: HonoRequest
  storage: Storage
  userId: number
  now: Date
  /** Told of what goes wrong once the answer is on its way. */
  onError(error: unknown): void
}

export type Handler = (call: Call) => Promise<Reply>
