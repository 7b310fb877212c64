import {
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  genericTokenEndpointRequest,
  None,
  revocationRequest,
} from 'oauth4webapi'
import { TtError } from '../../../lib/errors.js'
import { isObject } from '../../../lib/is-object.js'
import type { Api } from '../../api.js'
import { InvalidResponseError } from '../../api-errors.js'
import { describeBody, isJson, parseJson } from '../../http/status-errors.js'
import { type Endpoints, type OAuthClient, requestOptions } from './oauth-client.js'
import { responseError } from './oauth-error.js'

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

/** Redeems an authorization code (RFC 6749 section 4.1.3, RFC 7636 section 4.5). `now` is the start of its lifetime. */
export function exchangeCode(
  client: OAuthClient,
  endpoints: Endpoints,
  { code, redirectUri, verifier }: { code: string; redirectUri: string; verifier: string },
  now: Date,
): Promise<Grant> {
  const parameters = { code, redirect_uri: redirectUri, code_verifier: verifier }
  return requestGrant(client, endpoints, 'authorization_code', parameters, now)
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
  return requestGrant(client, endpoints, 'refresh_token', { refresh_token: refreshToken }, now)
}

/**
 * Revokes a token (RFC 7009 section 2.1). Returns whether it is revoked. Sends nothing and returns false if the metadata
 * names no endpoint; returns false too if there is no metadata and the server does not have the usual path (404, or a page
 * instead of an empty body or JSON). Throws like `refresh`.
 */
export async function revoke(
  client: OAuthClient,
  endpoints: Endpoints,
  token: string,
  hint: 'access_token' | 'refresh_token',
): Promise<boolean> {
  if (endpoints.revocation === undefined) return false
  const response = await revocationRequest(...partiesOf(client, endpoints), token, {
    ...requestOptions(client),
    additionalParameters: { token_type_hint: hint },
  })
  const text = await response.clone().text()
  const isUnknownPath =
    response.status === 404 || (response.status === 200 && text.trim() !== '' && !isJson(text))
  if (endpoints.issuer === undefined && isUnknownPath) return false
  if (response.status !== 200) throw await responseError(client.authUrl, response)
  return true
}

async function requestGrant(
  client: OAuthClient,
  endpoints: Endpoints,
  grantType: string,
  parameters: Record<string, string>,
  now: Date,
): Promise<Grant> {
  const parties = partiesOf(client, endpoints)
  const response = await genericTokenEndpointRequest(
    ...parties,
    grantType,
    parameters,
    requestOptions(client),
  )
  if (!response.ok) throw await responseError(client.authUrl, response)
  return readGrant(client.authUrl, response, now)
}

/** Adds nothing to a request: a legacy key belongs to no application, and suffices to revoke itself. */
const noApplication: ClientAuth = () => {}

/** Returns the server, the application, and how it authenticates, as oauth4webapi expects them. */
function partiesOf({ authUrl, clientId, clientSecret }: OAuthClient, endpoints: Endpoints) {
  const { issuer = authUrl, token, revocation = '', requiresBasic } = endpoints
  // service-api-v1.md section 5 shows the client secret in the form.
  const withSecret = requiresBasic ? ClientSecretBasic : ClientSecretPost
  return [
    { issuer, token_endpoint: token, revocation_endpoint: revocation },
    // oauth4webapi requires a name, which `noApplication` does not send.
    { client_id: clientId ?? 'none' },
    clientId === undefined ? noApplication : clientSecret ? withSecret(clientSecret) : None(),
  ] as const
}

/**
 * Reads a token response. processGenericTokenEndpointResponse of oauth4webapi rejects what services send: no
 * `token_type`, an empty refresh token, an invalid lifetime.
 */
async function readGrant(authUrl: string, response: Response, now: Date): Promise<Grant> {
  const text = await response.text()
  const invalid = (problem: string) =>
    new InvalidResponseError(`The service at ${authUrl} ${problem}.`, {
      status: response.status,
      hint: 'The default address for signing in is that of the service without its path.',
      nextStep: { action: 'check_sign_in', values: ['auth_url'] },
    })
  const grant = parseJson(text)
  if (!isObject(grant)) throw invalid(`returned ${describeBody(text)} instead of JSON`)
  const { access_token: accessToken, token_type: type = 'bearer', scope } = grant
  if (typeof accessToken !== 'string' || !/^[\x21-\x7e]+$/.test(accessToken))
    throw invalid('returned no access token')
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer')
    throw invalid('returned a token that is not a bearer token')
  const user = userOf(grant)
  return {
    accessToken,
    refreshToken: nonEmptyTextOrNull(grant.refresh_token),
    expiresAt: expiry(grant.expires_in, now),
    scope: nonEmptyTextOrNull(scope),
    ...(user === undefined ? {} : { user }),
  }
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

/**
 * Returns the user that a record or a token response names, such as `Ada <ada@example.com>` or `user 7`; undefined if it
 * names none.
 *
 * No endpoint returns the user (service-api-v1.md section 4), but records may have fields that the document does not
 * show: an object `user`, or `user_name`, `user_email` and `user_id`.
 */
export function userOf(record: Readonly<Record<string, unknown>>): string | undefined {
  const user =
    typeof record.user === 'object' && record.user ? new Map(Object.entries(record.user)) : undefined
  const field = (name: string) => nonEmptyText(user?.get(name) ?? record[`user_${name}`])
  const [name, email, id] = [field('name'), field('email'), field('id')]
  if (name && email) return `${name} <${email}>`
  return name ?? email ?? (id && `user ${id}`)
}

/** Returns the user that the first assignment names: the service lists only the user's own assignments. */
export async function assignedUser(api: Api): Promise<string | undefined> {
  try {
    const [assignment] = await api.listAssignments()
    return assignment && userOf(assignment)
  } catch (error) {
    if (!(error instanceof TtError)) throw error
    return undefined // The sign-in succeeded and does not require assignments.
  }
}

function nonEmptyText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}
