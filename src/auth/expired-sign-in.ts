import { ExpiredSignInError } from '../api/errors.js'
import type { Http } from '../api/http.js'
import { TtError } from '../lib/errors.js'
import { OAuthRefusal } from './oauth/errors.js'
import { EndedSignInError } from './session.js'

/**
 * The same Http for a command that can queue its changes: throws ExpiredSignInError where the service refuses the token
 * and no other can be had, or where the refresh was refused.
 *
 * @param login returns the command that signs in again
 */
export function queueingWhenExpired(http: Http, login: () => string): Http {
  const toExpired = (error: unknown): never => {
    if (!isExpired(error)) throw error
    throw new ExpiredSignInError(login(), { status: error.status, cause: error })
  }
  return {
    request: (method, path, options) => http.request(method, path, options).catch(toExpired),
    list: (path, options) => http.list(path, options).catch(toExpired),
  }
}

function isExpired(error: unknown): error is TtError {
  if (error instanceof EndedSignInError || error instanceof OAuthRefusal) return true
  return error instanceof TtError && error.code === 'unauthenticated' && error.status === 401
}
