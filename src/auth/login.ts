import type { Api } from '../api/api.js'
import { createApi } from '../api/endpoints.js'
import { createHttp } from '../api/http/client.js'
import { type Company, scopes } from '../api/types.js'
import { credentialsLockPath, type Paths } from '../config/paths.js'
import {
  checkProfileName,
  profileNamed,
  readProfiles,
  type StoredProfile,
  saveProfile,
} from '../config/profiles.js'
import { TtError } from '../lib/errors.js'
import { withLock } from '../lib/lock.js'
import { assignedUser, userOf } from './account-user.js'
import type { CredentialStore, Credentials } from './credentials/credentials.js'
import { openCredentialStore } from './credentials/open-store.js'
import { type AuthorizationFlowOptions, authorize } from './oauth/authorization-flow.js'
import {
  discover,
  type Endpoints,
  exchangeCode,
  type Grant,
  type OAuthClient,
  revoke,
} from './oauth/token-endpoint.js'

/** The service to sign in to, and the profile that stores the sign-in. */
export interface LoginTarget {
  profile: string
  baseUrl: string
  authUrl: string
  insecureHttp: boolean
  /** Already verified. */
  store: CredentialStore
  storage: 'keychain' | 'file'
  paths: Paths
  userAgent: string
  trace?: (line: string) => void
  /** Called when the token is verified, before anything is stored; throws if the account must not be used. */
  checkAccount?: (api: Api) => Promise<void>
}

/** A completed sign-in. */
export interface LoginResult {
  settings: StoredProfile
  credentials: Credentials
  company: Company
  /** The user, if the service names it or an email address was typed. */
  user: string | undefined
}

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
  const { clientId, clientSecret, scope, clock, ...interaction } = options
  const client: OAuthClient = {
    authUrl: target.authUrl,
    clientId,
    clientSecret,
    insecureHttp: target.insecureHttp,
    userAgent: target.userAgent,
    ...(target.trace ? { trace: target.trace } : {}),
  }
  const endpoints = await discover(client)
  const request: AuthorizationFlowOptions = {
    ...interaction,
    clientId,
    scope,
    authorizationEndpoint: endpoints.authorization,
    issuer: endpoints.issuer,
    supportsIss: endpoints.supportsIss,
    timeoutMs: browserTimeoutMs,
  }
  // Once storing begins, Ctrl-C has no effect: credentials and profile are both stored, or neither.
  const cancellation = new AbortController()
  let isStoring = false
  const cancel = () => !isStoring && cancellation.abort()
  if (options.signal.aborted) cancel()
  options.signal.addEventListener('abort', cancel, { once: true })
  return authorize({ ...request, signal: cancellation.signal }, async (codeGrant) => {
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
      const account = await accountFor(target, credentials, grant.user)
      const settings = await storeSignIn(target, credentials, { client_id: clientId, scope }, () => {
        cancellation.signal.throwIfAborted()
        isStoring = true
      })
      return { ...account, credentials, settings }
    } catch (error) {
      await revokeGrant(client, endpoints, grant)
      throw error
    }
  })
}

/** Revokes tokens that are not used. */
async function revokeGrant(client: OAuthClient, endpoints: Endpoints, grant: Grant): Promise<void> {
  const { accessToken, refreshToken } = grant
  const [token, kind] =
    refreshToken === null ? [accessToken, 'access_token' as const] : [refreshToken, 'refresh_token' as const]
  await revoke(client, endpoints, token, kind).catch(() => {
    // The earlier error is reported. These tokens expire.
  })
}

/**
 * Signs in with a legacy key (service-api-v1.md section 5). Throws like `fetchKey` and `checkAccount`; nothing is stored
 * then.
 */
export async function loginWithKey(
  target: LoginTarget,
  { email, password }: { email: string; password: string },
): Promise<LoginResult> {
  const { fetchKey } = await import('./legacy-key.js')
  const key = await fetchKey({ ...target, email, password, application: 'tt' })
  const credentials: Credentials = { ...addressesOf(target), method: 'key', key }
  const account = await accountFor(target, credentials, email)
  return { ...account, credentials, settings: await storeSignIn(target, credentials, {}) }
}

const addressesOf = ({ baseUrl, authUrl }: LoginTarget) => ({ base_url: baseUrl, auth_url: authUrl })

/**
 * Stores credentials and profile, both or neither, under the lock of the profile: no other process refreshes or removes
 * the previous ones then. Calls `begin`, which may throw, when the lock is held.
 */
function storeSignIn(
  target: LoginTarget,
  credentials: Credentials,
  more: { client_id?: string; scope?: string },
  begin: () => void = () => {},
): Promise<StoredProfile> {
  return withLock(credentialsLockPath(target.paths, target.profile), async () => {
    begin()
    return storeBoth(target, credentials, more)
  })
}

async function storeBoth(
  target: LoginTarget,
  credentials: Credentials,
  more: { client_id?: string; scope?: string },
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
      ...more,
      ...(target.insecureHttp ? { insecure_http: true as const } : {}),
    })
    if (previous && previous.storage !== target.storage) await removeFromOldStore(target, previous)
    return settings
  } catch (error) {
    const { store } = target
    await (previousCredentials ? store.write(previousCredentials) : store.remove()).catch(() => {
      // The first error is reported. Credentials without a profile for their addresses are never used.
    })
    throw error
  }
}

/** Verifies the token by requesting the company, then calls `checkAccount`. `user` is the user, if already known. */
async function accountFor(
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
  await target.checkAccount?.(api)
  return { company, user: user ?? userOf(company) ?? (await assignedUser(api)) }
}

function apiFor(target: LoginTarget, credentials: Credentials): Api {
  const token = credentials.method === 'key' ? credentials.key : credentials.access_token
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
