import { credentialsLockPath, type Paths } from '../../config/paths.js'
import type { StoredAccount } from '../../config/profile.js'
import { removeProfile, type StoredProfile } from '../../config/profiles.js'
import { TtError } from '../../lib/errors.js'
import { withLock } from '../../lib/lock.js'
import { UnreachableError } from '../api-errors.js'
import { createHttp } from '../http/client.js'
import type { HttpOptions } from '../http/http.js'
import { scopes } from '../types.js'
import { type CredentialStore, type Credentials, openCredentialStore } from './credentials/credentials.js'
import type { OAuthClient } from './oauth/oauth-client.js'
import { openSession, SignInEndedError } from './session.js'

export interface AccountOptions {
  paths: Paths
  clock: () => Date
  userAgent: string
  trace?: (line: string) => void
  /** Whether a user can unlock the keychain. */
  isAttended: boolean
  /** Time limit of one request to the authorization server. */
  timeoutMs?: number
}

/** A stored profile with its credentials. */
export interface Account {
  profile: StoredAccount
  store: CredentialStore
  /** Options for requests to the service of the profile. */
  connection: Pick<HttpOptions, 'baseUrl' | 'token' | 'refreshToken' | 'signInAdvice' | 'insecureHttp'>
  /** Reads the stored credentials; undefined when there is no sign-in. */
  credentials(): Promise<Credentials | undefined>
  /**
   * Revokes the tokens or the key if the service supports that, then removes the profile. The credentials are removed from this
   * machine even when the service cannot be reached.
   */
  signOut(): Promise<Revocation>
}

/** Opens the account of a stored profile. Throws TtError when its credential store cannot be opened. */
export async function openAccount(profile: StoredAccount, options: AccountOptions): Promise<Account> {
  const { name, settings } = profile
  const { paths, clock, isAttended } = options
  const store = bindToAddresses(
    await openCredentialStore(settings.storage, name, paths, { isAttended }),
    settings,
  )
  const { auth_url: authUrl, client_id: clientId, insecure_http: insecureHttp = false } = settings
  const keyClient: OAuthClient = {
    ...{ authUrl, clientId: undefined, clientSecret: null, insecureHttp, userAgent: options.userAgent },
    ...(options.trace ? { trace: options.trace } : {}),
    ...(options.timeoutMs ? { timeoutMs: options.timeoutMs } : {}),
  }
  const createClient = (clientSecret: string | null): OAuthClient => {
    if (!clientId) throw missingClientIdError(name)
    return { ...keyClient, clientId, clientSecret }
  }
  const lockPath = credentialsLockPath(paths, name)
  const session = openSession({ profile: name, store, createClient, lockPath, clock })
  return {
    profile,
    store,
    connection: {
      baseUrl: profile.baseUrl,
      token: session.token,
      refreshToken: session.refreshToken,
      signInAdvice: {
        unauthenticated: { nextStep: { action: 'sign_in', profile: name } },
        missingScope: () => ({ nextStep: { action: 'request_scopes', profile: name, scopes } }),
      },
      insecureHttp,
    },
    credentials: () => store.read(),
    // Under the lock, no refresh in another process can restore the credentials that are removed here.
    signOut: () =>
      withLock(lockPath, async () => {
        const { baseUrl } = profile
        const result = await revokeCredentials(store, { baseUrl, insecureHttp, createClient, keyClient })
        await store.remove()
        await removeProfile(paths, name)
        return result
      }),
  }
}

/** Returns the error for a profile that was edited by hand. */
function missingClientIdError(profile: string): SignInEndedError {
  return new SignInEndedError('unauthenticated', `The profile "${profile}" has no client ID.`, {
    nextStep: { action: 'sign_in', profile },
  })
}

/** Returns the store with a `read` that ignores credentials for other addresses than those of the profile. */
function bindToAddresses(store: CredentialStore, settings: StoredProfile): CredentialStore {
  return {
    ...store,
    async read() {
      const credentials = await store.read()
      const { base_url: base = settings.base_url, auth_url: auth = settings.auth_url } = credentials ?? {}
      return base === settings.base_url && auth === settings.auth_url ? credentials : undefined
    },
  }
}

/** The state of the credentials at the service after a sign-out. */
interface Revocation {
  isRevoked: boolean
  /** The credentials are a legacy key. */
  isKey?: true
  /** The secrets stay valid, because the service does not let this program revoke them. */
  isRemaining?: true
  /** Why nothing was revoked. */
  error?: unknown
  /** The request was sent and its outcome is unknown: the secrets may be revoked. */
  isOutcomeUnknown?: true
}

interface RevocationOptions {
  baseUrl: string
  insecureHttp: boolean
  /** Creates the client that obtained tokens. Throws TtError if the profile names none. */
  createClient(clientSecret: string | null): OAuthClient
  /** The client of a key: no application obtained it, and the key itself suffices to revoke it. */
  keyClient: OAuthClient
}

/** Revokes stored credentials, which are those of a sign-in of this program. Does not throw: the result contains the error. */
async function revokeCredentials(store: CredentialStore, options: RevocationOptions): Promise<Revocation> {
  const progress: Progress = { isSent: false }
  let credentials: Credentials | undefined
  try {
    credentials = await store.read()
    if (!credentials) return { isRevoked: false }
    return credentials.method === 'key'
      ? await revokeKey(credentials.key, options, progress)
      : await revokeTokens(credentials, options, progress)
  } catch (error) {
    const isOutcomeUnknown = progress.isSent && error instanceof UnreachableError && !error.isUnsent
    return {
      isRevoked: false,
      ...(credentials?.method === 'key' ? { isKey: true } : {}),
      error,
      ...(isOutcomeUnknown ? { isOutcomeUnknown } : {}),
    }
  }
}

/** Whether a request to revoke was sent. */
interface Progress {
  isSent: boolean
}

/**
 * Revokes the tokens (RFC 7009): revoking the refresh token revokes the tokens that were issued with it. Without a
 * refresh token, revokes the access token.
 */
async function revokeTokens(
  credentials: Extract<Credentials, { method: 'oauth' }>,
  { createClient }: RevocationOptions,
  progress: Progress,
): Promise<Revocation> {
  const { access_token: access, refresh_token: refresh, client_secret: secret } = credentials
  const token = refresh ?? access
  if (token === '') return { isRevoked: false }
  const client = createClient(secret)
  const isRevoked = await send(client, token, refresh === null ? 'access_token' : 'refresh_token', progress)
  return isRevoked ? { isRevoked } : { isRevoked, isRemaining: true }
}

/**
 * Revokes a legacy key at the same endpoint, and then requests the company with it: a service that does not revoke keys
 * responds to an unknown token as if it had revoked it (RFC 7009 section 2.2).
 */
async function revokeKey(key: string, options: RevocationOptions, progress: Progress): Promise<Revocation> {
  const isKey = true
  const remains: Revocation = { isRevoked: false, isKey, isRemaining: true }
  try {
    if (!(await send(options.keyClient, key, 'access_token', progress))) return remains
  } catch (error) {
    // The service accepts tokens only from their applications (RFC 7009 section 2.1).
    if (error instanceof TtError && isRejection(error)) return remains
    throw error
  }
  return (await isAccepted(key, options)) ? remains : { isRevoked: true, isKey }
}

const isRejection = ({ status = 0 }: TtError) => status >= 400 && status < 500 && status !== 429

async function send(
  client: OAuthClient,
  token: string,
  kind: 'access_token' | 'refresh_token',
  progress: Progress,
): Promise<boolean> {
  const { discover } = await import('./oauth/oauth-client.js')
  const { revoke } = await import('./oauth/token-endpoint.js')
  const endpoints = await discover(client)
  progress.isSent = true
  return revoke(client, endpoints, token, kind)
}

/** Whether the API accepts the key. Throws like `Http.request`, except for 401. */
async function isAccepted(
  key: string,
  { baseUrl, insecureHttp, keyClient }: RevocationOptions,
): Promise<boolean> {
  const { userAgent, trace, timeoutMs } = keyClient
  const http = createHttp({
    ...{ baseUrl, insecureHttp, userAgent, token: () => key },
    ...(trace ? { trace } : {}),
    ...(timeoutMs ? { timeoutMs } : {}),
  })
  try {
    await http.request('GET', '/companies')
    return true
  } catch (error) {
    if (error instanceof TtError && error.status === 401) return false
    throw error
  }
}
