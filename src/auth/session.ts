import { UnreachableError } from '../api/failures.js'
import { TtError } from '../errors.js'
import { locked } from '../lock.js'
import type { CredentialStore, Credentials } from './credentials.js'
import { discover, type Grant, type OAuthClient, refresh } from './oauth.js'
import { OAuthRefusal } from './oauth-refusals.js'

export interface SessionOptions {
  profile: string
  store: CredentialStore
  /** Makes the client that renews tokens, with the secret that is stored. */
  client(clientSecret: string | null): OAuthClient
  /** The lock that the processes of the profile share while one of them renews. */
  lockPath: string
  clock: () => Date
  /** Told what the user should know although the command goes on. */
  warn(text: string): void
}

/** Gives out the bearer token of a profile, and renews it. */
export interface Session {
  /** The token; renewed before, when it is about to expire. Throws TtError `unauthenticated` when nobody is signed in. */
  token(): Promise<string>
  /** Another token in place of one that the service refused; undefined where it cannot be renewed. */
  renewed(stale: string): Promise<string | undefined>
}

type OAuthCredentials = Extract<Credentials, { method: 'oauth' }>

/** A token this close to its end is renewed first: a request takes time, and clocks differ. */
const marginMs = 60_000

/**
 * The session of a profile. However many processes find the token stale, one of them renews it: it takes the lock,
 * reads again what is stored, and asks the service only if nobody has meanwhile (RFC 9700 section 4.14: a refresh
 * token that is used twice counts as stolen).
 *
 * An answer that is lost leaves everything as it is, and the same refresh token is tried once more at once. A refusal
 * deletes the dead tokens and nothing else.
 */
export function openSession(options: SessionOptions): Session {
  const { store, clock } = options
  let stored: Promise<Credentials> | undefined
  const read = async () => {
    const credentials = await store.read()
    if (!credentials) throw signedOut(options.profile)
    return credentials
  }

  async function renew(stale: string): Promise<string | undefined> {
    const current = await locked(options.lockPath, () => renewOnce(options, stale))
    stored = Promise.resolve(current)
    return current.method === 'oauth' && current.access_token !== stale ? current.access_token : undefined
  }

  return {
    async token() {
      stored ??= read()
      const credentials = await stored
      if (credentials.method === 'key') return credentials.key
      if (credentials.access_token === '') throw signedOut(options.profile)
      const { access_token: token, refresh_token: another, expires_at: end } = credentials
      const leftMs = end === null ? Number.POSITIVE_INFINITY : Date.parse(end) - clock().getTime()
      if (leftMs > marginMs || another === null) return token
      try {
        return (await renew(token)) ?? token
      } catch (error) {
        // What is still good for a moment may do: the service has the last word on it.
        if (error instanceof UnreachableError && leftMs > 0) return token
        throw error
      }
    },
    async renewed(stale) {
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
    if (current.method === 'oauth' && current.access_token === '') throw signedOut(profile)
    return current
  }
  const { refresh_token: refreshToken } = current
  if (refreshToken === null) return current
  const next = merged(current, await grantFor(options, current, refreshToken))
  await kept(options, next)
  return next
}

/** Asks the service, once more where no answer came. */
async function grantFor(
  options: SessionOptions,
  current: OAuthCredentials,
  refreshToken: string,
): Promise<Grant> {
  const client = options.client(current.client_secret)
  const ask = async () => refresh(client, await discover(client), refreshToken, options.clock())
  try {
    return await ask().catch((error: unknown) => {
      if (error instanceof UnreachableError) return ask()
      throw error
    })
  } catch (error) {
    if (!(error instanceof OAuthRefusal) || error.error !== 'invalid_grant') throw error
    await options.store.write({ ...current, access_token: '', refresh_token: null, expires_at: null })
    throw signedOut(options.profile, error)
  }
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

/** The service may already count the old refresh token as spent: what came in its place must not be lost. */
async function kept({ store, warn, profile }: SessionOptions, next: OAuthCredentials): Promise<void> {
  try {
    await store.write(next).catch(() => store.write(next))
  } catch (error) {
    warn(
      `The renewed sign-in could not be kept in ${store.where}: the next command may ask for \`tt login --profile ${profile}\`.`,
    )
    throw error
  }
}

function signedOut(profile: string, cause?: unknown): TtError {
  const what = cause
    ? `The sign-in of the profile "${profile}" has ended.`
    : `The profile "${profile}" is not signed in.`
  return new TtError('unauthenticated', what, {
    hint: `Sign in with: tt login --profile ${profile}`,
    ...(cause === undefined ? {} : { cause }),
  })
}
