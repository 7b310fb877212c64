import { InvalidResponseError, UnreachableError } from '../api/errors.js'
import { errorMessage, TtError } from '../lib/errors.js'
import { withLock } from '../lib/lock.js'
import type { CredentialStore, Credentials } from './credentials/credentials.js'
import { OAuthError } from './oauth/errors.js'
import { discover, type Grant, type OAuthClient, refresh } from './oauth/token-endpoint.js'

export interface SessionOptions {
  profile: string
  store: CredentialStore
  /** Makes the client that renews tokens, with the secret that is stored. */
  client(clientSecret: string | null): OAuthClient
  /** The lock that the processes of the profile share while one of them renews. */
  lockPath: string
  clock: () => Date
}

/** Gives out the bearer token of a profile, and renews it. */
export interface Session {
  /** The token; renewed before, when it is about to expire, unless `asItIs` is true. Throws TtError `unauthenticated` when nobody is signed in. */
  token(asItIs?: boolean): Promise<string>
  /** Another token in place of one that the service refused; undefined where it cannot be renewed. */
  refreshToken(stale: string): Promise<string | undefined>
}

type OAuthCredentials = Extract<Credentials, { method: 'oauth' }>

/** A token this close to its end is renewed first: a request takes time, and clocks differ. */
const marginMs = 60_000

/**
 * The session of a profile. However many processes find the token stale, one of them renews it: it takes the lock,
 * reads again what is stored, and asks the service only if nobody has meanwhile (RFC 9700 section 4.14: a refresh
 * token that is used twice counts as stolen). Within a process, requests at the same time wait for one renewal.
 *
 * An answer that is lost leaves everything as it is, and the same refresh token is tried once more at once. A refusal
 * deletes the dead tokens and nothing else.
 */
export function openSession(options: SessionOptions): Session {
  const { store, clock } = options
  let stored: Promise<Credentials> | undefined
  let renewing: { stale: string; outcome: Promise<string | undefined> } | undefined
  /** What this process has renewed itself: with tokens of a minute, each request would renew them otherwise. */
  let latest: string | undefined
  const read = async () => {
    const credentials = await store.read()
    if (!credentials) throw signedOut(options.profile)
    return credentials
  }

  /** Another token than the stale one; undefined where there is none to be had. */
  function renew(stale: string): Promise<string | undefined> {
    if (renewing?.stale !== stale) {
      const outcome = renewUnderLock(stale).finally(() => {
        renewing = undefined
      })
      renewing = { stale, outcome }
    }
    return renewing.outcome
  }

  async function renewUnderLock(stale: string): Promise<string | undefined> {
    const current = await withLock(options.lockPath, () => renewOnce(options, stale))
    stored = Promise.resolve(current)
    if (current.method !== 'oauth' || current.access_token === stale) return undefined
    latest = current.access_token
    return latest
  }

  return {
    async token(asItIs = false) {
      stored ??= read()
      const credentials = await stored
      if (credentials.method === 'key') return credentials.key
      if (credentials.access_token === '') throw ended(options.profile)
      const { access_token: token, refresh_token: another, expires_at: end } = credentials
      const leftMs = end === null ? Number.POSITIVE_INFINITY : Date.parse(end) - clock().getTime()
      if (asItIs || another === null || leftMs > (token === latest ? 0 : marginMs)) return token
      try {
        return (await renew(token)) ?? token
      } catch (error) {
        // What is still good for a moment may do: the service has the last word on it.
        if (error instanceof UnreachableError && leftMs > 0) return token
        throw error
      }
    },
    async refreshToken(stale) {
      stored ??= read()
      return (await stored).method === 'key' ? undefined : renew(stale)
    },
  }
}

/** Under the lock: what is stored, renewed unless somebody has done so since `stale` was read. */
async function renewOnce(options: SessionOptions, stale: string): Promise<Credentials> {
  const { store, profile } = options
  const current = await store.read()
  if (!current) throw signedOut(profile)
  if (current.method === 'key' || current.access_token !== stale) {
    if (current.method === 'oauth' && current.access_token === '') throw ended(profile)
    return current
  }
  const { refresh_token: refreshToken } = current
  if (refreshToken === null) return current
  // Proves that the store takes what will come: a refresh token may be spent as soon as it is sent.
  await store.write(current)
  const next = merged(current, await grantFor(options, current, refreshToken))
  await kept(options, next)
  return next
}

/** Asks the service, once more where the answer was lost. */
async function grantFor(
  options: SessionOptions,
  current: OAuthCredentials,
  refreshToken: string,
): Promise<Grant> {
  const client = options.client(current.client_secret)
  const endpoints = await discover(client)
  const ask = () => refresh(client, endpoints, refreshToken, options.clock())
  try {
    return await ask().catch((error: unknown) => {
      if (isLost(error)) return ask()
      throw error
    })
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    if (error.error === '' && error.status !== 401) throw inconclusive(error)
    if (error.error !== 'invalid_grant') throw error
    await options.store.write({ ...current, access_token: '', refresh_token: null, expires_at: null })
    throw ended(options.profile, error)
  }
}

/** No answer, or one of a gateway that got none. A service that answers by itself that it cannot is not pressed. */
function isLost(error: unknown): boolean {
  return error instanceof UnreachableError && [undefined, 502, 504].includes(error.status)
}

/** RFC 6749 section 6: what the answer leaves out goes on as before. */
function merged(current: OAuthCredentials, grant: Grant): OAuthCredentials {
  return {
    ...current,
    access_token: grant.accessToken,
    refresh_token: grant.refreshToken ?? current.refresh_token,
    expires_at: grant.expiresAt?.toISOString() ?? null,
    scope: grant.scope ?? current.scope,
  }
}

/**
 * What came in place of the old refresh token must not be lost. Where it cannot be kept all the same, nothing new is
 * used: many services, `tt serve` among them, take the old one again as long as its successor has not been used.
 */
async function kept({ store, profile }: SessionOptions, next: OAuthCredentials): Promise<void> {
  try {
    await store.write(next).catch(() => store.write(next))
  } catch (cause) {
    const reason = errorMessage(cause)
    const what = `The sign-in of the profile "${profile}" was renewed and could not be kept in ${store.location}.`
    throw new TtError('failure', `${what} ${reason}`, {
      hint: `Mend that and repeat the command; if it then asks for it, sign in again: tt login --profile ${profile}`,
      cause,
    })
  }
}

/** A refusal without an OAuth error code, such as the page of a proxy: the refresh token may be good. */
function inconclusive(error: OAuthError): InvalidResponseError {
  const { message, status, hint } = error
  return new InvalidResponseError(message, { status, hint, cause: error })
}

function signedOut(profile: string): TtError {
  return new TtError('unauthenticated', `The profile "${profile}" is not signed in.`, {
    hint: signInHint(profile),
  })
}

/** The refresh of a sign-in was refused: now, or by an earlier command. */
export class SignInEndedError extends TtError {}

function ended(profile: string, cause?: OAuthError): SignInEndedError {
  return new SignInEndedError('unauthenticated', `The sign-in of the profile "${profile}" has ended.`, {
    hint: signInHint(profile),
    ...(cause === undefined ? {} : { cause }),
  })
}

const signInHint = (profile: string) => `Sign in with: tt login --profile ${profile}`
