import { TtError } from '../../lib/errors.js'
import { UnreachableError } from '../api-errors.js'
import { createHttp } from '../http/client.js'
import type { CredentialStore, Credentials } from './credentials/credentials.js'
import type { OAuthClient } from './oauth/oauth-client.js'

/** The state of the credentials at the service after a sign-out. */
export interface Revocation {
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

export interface RevocationOptions {
  baseUrl: string
  insecureHttp: boolean
  /** Creates the client that obtained tokens. Throws TtError if the profile names none. */
  createClient(clientSecret: string | null): OAuthClient
  /** The client of a key: no application obtained it, and the key itself suffices to revoke it. */
  keyClient: OAuthClient
}

/** Revokes stored credentials, which are those of a sign-in of this program. Does not throw: the result contains the error. */
export async function revokeCredentials(
  store: CredentialStore,
  options: RevocationOptions,
): Promise<Revocation> {
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
  const { discover } = await import('./oauth/discovery.js')
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
