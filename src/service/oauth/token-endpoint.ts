import { revokeKey } from '../accounts/tokens.js'
import { type HttpResponse, jsonResponse } from '../http/response.js'
import type { Storage } from '../storage/storage.js'
import { authenticateApplication, findApplication, type RegisteredApplication } from './applications.js'
import {
  accessTokenSeconds,
  type IssuedTokens,
  redeemAuthorizationCode,
  refreshTokens,
  revokeToken,
} from './grants/grants.js'
import { type OAuthRequestContext, readForm, readParameter } from './oauth-request-context.js'

/** An error of the token endpoint (RFC 6749 section 5.2). */
export class OAuthError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}

/** POST /oauth/token: issues tokens (service-api-v1.md section 5, steps 2 and 4). Throws OAuthError. */
export async function grantTokens(context: OAuthRequestContext): Promise<HttpResponse> {
  const form = await readForm(context.request)
  const application = await authenticateClient(context, form)
  switch (readParameter(form, 'grant_type')) {
    case undefined:
      throw missingParameter('grant_type')
    case 'authorization_code':
      return grantByCode(context, application, form)
    case 'refresh_token':
      return grantByRefreshToken(context, application, form)
    default:
      throw new OAuthError(
        400,
        'unsupported_grant_type',
        'grant_type must be authorization_code or refresh_token.',
      )
  }
}

/**
 * POST /oauth/revoke: revokes tokens (RFC 7009). Throws OAuthError. A legacy key belongs to no application: the key itself
 * suffices to revoke it, without client credentials.
 */
export async function revokeTokens(context: OAuthRequestContext): Promise<HttpResponse> {
  const form = await readForm(context.request)
  const key = readParameter(form, 'token')
  if (key !== undefined && (await revokeKey(context, key))) return jsonResponse({})
  const application = await authenticateClient(context, form)
  const token = requireValue(form, 'token')
  if (
    !(await revokeToken(context.storage, {
      token,
      applicationId: application.id,
      address: context.address,
      now: context.now,
    }))
  ) {
    throw new OAuthError(400, 'invalid_grant', 'The token was issued to another application.')
  }
  return jsonResponse({})
}

/** Returns an error response of RFC 6749 section 5.2. */
export function oauthErrorResponse({ status, code, message }: OAuthError): HttpResponse {
  const challenge: Record<string, string> =
    status === 401 ? { 'WWW-Authenticate': 'Basic realm="tt", charset="UTF-8"' } : {}
  return jsonResponse({ error: code, error_description: message }, status, challenge)
}

async function grantByCode(
  { storage, now }: OAuthRequestContext,
  { id }: RegisteredApplication,
  form: URLSearchParams,
): Promise<HttpResponse> {
  const issued = await redeemAuthorizationCode(storage, {
    code: requireValue(form, 'code'),
    applicationId: id,
    redirectUri: requireValue(form, 'redirect_uri'),
    codeVerifier: requireValue(form, 'code_verifier'),
    now,
  })
  if (issued) return tokenResponse(issued, { user: issued.user })
  throw new OAuthError(
    400,
    'invalid_grant',
    'The code is unknown, expired or used, or does not match the redirect_uri or the code_verifier.',
  )
}

async function grantByRefreshToken(
  { storage, address, now }: OAuthRequestContext,
  { id }: RegisteredApplication,
  form: URLSearchParams,
): Promise<HttpResponse> {
  const scopes = readParameter(form, 'scope')?.split(' ').filter(Boolean)
  const issued = await refreshTokens(storage, {
    token: requireValue(form, 'refresh_token'),
    applicationId: id,
    scopes: scopes?.length ? scopes : undefined,
    address,
    now,
  })
  if (issued === 'invalid_scope') {
    throw new OAuthError(400, 'invalid_scope', 'scope exceeds the scopes that the user has allowed.')
  }
  if (issued === 'invalid_grant') {
    throw new OAuthError(400, 'invalid_grant', 'The refresh_token is unknown, expired, revoked or used.')
  }
  return tokenResponse(issued)
}

/** Returns the token response. `extra` contains the user, for display (RFC 6749 section 5.1 allows other parameters). */
const tokenResponse = (
  { accessToken, refreshToken, scopes }: IssuedTokens,
  extra: Partial<Pick<IssuedTokens, 'user'>> = {},
): HttpResponse =>
  jsonResponse(
    {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: accessTokenSeconds,
      refresh_token: refreshToken,
      scope: scopes,
      ...extra,
    },
    200,
    { Pragma: 'no-cache' },
  )

/**
 * Authenticates the client by one of the two methods of RFC 6749 section 2.3.1; a public client only names itself (section
 * 3.2.1). Throws OAuthError.
 */
async function authenticateClient(
  { request, storage }: OAuthRequestContext,
  form: URLSearchParams,
): Promise<RegisteredApplication> {
  const [id, secret] = [readParameter(form, 'client_id'), readParameter(form, 'client_secret')]
  const header = request.headers.get('Authorization')
  const basic = header === null ? undefined : parseBasicCredentials(header)
  if (header !== null && (secret !== undefined || (id !== undefined && id !== basic?.id))) {
    throw new OAuthError(400, 'invalid_request', 'The client credentials are in the header and in the body.')
  }
  const credentials = header === null ? { id, secret } : basic
  const application = await findClient(storage, credentials)
  if (!application)
    throw new OAuthError(401, 'invalid_client', 'The client ID or the client secret is wrong.')
  return application
}

async function findClient(
  storage: Storage,
  credentials: { id: string | undefined; secret: string | undefined } | undefined,
): Promise<RegisteredApplication | undefined> {
  const { id, secret } = credentials ?? {}
  if (!isVisibleAscii(id)) return undefined
  if (secret !== undefined) return authenticateApplication(storage, id, secret)
  const application = await findApplication(storage, id)
  return application?.isPublic ? application : undefined
}

function parseBasicCredentials(header: string): { id: string; secret: string } | undefined {
  const [, encoded] = /^Basic +([A-Za-z0-9+/]+=*) *$/i.exec(header) ?? []
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString()) ?? []
  if (id === undefined || secret === undefined) return undefined
  const decode = (text: string) => new URLSearchParams(`text=${text}`).get('text') ?? ''
  return { id: decode(id), secret: decode(secret) }
}

/** Whether the text is printable ASCII without spaces, which every database can compare. */
const isVisibleAscii = (text: string | undefined): text is string =>
  text !== undefined && /^[!-~]+$/.test(text)

function requireValue(form: URLSearchParams, name: string): string {
  const value = readParameter(form, name)
  if (value === undefined) throw missingParameter(name)
  return value
}

const missingParameter = (name: string) => new OAuthError(400, 'invalid_request', `${name} is missing.`)
