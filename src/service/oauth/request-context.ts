import type { HttpResponse } from '../http/response.js'
import type { Storage } from '../storage/storage.js'

/** What an endpoint of signing in is given. */
export interface OAuthRequestContext {
  request: Request
  url: URL
  storage: Storage
  /** The origin under which the service is reached, and its name as an authorization server (RFC 8414 section 2). */
  issuer: string
  /** The caller's network address, for counting attempts. */
  address: string
  now: number
}

export type OAuthHandler = (call: OAuthRequestContext) => Promise<HttpResponse>
