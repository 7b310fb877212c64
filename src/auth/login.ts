import type { Api } from '../api/api.js'
import { createApi } from '../api/endpoints.js'
import { createHttp } from '../api/http.js'
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

/** Where somebody signs in, and under which profile that is kept. */
export interface LoginTarget {
  profile: string
  baseUrl: string
  authUrl: string
  insecureHttp: boolean
  /** Proved already. */
  store: CredentialStore
  storage: 'keychain' | 'file'
  paths: Paths
  userAgent: string
  trace?: (line: string) => void
  /** Has the last word when the token is proved and nothing is kept yet: it throws where it must not be. */
  checkAccount?: (api: Api) => Promise<void>
}

/** What came of it. */
export interface LoginResult {
  settings: StoredProfile
  credentials: Credentials
  company: Company
  /** Who signed in, where the service names the user or an email address was typed. */
  user: string | undefined
}

export type BrowserOptions = Pick<
  AuthorizationFlowOptions,
  'clientId' | 'scope' | 'redirectUri' | 'openBrowser' | 'promptForUrl' | 'print' | 'signal'
> & { clientSecret: string | null; clock: () => Date }

/** How long somebody may take in the browser (design, section 4). */
const patienceMs = 5 * 60_000

/**
 * Signs in with the browser (design, section 4, steps 3 to 5): authorization code with PKCE. The browser is shown
 * success when everything is verified and stored.
 *
 * Throws what `discover`, `signIn`, `exchangeCode` and `approve` throw; nothing is stored then, and tokens that came already are
 * revoked where the service offers that.
 */
export async function loginWithBrowser(target: LoginTarget, options: BrowserOptions): Promise<LoginResult> {
  const { clientId, clientSecret, scope, clock, ...asking } = options
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
    ...asking,
    clientId,
    scope,
    authorizationEndpoint: endpoints.authorization,
    issuer: endpoints.issuer,
    supportsIss: endpoints.supportsIss,
    timeoutMs: patienceMs,
  }
  // From the moment that something is kept, Ctrl-C comes too late: both halves are kept, or neither.
  const waiting = new AbortController()
  let settling = false
  const giveUp = () => !settling && waiting.abort()
  if (options.signal.aborted) giveUp()
  options.signal.addEventListener('abort', giveUp, { once: true })
  return authorize({ ...request, signal: waiting.signal }, async (answer) => {
    const grant = await exchangeCode(client, endpoints, answer, clock())
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
      const settings = await keep(target, credentials, { client_id: clientId, scope }, () => {
        waiting.signal.throwIfAborted()
        settling = true
      })
      return { ...account, credentials, settings }
    } catch (error) {
      await discard(client, endpoints, grant)
      throw error
    }
  })
}

/** Has the service forget what nobody will use. */
async function discard(client: OAuthClient, endpoints: Endpoints, grant: Grant): Promise<void> {
  const { accessToken, refreshToken } = grant
  const [token, kind] =
    refreshToken === null ? [accessToken, 'access_token' as const] : [refreshToken, 'refresh_token' as const]
  await revoke(client, endpoints, token, kind).catch(() => {
    // What went wrong before is what is told. These tokens end by themselves.
  })
}

/**
 * Signs in with a legacy key (service-api-v1.md section 5). Throws what `fetchKey` and `approve` throw; nothing is
 * stored then.
 */
export async function loginWithKey(
  target: LoginTarget,
  { email, password }: { email: string; password: string },
): Promise<LoginResult> {
  const { fetchKey } = await import('./legacy-key.js')
  const key = await fetchKey({ ...target, email, password, application: 'tt' })
  const credentials: Credentials = { ...addressesOf(target), method: 'key', key }
  const account = await accountFor(target, credentials, email)
  return { ...account, credentials, settings: await keep(target, credentials, {}) }
}

const addressesOf = ({ baseUrl, authUrl }: LoginTarget) => ({ base_url: baseUrl, auth_url: authUrl })

/**
 * Keeps secrets and profile, both or neither, while no other process renews or removes those that were there.
 * `begin` is called when their turn has come, and may throw.
 */
function keep(
  target: LoginTarget,
  credentials: Credentials,
  more: { client_id?: string; scope?: string },
  begin: () => void = () => {},
): Promise<StoredProfile> {
  return withLock(credentialsLockPath(target.paths, target.profile), async () => {
    begin()
    return keepBoth(target, credentials, more)
  })
}

async function keepBoth(
  target: LoginTarget,
  credentials: Credentials,
  more: { client_id?: string; scope?: string },
): Promise<StoredProfile> {
  const before = profileNamed(readProfiles(target.paths), target.profile)
  const replaced = await target.store.read().catch(() => undefined)
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
    if (before && before.storage !== target.storage) await forgetElsewhere(target, before)
    return settings
  } catch (error) {
    await (replaced ? target.store.write(replaced) : target.store.remove()).catch(() => {
      // What went wrong first is what is told. Secrets without a profile of their addresses are never used.
    })
    throw error
  }
}

/** Proves the token by reading the company, and has it approved. `user` is who signed in, where that is known. */
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
      `The sign-in worked, but there is no API at ${target.baseUrl}: it has no company.`,
      {
        hint: 'Check the address of the service (--base-url): it should end in /api/v1.',
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
    hints: {
      unauthenticated: `Check both addresses: ${baseUrl} (--base-url) does not know the token that ${target.authUrl} (--auth-url) gave.`,
      missing: (scope) => `Ask for it too: --scope "${scopes.join(' ')}". tt cannot work without ${scope}.`,
    },
    ...(trace ? { trace } : {}),
  })
  return createApi(http)
}

/** The secrets have moved: what is left in the other place would be forgotten there. */
async function forgetElsewhere({ profile, paths }: LoginTarget, before: StoredProfile): Promise<void> {
  const other = await openCredentialStore(before.storage, profile, paths)
  await other.remove().catch(() => {
    // A keychain that is gone has nothing left to forget; one that is locked keeps tokens that were replaced.
  })
}

/** The name of a profile for that address, where none is given: its host, and its port unless it is the usual one. */
export function profileNameFor(baseUrl: URL): string {
  const name = baseUrl.host
    .replace(':', '-')
    .replace(/[^A-Za-z0-9._-]/g, '')
    .replace(/^[^A-Za-z0-9]+/, '')
  return checkProfileName(name || 'service')
}
