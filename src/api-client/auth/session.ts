import { errorMessage, TtError } from '../../lib/errors.js'
import { withLock } from '../../lib/lock.js'
import { ExpiredSignInError, InvalidResponseError, UnreachableError } from '../api-errors.js'
import type { Http } from '../http/http.js'
import type { CredentialStore, Credentials } from './credentials/credentials.js'
import type { OAuthClient } from './oauth/oauth-client.js'
import { OAuthError } from './oauth/oauth-error.js'
import type { Grant } from './oauth/token-endpoint.js'

export interface SessionOptions {
  profile: string
  store: CredentialStore
  /** Creates the OAuth client that refreshes tokens, with the stored client secret. */
  createClient(clientSecret: string | null): OAuthClient
  /** Path of the lock that a process of the profile holds during a refresh. */
  lockPath: string
  clock: () => Date
}

/** Provides the bearer token of a profile, and refreshes it. */
export interface Session {
  /**
   * Returns the token, refreshed if it is about to expire, unless `skipsRefresh` is true. Throws TtError
   * `unauthenticated` without a valid sign-in.
   */
  token(skipsRefresh?: boolean): Promise<string>
  /** Returns a new token after the service rejected this one; undefined if it cannot be refreshed. */
  refreshToken(rejected: string): Promise<string | undefined>
}

type OAuthCredentials = Extract<Credentials, { method: 'oauth' }>

/** A token that expires within this time is refreshed first: a request takes time, and clocks differ. */
const refreshMarginMs = 60_000

/**
 * Opens the session of a profile. When several processes have an expired token, one of them refreshes it: under the lock
 * it reads the stored credentials again, and sends a request only if no other process has refreshed them (RFC 9700 section
 * 4.14: a refresh token that is used twice counts as stolen). Within a process, concurrent requests share one refresh.
 *
 * When the response is lost, the credentials stay unchanged and the request is repeated once immediately. When the service
 * rejects the refresh token, only the invalid tokens are removed.
 */
export function openSession(options: SessionOptions): Session {
  const { store, profile, clock } = options
  let stored: Promise<Credentials> | undefined
  /** The token of this process's last refresh: without it, tokens that last a minute would be refreshed for each request. */
  let refreshedToken: string | undefined

  const readStored = () =>
    (stored ??= readCredentials(store, profile).catch((error: unknown) => {
      stored = undefined // The keychain may be unlocked later.
      throw error
    }))
  const refreshOnce = shareInFlight(async (rejected) => {
    const current = await withLock(options.lockPath, () => refreshStored(options, rejected))
    stored = Promise.resolve(current)
    if (current.method !== 'oauth' || current.access_token === rejected) return undefined
    refreshedToken = current.access_token
    return refreshedToken
  })

  return {
    async token(skipsRefresh = false) {
      const credentials = await readStored()
      if (credentials.method === 'key') return credentials.key
      if (credentials.access_token === '') throw signInEndedError(profile)
      const { access_token: token, refresh_token: refreshToken, expires_at: expiry } = credentials
      const remainingMs = expiry === null ? Number.POSITIVE_INFINITY : Date.parse(expiry) - clock().getTime()
      const marginMs = token === refreshedToken ? 0 : refreshMarginMs
      if (skipsRefresh || refreshToken === null || remainingMs > marginMs) return token
      try {
        return (await refreshOnce(token)) ?? token
      } catch (error) {
        // The token has not expired yet, and the service may still accept it.
        if (error instanceof UnreachableError && remainingMs > 0) return token
        throw error
      }
    },
    async refreshToken(rejected) {
      return (await readStored()).method === 'key' ? undefined : refreshOnce(rejected)
    },
  }
}

/** Returns a function that replaces a rejected token; concurrent calls for the same token share one refresh. */
function shareInFlight(
  refreshToken: (rejected: string) => Promise<string | undefined>,
): (rejected: string) => Promise<string | undefined> {
  let inFlight: { rejected: string; token: Promise<string | undefined> } | undefined
  return (rejected) => {
    if (inFlight?.rejected !== rejected) {
      const token = refreshToken(rejected).finally(() => {
        inFlight = undefined
      })
      inFlight = { rejected, token }
    }
    return inFlight.token
  }
}

async function readCredentials(store: CredentialStore, profile: string): Promise<Credentials> {
  const credentials = await store.read()
  if (!credentials) throw notSignedInError(profile)
  return credentials
}

/** Returns the stored credentials, refreshed unless another process has replaced the rejected token. Requires the lock. */
async function refreshStored(options: SessionOptions, rejected: string): Promise<Credentials> {
  const { store, profile } = options
  const current = await readCredentials(store, profile)
  if (current.method === 'key' || current.access_token !== rejected) {
    if (current.method === 'oauth' && current.access_token === '') throw signInEndedError(profile)
    return current
  }
  const { refresh_token: refreshToken } = current
  if (refreshToken === null) return current
  // Verifies that the store can be written: a refresh token may become invalid as soon as it is sent.
  await store.write(current)
  const refreshed = mergeGrant(current, await requestGrant(options, current, refreshToken))
  await storeRefreshed(options, refreshed)
  return refreshed
}

/** Sends the refresh request, and once more if the response was lost. */
async function requestGrant(
  options: SessionOptions,
  current: OAuthCredentials,
  refreshToken: string,
): Promise<Grant> {
  const { discover } = await import('./oauth/oauth-client.js')
  const { refresh } = await import('./oauth/token-endpoint.js')
  const client = options.createClient(current.client_secret)
  const endpoints = await discover(client)
  const send = () => refresh(client, endpoints, refreshToken, options.clock())
  try {
    return await send().catch((error: unknown) => {
      if (isResponseLost(error)) return send()
      throw error
    })
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    if (error.error === '' && error.status !== 401) throw invalidResponseError(error)
    if (error.error !== 'invalid_grant') throw error
    await options.store.write({ ...current, access_token: '', refresh_token: null, expires_at: null })
    throw signInEndedError(options.profile, error)
  }
}

/** Whether there was no response, or one of a gateway that received none. Errors of the service itself are not retried. */
function isResponseLost(error: unknown): boolean {
  return error instanceof UnreachableError && [undefined, 502, 504].includes(error.status)
}

/** Returns the credentials with the new grant; fields that the response omits stay unchanged (RFC 6749 section 6). */
function mergeGrant(current: OAuthCredentials, grant: Grant): OAuthCredentials {
  return {
    ...current,
    access_token: grant.accessToken,
    refresh_token: grant.refreshToken ?? current.refresh_token,
    expires_at: grant.expiresAt?.toISOString() ?? null,
    scope: grant.scope ?? current.scope,
  }
}

/**
 * Stores refreshed credentials, with a second attempt, because the sign-in ends if the refresh token is lost. If both
 * attempts fail, the new tokens are not used: many services, the one of this program among them, accept the previous
 * refresh token until the new one is used.
 */
async function storeRefreshed(
  { store, profile }: SessionOptions,
  refreshed: OAuthCredentials,
): Promise<void> {
  try {
    await store.write(refreshed).catch(() => store.write(refreshed))
  } catch (cause) {
    const reason = errorMessage(cause)
    const problem = `Cannot store the refreshed sign-in of the profile "${profile}" in ${store.location}.`
    throw new TtError('failure', `${problem} ${reason}`, {
      hint: 'Fix the problem and repeat the command.',
      nextStep: { action: 'sign_in', profile, ifInvalid: true },
      cause,
    })
  }
}

/** Returns the error for a rejection without an OAuth error code, such as the page of a proxy: the refresh token may be valid. */
function invalidResponseError(error: OAuthError): InvalidResponseError {
  const { message, status, hint, nextStep } = error
  return new InvalidResponseError(message, { status, hint, nextStep, cause: error })
}

function notSignedInError(profile: string): TtError {
  return new TtError('unauthenticated', `The profile "${profile}" is not signed in.`, {
    nextStep: { action: 'sign_in', profile },
  })
}

/** A sign-in that cannot be refreshed: the service rejected that, in this command or an earlier one, or the client ID is missing. */
export class SignInEndedError extends TtError {}

function signInEndedError(profile: string, cause?: OAuthError): SignInEndedError {
  return new SignInEndedError('unauthenticated', `The sign-in of the profile "${profile}" has ended.`, {
    nextStep: { action: 'sign_in', profile },
    ...(cause === undefined ? {} : { cause }),
  })
}

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
