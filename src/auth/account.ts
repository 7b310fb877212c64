import { UnreachableError } from '../api/errors.js'
import type { HttpOptions } from '../api/http.js'
import { scopes } from '../api/types.js'
import { credentialsLockPath, type Paths } from '../config/paths.js'
import type { StoredAccount } from '../config/profile.js'
import { removeProfile, type StoredProfile } from '../config/profiles.js'
import { withLock } from '../lib/lock.js'
import type { CredentialStore, Credentials } from './credentials/credentials.js'
import { openCredentialStore } from './credentials/open-store.js'
import type { OAuthClient } from './oauth/token-endpoint.js'
import { openSession } from './session.js'

export interface AccountOptions {
  paths: Paths
  clock: () => Date
  userAgent: string
  trace?: (line: string) => void
  /** Somebody is there who can unlock the keychain. */
  isAttended: boolean
  /** How long one request to the authorization server may take. */
  timeoutMs?: number
}

/** A stored profile with its secrets. */
export interface Account {
  profile: StoredAccount
  store: CredentialStore
  /** How its service is reached. */
  connection: Pick<HttpOptions, 'baseUrl' | 'token' | 'refreshToken' | 'hints' | 'insecureHttp'>
  /** What is stored; undefined when nobody is signed in. */
  credentials(): Promise<Credentials | undefined>
  /**
   * Has the service forget the tokens, where it offers that, then forgets the profile here. Whatever happens on the
   * way to the service, the secrets are gone from this machine afterwards.
   */
  signOut(): Promise<SignOutResult>
}

/** What became of the secrets at the service. */
export interface SignOutResult {
  isRevoked: boolean
  /** What stays valid there, because it cannot be revoked from here. */
  remaining?: 'tokens' | 'key'
  /** Why the tokens were not revoked. */
  error?: unknown
  /** The request was sent and its outcome is unknown: the tokens may be revoked. */
  isOutcomeUnknown?: true
}

export async function openAccount(profile: StoredAccount, options: AccountOptions): Promise<Account> {
  const { name, settings } = profile
  const { paths, clock, isAttended } = options
  const store = boundTo(settings, await openCredentialStore(settings.storage, name, paths, { isAttended }))
  const client = (clientSecret: string | null): OAuthClient => ({
    authUrl: settings.auth_url,
    clientId: settings.client_id ?? '',
    clientSecret,
    ...(settings.insecure_http ? { insecureHttp: true } : {}),
    userAgent: options.userAgent,
    ...(options.trace ? { trace: options.trace } : {}),
    ...(options.timeoutMs ? { timeoutMs: options.timeoutMs } : {}),
  })
  const lockPath = credentialsLockPath(paths, name)
  const session = openSession({ profile: name, store, client, lockPath, clock })
  return {
    profile,
    store,
    connection: {
      baseUrl: profile.baseUrl,
      token: session.token,
      refreshToken: session.refreshToken,
      hints: {
        unauthenticated: `Sign in again: tt login --profile ${name}`,
        missing: () =>
          `Sign in again for both scopes: tt login --profile ${name} --scope "${scopes.join(' ')}"`,
      },
      insecureHttp: settings.insecure_http === true,
    },
    credentials: () => store.read(),
    // A renewal that is under way elsewhere would otherwise put back what is removed here.
    signOut: () =>
      withLock(lockPath, async () => {
        const outcome = await revokeAll(store, client)
        await store.remove()
        await removeProfile(paths, name)
        return outcome
      }),
  }
}

/** The store, in which secrets that were given for other addresses count as nothing. */
function boundTo(settings: StoredProfile, store: CredentialStore): CredentialStore {
  return {
    ...store,
    async read() {
      const found = await store.read()
      const { base_url: base = settings.base_url, auth_url: auth = settings.auth_url } = found ?? {}
      return base === settings.base_url && auth === settings.auth_url ? found : undefined
    },
  }
}

/** RFC 7009: with the refresh token the service revokes what was issued with it; a lone access token dies by itself. */
async function revokeAll(
  store: CredentialStore,
  client: (clientSecret: string | null) => OAuthClient,
): Promise<SignOutResult> {
  let isSent = false
  try {
    const credentials = await store.read()
    if (!credentials) return { isRevoked: false }
    if (credentials.method === 'key') return { isRevoked: false, remaining: 'key' }
    const { access_token: access, refresh_token: refresh, client_secret: secret } = credentials
    const token = refresh ?? access
    if (token === '') return { isRevoked: false }
    const { discover, revoke } = await import('./oauth/token-endpoint.js')
    const server = client(secret)
    const endpoints = await discover(server)
    isSent = true
    const isRevoked = await revoke(
      server,
      endpoints,
      token,
      refresh === null ? 'access_token' : 'refresh_token',
    )
    return isRevoked ? { isRevoked } : { isRevoked, remaining: 'tokens' }
  } catch (error) {
    const isOutcomeUnknown = isSent && error instanceof UnreachableError && !error.isUnsent
    return { isRevoked: false, error, ...(isOutcomeUnknown ? { isOutcomeUnknown } : {}) }
  }
}
