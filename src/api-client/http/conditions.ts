import type { ChangeOptions } from '../api.js'
import type { RequestOptions } from './http.js'
import type { HeadersLike } from './transport.js'

/** Whether a response is from a service that honours If-Match on changes (RFC 9110 section 13.1.1). */
export function supportsConditions(headers: HeadersLike): boolean {
  return headers.get('If-Match-Supported') === '?1'
}

/** Returns the request options that send the condition of a change. */
export function withCondition({ ifMatch }: ChangeOptions = {}): RequestOptions {
  return ifMatch === undefined ? {} : { headers: { 'If-Match': ifMatch } }
}
