import { displayUrl, readBaseUrl } from '../../api/base-url.js'
import { describeBody, isJson } from '../../api/error-body.js'
import { InvalidResponseError, networkError, statusError } from '../../api/errors.js'
import { withTimeout } from '../../api/timeout.js'
import { withTrace } from '../../api/trace.js'
import { type BufferedResponse, bufferResponse, networkTransport } from '../../api/transport.js'
import { TtError } from '../../lib/errors.js'
import { userOf } from '../account-user.js'
import { oauthError, withoutSecrets } from './errors.js'

export interface OAuthClient {
  /** {auth_url} of service-api-v1.md section 1. */
  authUrl: string
  clientId: string
  /** null: the client is a public one. */
  clientSecret: string | null
  insecureHttp?: boolean
  userAgent: string
  /** Told method, path, status and milliseconds of each exchange, for --debug. */
  trace?(line: string): void
  /** How long one exchange may take; 10,000 where not given. */
  timeoutMs?: number
}

export interface Grant {
  accessToken: string
  /** null where the answer has none: one that was there before goes on. */
  refreshToken: string | null
  /** null where the service does not say. */
  expiresAt: Date | null
  /** What was granted, separated by spaces; null means what was asked for (RFC 6749 section 5.1). */
  scope: string | null
  /** Who granted it, where the response names the user. */
  user?: string
}

/** Addresses of an authorization server. */
export interface Endpoints {
  authorization: string
  token: string
  /** undefined: tokens cannot be revoked. Without metadata, the path where it usually is. */
  revocation: string | undefined
  /** undefined: the server has no metadata, and says nothing of who it is. */
  issuer: string | undefined
  /** Every answer in the browser names the issuer (RFC 9207 section 3): one that does not is somebody else's. */
  supportsIss: boolean
}

/**
 * Finds the endpoints: those of the server's metadata (RFC 8414) where it offers any, otherwise those of
 * service-api-v1.md section 5. Metadata that names another issuer than the one asked, or an endpoint of another
 * origin, is not used (RFC 8414 section 3.3; RFC 9700 section 4.4): it could send secrets to somebody else.
 *
 * Throws TtError `unreachable` without an answer, `rejected` when the server says that it does not take PKCE by S256.
 */
export async function discover(client: OAuthClient): Promise<Endpoints> {
  const base = readBaseUrl(client.authUrl, client.insecureHttp)
  const path = base.pathname === '/' ? '' : base.pathname
  const answer = await exchange(client, `${base.origin}/.well-known/oauth-authorization-server${path}`, 'GET')
  if ([429, 502, 503, 504].includes(answer.status)) throw unable(client, answer)
  return (answer.status === 200 && endpointsIn(answer.text, base)) || documented(base)
}

/** Redeems an authorization code (RFC 6749 section 4.1.3, RFC 7636 section 4.5). `now` is when the grant begins. */
export function exchangeCode(
  client: OAuthClient,
  endpoints: Endpoints,
  answer: { code: string; redirectUri: string; verifier: string },
  now: Date,
): Promise<Grant> {
  const { code, redirectUri, verifier } = answer
  return requestGrant(
    client,
    endpoints,
    { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier },
    now,
  )
}

/**
 * Asks for another access token (RFC 6749 section 6).
 *
 * Throws UnreachableError when there is no answer, or none that counts (429, 5xx): the same refresh token may be tried
 * again. Throws OAuthRefusal `invalid_grant` when the refresh token is dead.
 */
export function refresh(
  client: OAuthClient,
  endpoints: Endpoints,
  refreshToken: string,
  now: Date,
): Promise<Grant> {
  return requestGrant(client, endpoints, { grant_type: 'refresh_token', refresh_token: refreshToken }, now)
}

/**
 * Revokes a token (RFC 7009 section 2.1). Returns whether the server did: false, and nothing is sent, where its metadata
 * names no endpoint; false as well where there is no metadata and the usual path is none of the server's (404, or a page
 * instead of an empty body or JSON). Throws like `refresh`.
 */
export async function revoke(
  client: OAuthClient,
  { revocation, issuer }: Endpoints,
  token: string,
  hint: 'access_token' | 'refresh_token',
): Promise<boolean> {
  if (revocation === undefined) return false
  const form = { token, token_type_hint: hint, ...identity(client) }
  const answer = await exchange(client, revocation, 'POST', form)
  const { status, text } = answer
  const isUnknownPath = status === 404 || (status === 200 && text.trim() !== '' && !isJson(text))
  if (issuer === undefined && isUnknownPath) return false
  if (status !== 200) throw failure(client, answer, form)
  return true
}

async function requestGrant(
  client: OAuthClient,
  { token }: Endpoints,
  parameters: Record<string, string>,
  now: Date,
): Promise<Grant> {
  const form = { ...parameters, ...identity(client) }
  const answer = await exchange(client, token, 'POST', form)
  if (answer.status < 200 || answer.status > 299) throw failure(client, answer, form)
  return grantIn(client, answer, form, now)
}

/** Client id and secret go in the form, as service-api-v1.md section 5 shows. */
function identity({ clientId, clientSecret }: OAuthClient): Record<string, string> {
  return { client_id: clientId, ...(clientSecret === null ? {} : { client_secret: clientSecret }) }
}

/** One exchange within its time. A redirect is an answer like any other: nothing secret goes on to where it points. */
async function exchange(
  client: OAuthClient,
  url: string,
  method: 'GET' | 'POST',
  form?: Record<string, string>,
): Promise<BufferedResponse> {
  const timeoutMs = client.timeoutMs ?? 10_000
  const headers = {
    accept: 'application/json',
    'user-agent': client.userAgent,
    ...(form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
  }
  const body = form && new URLSearchParams(form).toString()
  const send = withTrace(networkTransport(client.insecureHttp), client.trace)
  return withTimeout(timeoutMs, async (signal) =>
    bufferResponse(await send(url, { method, headers, body, signal })),
  ).catch((error) => {
    throw networkError(error, new URL(url).origin)
  })
}

function failure(client: OAuthClient, answer: BufferedResponse, sent: Record<string, string>): TtError {
  const text = withoutSecrets(answer.text, sent)
  if (answer.status === 429 || answer.status >= 500) return unable(client, { ...answer, text })
  return oauthError(client.authUrl, { ...answer, text })
}

function unable({ authUrl }: OAuthClient, answer: BufferedResponse): TtError {
  return statusError({ method: 'POST', path: '', service: authUrl }, answer)
}

function grantIn(
  { authUrl }: OAuthClient,
  { status, text }: BufferedResponse,
  sent: Record<string, string>,
  now: Date,
): Grant {
  const answer = objectIn(text)
  if (!answer) {
    const came = describeBody(withoutSecrets(text, sent))
    throw nonsense(authUrl, `answered the sign-in with ${came} instead of JSON`, status)
  }
  const { access_token: accessToken, token_type: type, scope } = answer
  const user = userOf(answer)
  if (typeof accessToken !== 'string' || !/^[\x21-\x7e]+$/.test(accessToken)) {
    throw nonsense(authUrl, 'answered the sign-in without an access token', status)
  }
  // service-api-v1.md does not show a token_type, so it may be missing.
  if (type !== undefined && !(typeof type === 'string' && /^bearer$/i.test(type))) {
    throw nonsense(authUrl, 'gave a token that is not a bearer token', status)
  }
  return {
    accessToken,
    refreshToken: textOrNull(answer.refresh_token),
    expiresAt: expiry(answer.expires_in, now),
    scope: textOrNull(scope),
    ...(user === undefined ? {} : { user }),
  }
}

function nonsense(authUrl: string, what: string, status: number): TtError {
  return new InvalidResponseError(`The service at ${authUrl} ${what}.`, {
    status,
    hint: 'Check the address for signing in (--auth-url): by default it is that of the service without its path.',
  })
}

function expiry(seconds: unknown, now: Date): Date | null {
  const lasts = typeof seconds === 'string' ? Number(seconds) : seconds
  return typeof lasts === 'number' && lasts > 0 && lasts < 1e10
    ? new Date(now.getTime() + lasts * 1000)
    : null
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

/** The endpoints that metadata names, if it can be trusted. */
function endpointsIn(text: string, base: URL): Endpoints | undefined {
  const metadata = objectIn(text)
  const issuer = metadata?.issuer
  if (!metadata || typeof issuer !== 'string' || issuer.replace(/\/$/, '') !== displayUrl(base))
    return undefined
  const own = (address: unknown) =>
    typeof address === 'string' && URL.canParse(address) && new URL(address).origin === base.origin
      ? address
      : undefined
  const authorization = own(metadata.authorization_endpoint)
  const token = own(metadata.token_endpoint)
  if (authorization === undefined || token === undefined) return undefined
  const methods = metadata.code_challenge_methods_supported
  if (Array.isArray(methods) && !methods.includes('S256')) {
    throw new TtError('rejected', `The service at ${displayUrl(base)} does not offer PKCE with S256.`, {
      hint: 'tt does not sign in without it. Ask whoever runs the service.',
    })
  }
  return {
    authorization,
    token,
    revocation: own(metadata.revocation_endpoint),
    issuer,
    supportsIss: metadata.authorization_response_iss_parameter_supported === true,
  }
}

function documented(base: URL): Endpoints {
  const root = displayUrl(base)
  return {
    authorization: `${root}/oauth/authorize`,
    token: `${root}/oauth/token`,
    // Not in the document; Doorkeeper, for one, has it there.
    revocation: `${root}/oauth/revoke`,
    issuer: undefined,
    supportsIss: false,
  }
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined // HTML, mostly: whoever asked says what came.
  }
}
