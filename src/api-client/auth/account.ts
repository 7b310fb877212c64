import { credentialsLockPath, type Paths } from '../../config/paths.js'
import type { StoredAccount } from '../../config/profile.js'
import { removeProfile, type StoredProfile } from '../../config/profiles.js'
import { withLock } from '../../lib/lock.js'
import type { HttpOptions } from '../http/http.js'
import { scopes } from '../types.js'
import type { CredentialStore, Credentials } from './credentials/credentials.js'
import { openCredentialStore } from './credentials/open-store.js'
import type { OAuthClient } from './oauth/oauth-client.js'
import { type Revocation, revokeCredentials } from './revocation.js'
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
