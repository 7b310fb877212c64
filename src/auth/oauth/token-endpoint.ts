import { InvalidResponseError } from '../../api-client/api-errors.js'
import { displayUrl, readBaseUrl } from '../../api-client/http/base-url.js'
import { describeBody, isJson } from '../../api-client/http/error-body.js'
import { networkError } from '../../api-client/http/network-errors.js'
import { statusError } from '../../api-client/http/status-errors.js'
import { withTimeout } from '../../api-client/http/timeout.js'
import { withTrace } from '../../api-client/http/trace.js'
import { type BufferedResponse, bufferResponse, networkTransport } from '../../api-client/http/transport.js'
import { TtError } from '../../lib/errors.js'
import { isObject } from '../../lib/is-object.js'
import { userOf } from '../account-user.js'
import { oauthError, withoutSecrets } from './oauth-error.js'

/** An application at an authorization server. */
export interface OAuthClient {
  /** {auth_url} of service-api-v1.md section 1. */
  authUrl: string
  clientId: string
  /** null for a public client. */
  clientSecret: string | null
  insecureHttp?: boolean
  userAgent: string
  /** Receives method, path, status and milliseconds of each request. */
  trace?(line: string): void
  /** Time limit of one request in milliseconds; 10,000 by default. */
  timeoutMs?: number
}

/** The content of a successful token response. */
export interface Grant {
  accessToken: string
  /** null if the response has none: a previous one stays valid. */
  refreshToken: string | null
  /** null if unknown. */
  expiresAt: Date | null
  /** The granted scopes, separated by spaces; null means the requested ones (RFC 6749 section 5.1). */
  scope: string | null
  /** The user, if the response names it. */
  user?: string
}

/** Addresses of an authorization server. */
export interface Endpoints {
  authorization: string
  token: string
  /** undefined if tokens cannot be revoked. Without metadata, the usual path. */
  revocation: string | undefined
  /** undefined if the server has no metadata. */
  issuer: string | undefined
  /** Every authorization response names the issuer (RFC 9207 section 3); one without it is from another server. */
  supportsIss: boolean
}

/**
 * Finds the endpoints: those in the server's metadata (RFC 8414) if it has any, otherwise those of service-api-v1.md
 * section 5. Metadata with another issuer or with an endpoint of another origin is ignored (RFC 8414 section 3.3; RFC 9700
 * section 4.4): it could send secrets to another server.
 *
 * Throws TtError `unreachable` without a response, `rejected` when the server does not support PKCE with S256.
 */
export async function discover(client: OAuthClient): Promise<Endpoints> {
  const base = readBaseUrl(client.authUrl, client.insecureHttp)
  const path = base.pathname === '/' ? '' : base.pathname
  const response = await sendRequest(
    client,
    `${base.origin}/.well-known/oauth-authorization-server${path}`,
    'GET',
  )
  if ([429, 502, 503, 504].includes(response.status)) throw unavailableError(client, response)
  return (response.status === 200 && endpointsFromMetadata(response.text, base)) || documentedEndpoints(base)
}

/** Redeems an authorization code (RFC 6749 section 4.1.3, RFC 7636 section 4.5). `now` is the start of its lifetime. */
export function exchangeCode(
  client: OAuthClient,
  endpoints: Endpoints,
  codeGrant: { code: string; redirectUri: string; verifier: string },
  now: Date,
): Promise<Grant> {
  const { code, redirectUri, verifier } = codeGrant
  return requestGrant(
    client,
    endpoints,
    { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier },
    now,
  )
}

/**
 * Requests a new access token (RFC 6749 section 6).
 *
 * Throws UnreachableError without a response, and for 429 and 5xx: the refresh token may be used again. Throws OAuthError
 * `invalid_grant` when the refresh token is invalid.
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
 * Revokes a token (RFC 7009 section 2.1). Returns whether it is revoked. Sends nothing and returns false if the metadata
 * names no endpoint; returns false too if there is no metadata and the server does not have the usual path (404, or a page
 * instead of an empty body or JSON). Throws like `refresh`.
 */
export async function revoke(
  client: OAuthClient,
  { revocation, issuer }: Endpoints,
  token: string,
  hint: 'access_token' | 'refresh_token',
): Promise<boolean> {
  if (revocation === undefined) return false
  const form = { token, token_type_hint: hint, ...clientFields(client) }
  const response = await sendRequest(client, revocation, 'POST', form)
  const { status, text } = response
  const isUnknownPath = status === 404 || (status === 200 && text.trim() !== '' && !isJson(text))
  if (issuer === undefined && isUnknownPath) return false
  if (status !== 200) throw responseError(client, response, form)
  return true
}

async function requestGrant(
  client: OAuthClient,
  { token }: Endpoints,
  parameters: Record<string, string>,
  now: Date,
): Promise<Grant> {
  const form = { ...parameters, ...clientFields(client) }
  const response = await sendRequest(client, token, 'POST', form)
  if (response.status < 200 || response.status > 299) throw responseError(client, response, form)
  return readGrant(client, response, form, now)
}

/** Returns client ID and secret as form fields, as service-api-v1.md section 5 shows. */
function clientFields({ clientId, clientSecret }: OAuthClient): Record<string, string> {
  return { client_id: clientId, ...(clientSecret === null ? {} : { client_secret: clientSecret }) }
}

/** Sends one request within the time limit. Redirects are not followed: secrets are never sent to their target. */
async function sendRequest(
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

/** Returns the error for a response of the server that is not a success; it contains no secret of the request. */
function responseError(
  client: OAuthClient,
  response: BufferedResponse,
  sent: Record<string, string>,
): TtError {
  const text = withoutSecrets(response.text, sent)
  if (response.status === 429 || response.status >= 500)
    return unavailableError(client, { ...response, text })
  return oauthError(client.authUrl, { ...response, text })
}

/** Returns the error for a server that is overloaded or has failed. */
function unavailableError({ authUrl }: OAuthClient, response: BufferedResponse): TtError {
  return statusError({ method: 'POST', path: '', service: authUrl }, response)
}

function readGrant(
  { authUrl }: OAuthClient,
  { status, text }: BufferedResponse,
  sent: Record<string, string>,
  now: Date,
): Grant {
  const grant = parseObject(text)
  if (!grant) {
    const body = describeBody(withoutSecrets(text, sent))
    throw invalidGrantError(authUrl, `returned ${body} instead of JSON`, status)
  }
  const { access_token: accessToken, token_type: type, scope } = grant
  const user = userOf(grant)
  if (typeof accessToken !== 'string' || !/^[\x21-\x7e]+$/.test(accessToken)) {
    throw invalidGrantError(authUrl, 'returned no access token', status)
  }
  // service-api-v1.md does not show a token_type, so it may be missing.
  if (type !== undefined && !(typeof type === 'string' && /^bearer$/i.test(type))) {
    throw invalidGrantError(authUrl, 'returned a token that is not a bearer token', status)
  }
  return {
    accessToken,
    refreshToken: nonEmptyTextOrNull(grant.refresh_token),
    expiresAt: expiry(grant.expires_in, now),
    scope: nonEmptyTextOrNull(scope),
    ...(user === undefined ? {} : { user }),
  }
}

function invalidGrantError(authUrl: string, problem: string, status: number): TtError {
  return new InvalidResponseError(`The service at ${authUrl} ${problem}.`, {
    status,
    hint: 'The default address for signing in is that of the service without its path.',
    nextStep: { action: 'check_sign_in', values: ['auth_url'] },
  })
}

/** Returns the end of a lifetime in seconds, which some servers send as text; null if it is unknown. */
function expiry(seconds: unknown, now: Date): Date | null {
  const lifetime = typeof seconds === 'string' ? Number(seconds) : seconds
  return typeof lifetime === 'number' && lifetime > 0 && lifetime < 1e10
    ? new Date(now.getTime() + lifetime * 1000)
    : null
}

function nonEmptyTextOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

/** Returns the endpoints in the metadata; undefined if it is not trustworthy. */
function endpointsFromMetadata(text: string, base: URL): Endpoints | undefined {
  const metadata = parseObject(text)
  const issuer = metadata?.issuer
  if (!metadata || typeof issuer !== 'string' || issuer.replace(/\/$/, '') !== displayUrl(base))
    return undefined
  const ownEndpoint = (address: unknown) =>
    typeof address === 'string' && URL.canParse(address) && new URL(address).origin === base.origin
      ? address
      : undefined
  const authorization = ownEndpoint(metadata.authorization_endpoint)
  const token = ownEndpoint(metadata.token_endpoint)
  if (authorization === undefined || token === undefined) return undefined
  const methods = metadata.code_challenge_methods_supported
  if (Array.isArray(methods) && !methods.includes('S256')) {
    throw new TtError('rejected', `The service at ${displayUrl(base)} does not support PKCE with S256.`, {
      hint: 'tt requires it. Ask the operator of the service.',
    })
  }
  return {
    authorization,
    token,
    revocation: ownEndpoint(metadata.revocation_endpoint),
    issuer,
    supportsIss: metadata.authorization_response_iss_parameter_supported === true,
  }
}

function documentedEndpoints(base: URL): Endpoints {
  const root = displayUrl(base)
  return {
    authorization: `${root}/oauth/authorize`,
    token: `${root}/oauth/token`,
    // service-api-v1.md does not name this endpoint. This is the path of Doorkeeper, for example.
    revocation: `${root}/oauth/revoke`,
    issuer: undefined,
    supportsIss: false,
  }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined // Usually HTML, which the caller describes in its error.
  }
}
