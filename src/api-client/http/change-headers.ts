import type { ChangeOptions, CreateOptions } from '../api.js'
import type { RequestOptions } from './http.js'
import { percentEncode } from './request.js'
import type { HeadersLike } from './transport.js'

/** Whether a response is from a service that performs a create once for each Idempotency-Key, however late a request arrives. */
export function supportsIdempotencyKeys(headers: HeadersLike): boolean {
  return headers.get('Idempotency-Key-Supported') === '?1'
}

/** Returns the request options that send the key of a create. */
export function withKey({ key }: CreateOptions = {}): RequestOptions {
  return key === undefined ? {} : { headers: { 'Idempotency-Key': key } }
}

/**
 * Returns the options of a create whose expense date has that name. A key stands for one request body, so a body with
 * another name has another key.
 */
export function withKeyForDateField(dateName: string, { key }: CreateOptions = {}): RequestOptions {
  if (key === undefined || dateName === 'spent_on') return withKey(key === undefined ? {} : { key })
  return withKey({ key: `${key}-${percentEncode(dateName)}`.slice(0, 255) })
}

/** Whether a response is from a service that honours If-Match on changes (RFC 9110 section 13.1.1). */
export function supportsConditions(headers: HeadersLike): boolean {
  return headers.get('If-Match-Supported') === '?1'
}

/** Returns the request options that send the condition of a change. */
export function withCondition({ ifMatch }: ChangeOptions = {}): RequestOptions {
  return ifMatch === undefined ? {} : { headers: { 'If-Match': ifMatch } }
}
