import { withoutBackgroundDelivery } from '../../config/background-lock.js'
import { credentialsLockPath, type Paths } from '../../config/paths.js'
import {
  type CredentialStorage,
  checkProfileName,
  profileNamed,
  readProfiles,
  type StoredIdentity,
  type StoredProfile,
  saveProfile,
} from '../../config/profiles.js'
import { TtError } from '../../lib/errors.js'
import { withLock } from '../../lib/lock.js'
import type { Api } from '../api.js'
import { createApi } from '../endpoints.js'
import { createHttp } from '../http/client.js'
import { type Company, scopes } from '../types.js'
import {
  type CredentialStore,
  type Credentials,
  openCredentialStore,
  tokenOf,
} from './credentials/credentials.js'
import { type AuthorizationFlowOptions, authorize } from './oauth/authorization-flow.js'
import { discover, type Endpoints, type OAuthClient } from './oauth/oauth-client.js'
import { assignedUser, exchangeCode, type Grant, revoke, userOf } from './oauth/token-endpoint.js'

/** The service to sign in to, and the profile that stores the sign-in. */
export interface LoginTarget {
  profile: string
  baseUrl: string
  authUrl: string
  insecureHttp: boolean
  /** A store that is known to work. */
  store: CredentialStore
  storage: CredentialStorage
  paths: Paths
  userAgent: string
  trace?: (line: string) => void
  /** Called when the token is verified, before anything is stored; throws if the account must not be used. */
  checkAccount?: (api: Api, identity: StoredIdentity | undefined) => Promise<void>
}

/** A completed sign-in. */
export interface LoginResult {
  settings: StoredProfile
  credentials: Credentials
  company: Company
  /** The user, if the service names it or an email address was typed. */
  user: string | undefined
}

/** The options of a sign-in with the browser. */
export type BrowserOptions = Pick<
  AuthorizationFlowOptions,
  'clientId' | 'scope' | 'redirectUri' | 'dialog' | 'signal'
> & { clientSecret: string | null; clock: () => Date }

/** Time limit for the user in the browser (design, section 4). */
const browserTimeoutMs = 5 * 60_000

/**
 * Signs in with the browser (design, section 4, steps 3 to 5): authorization code with PKCE. The browser shows success
 * when everything is verified and stored.
 *
 * Throws like `discover`, `authorize`, `exchangeCode` and `checkAccount`. Nothing is stored then, and received tokens are
 * revoked if the service supports that.
 */
export async function loginWithBrowser(target: LoginTarget, options: BrowserOptions): Promise<LoginResult> {
  const { clientId, clientSecret, scope, redirectUri, dialog, clock } = options
  const { authUrl, insecureHttp, userAgent, trace } = target
  const client: OAuthClient = {
    ...{ authUrl, clientId, clientSecret, insecureHttp, userAgent },
    ...(trace ? { trace } : {}),
  }
  const endpoints = await discover(client)
  const { signal, beginStoring } = cancellableUntilStoring(options.signal)
  const flow: AuthorizationFlowOptions = {
    ...{ clientId, scope, redirectUri, dialog, signal },
    authorizationEndpoint: endpoints.authorization,
    issuer: endpoints.issuer,
    supportsIss: endpoints.supportsIss,
    timeoutMs: browserTimeoutMs,
  }
  return authorize(flow, async (codeGrant) => {
    const grant = await exchangeCode(client, endpoints, codeGrant, clock())
    const credentials: Credentials = {
      ...addressesOf(target),
      method: 'oauth',
      access_token: grant.accessToken,
      refresh_token: grant.refreshToken,
      expires_at: grant.expiresAt?.toISOString() ?? null,
      scope: grant.scope ?? scope,
      client_secret: clientSecret,
    }
    try {
      const account = await verifyAccount(target, credentials, grant.user)
      const request = { client_id: clientId, scope, ...requestOf(account) }
      const settings = await storeSignIn(target, credentials, request, beginStoring)
      return { ...account, credentials, settings }
    } catch (error) {
      await revokeGrant(client, endpoints, grant)
      throw error
    }
  })
}

/**
 * Returns a signal that aborts with `source`, but not after `beginStoring`: credentials and profile are both stored, or
 * neither. `beginStoring` throws if the signal has aborted.
 */
function cancellableUntilStoring(source: AbortSignal): { signal: AbortSignal; beginStoring(): void } {
  const controller = new AbortController()
  const { signal } = controller
  const cancel = () => controller.abort()
  if (source.aborted) cancel()
  source.addEventListener('abort', cancel, { once: true })
  return {
    signal,
    beginStoring() {
      signal.throwIfAborted()
      source.removeEventListener('abort', cancel)
    },
  }
}

/** Revokes tokens that are not stored. */
async function revokeGrant(client: OAuthClient, endpoints: Endpoints, grant: Grant): Promise<void> {
  const { accessToken, refreshToken } = grant
  const [token, kind] =
    refreshToken === null ? [accessToken, 'access_token' as const] : [refreshToken, 'refresh_token' as const]
  await revoke(client, endpoints, token, kind).catch(() => {
    // The caller reports the earlier error. These tokens expire.
  })
}

/**
 * Signs in with a legacy key (service-api-v1.md section 5). Throws like `fetchKey` and `checkAccount`. Nothing is stored
 * then, and a received key is revoked if the service supports that.
 */
export async function loginWithKey(
  target: LoginTarget,
  { email, password }: { email: string; password: string },
): Promise<LoginResult> {
  const { fetchKey } = await import('./legacy-key.js')
  const key = await fetchKey({ ...target, email, password, application: 'tt' })
  const credentials: Credentials = { ...addressesOf(target), method: 'key', key }
  try {
    const account = await verifyAccount(target, credentials, email)
    return { ...account, credentials, settings: await storeSignIn(target, credentials, requestOf(account)) }
  } catch (error) {
    const { authUrl, insecureHttp, userAgent, trace } = target
    const client: OAuthClient = {
      ...{ authUrl, clientId: undefined, clientSecret: null, insecureHttp, userAgent },
      ...(trace ? { trace } : {}),
    }
    await discover(client)
      .then((endpoints) => revoke(client, endpoints, key, 'access_token'))
      .catch(() => {
        // The caller reports the earlier error. No profile stores the key.
      })
    throw error
  }
}

/** Returns the identity of the account as its profile stores it. */
function requestOf(account: Pick<LoginResult, 'company' | 'user'>): Pick<StoredProfile, 'account'> {
  const identity = identityOf(account)
  return identity ? { account: identity } : {}
}

/** The values of a sign-in that its profile stores. */
type OAuthRequest = Pick<StoredProfile, 'client_id' | 'scope' | 'account'>

const addressesOf = ({ baseUrl, authUrl }: LoginTarget) => ({ base_url: baseUrl, auth_url: authUrl })

/**
 * Stores credentials and profile, both or neither. The lock of the profile prevents other processes from refreshing or
 * removing the previous credentials at the same time; one that sends changes with them ends.
 *
 * @param begin called when the lock is held; may throw
 */
function storeSignIn(
  target: LoginTarget,
  credentials: Credentials,
  request: OAuthRequest,
  begin: () => void = () => {},
): Promise<StoredProfile> {
  const { paths, profile } = target
  const stateKey = profileNamed(readProfiles(paths), profile)?.state
  return withoutBackgroundDelivery(paths, stateKey, () =>
    withLock(credentialsLockPath(paths, profile), async () => {
      begin()
      return storeBoth(target, credentials, request)
    }),
  )
}

async function storeBoth(
  target: LoginTarget,
  credentials: Credentials,
  request: OAuthRequest,
): Promise<StoredProfile> {
  const previous = profileNamed(readProfiles(target.paths), target.profile)
  const previousCredentials = await target.store.read().catch(() => undefined)
  await target.store.write(credentials)
  try {
    const settings = await saveProfile(target.paths, target.profile, {
      base_url: target.baseUrl,
      auth_url: target.authUrl,
      method: credentials.method,
      storage: target.storage,
      ...request,
      ...(target.insecureHttp ? { insecure_http: true as const } : {}),
    })
    if (previous && previous.storage !== target.storage) await removeFromOldStore(target, previous)
    return settings
  } catch (error) {
    const { store } = target
    await (previousCredentials ? store.write(previousCredentials) : store.remove()).catch(() => {
      // The caller reports the first error. Credentials without a profile for their addresses are never used.
    })
    throw error
  }
}

/**
 * Verifies the token by requesting the company, then calls `checkAccount`. Returns the company and the user.
 *
 * @param user the user, if already known
 */
async function verifyAccount(
  target: LoginTarget,
  credentials: Credentials,
  user: string | undefined,
): Promise<Pick<LoginResult, 'company' | 'user'>> {
  const api = apiFor(target, credentials)
  const company = await api.getCompany().catch((error: unknown) => {
    if (!(error instanceof TtError) || error.status !== 404) throw error
    throw new TtError(
      'rejected',
      `The sign-in succeeded, but there is no API at ${target.baseUrl}: it has no company.`,
      {
        hint: 'The base URL should end in /api/v1.',
        nextStep: { action: 'check_sign_in', values: ['base_url'] },
        cause: error,
      },
    )
  })
  const known = user ?? userOf(company) ?? (await assignedUser(api))
  await target.checkAccount?.(api, identityOf({ company, user: known }))
  return { company, user: known }
}

/** Returns the identity of an account; undefined if the user is unknown, or has only a name, which others may have too. */
function identityOf({ company, user }: Pick<LoginResult, 'company' | 'user'>): StoredIdentity | undefined {
  if (user === undefined || !/@|^user \d+$/.test(user)) return undefined
  return { company_id: company.id, user }
}

function apiFor(target: LoginTarget, credentials: Credentials): Api {
  const token = tokenOf(credentials)
  const { baseUrl, insecureHttp, userAgent, trace } = target
  const http = createHttp({
    baseUrl,
    insecureHttp,
    userAgent,
    token: () => token,
    signInAdvice: {
      unauthenticated: {
        hint: `${baseUrl} does not know the token that ${target.authUrl} issued.`,
        nextStep: { action: 'check_sign_in', values: ['base_url', 'auth_url'] },
      },
      missingScope: (scope) => ({
        hint: `tt requires the scope ${scope}.`,
        nextStep: { action: 'request_scopes', scopes },
      }),
    },
    ...(trace ? { trace } : {}),
  })
  return createApi(http)
}

/** Removes the previous credentials from the other kind of store. */
async function removeFromOldStore({ profile, paths }: LoginTarget, previous: StoredProfile): Promise<void> {
  const store = await openCredentialStore(previous.storage, profile, paths)
  await store.remove().catch(() => {
    // A missing keychain contains nothing; a locked one contains only tokens that were replaced.
  })
}

/** Returns the default name of a profile for that address: its host, and its port unless it is the default port. */
export function profileNameFor(baseUrl: URL): string {
  const name = baseUrl.host
    .replace(':', '-')
    .replace(/[^A-Za-z0-9._-]/g, '')
    .replace(/^[^A-Za-z0-9]+/, '')
  return checkProfileName(name || 'service')
}
