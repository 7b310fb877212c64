import { TtError } from '../../lib/errors.js'
import { ExpiredSignInError } from '../api-errors.js'
import type { Http } from '../http/http.js'
import { OAuthError } from './oauth/oauth-error.js'
import { SignInEndedError } from './session.js'

/**
 * Returns the Http for a command that can queue its changes. It throws ExpiredSignInError when the service rejects the
 * token and the token cannot be refreshed.
 *
 * @param profile returns the profile that must sign in; undefined for the current one
 */
export function withExpiredSignIn(http: Http, profile: () => string | undefined): Http {
  const toExpired = (error: unknown): never => {
    if (!isExpired(error)) throw error
    throw new ExpiredSignInError(profile(), { status: error.status, cause: error })
  }
  return {
    request: (method, path, options) => http.request(method, path, options).catch(toExpired),
    list: (path, options) => http.list(path, options).catch(toExpired),
  }
}

function isExpired(error: unknown): error is TtError {
  if (error instanceof SignInEndedError || error instanceof OAuthError) return true
  return error instanceof TtError && error.code === 'unauthenticated' && error.status === 401
}
