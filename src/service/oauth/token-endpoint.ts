import { type HttpResponse, jsonResponse } from '../http/response.js'
import { authenticateApplication, type RegisteredApplication } from './applications.js'
import { readForm, singleValue } from './form.js'
import { redeemAuthorizationCode } from './grants/authorization-codes.js'
import { accessTokenSeconds, type IssuedTokens, revokeToken } from './grants/grants.js'
import { refreshTokens } from './grants/refresh.js'
import type { OAuthRequestContext } from './request-context.js'

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

/** POST /oauth/token (service-api-v1.md section 5, steps 2 and 4). Throws OAuthError. */
export async function grantTokens(call: OAuthRequestContext): Promise<HttpResponse> {
  const form = await readForm(call.request)
  const application = await authenticated(call, form)
  switch (singleValue(form, 'grant_type')) {
    case undefined:
      throw missing('grant_type')
    case 'authorization_code':
      return byCode(call, application, form)
    case 'refresh_token':
      return byRefreshToken(call, application, form)
    default:
      throw new OAuthError(
        400,
        'unsupported_grant_type',
        'grant_type must be authorization_code or refresh_token.',
      )
  }
}

/** POST /oauth/revoke (RFC 7009). Throws OAuthError. */
export async function revokeTokens(call: OAuthRequestContext): Promise<HttpResponse> {
  const form = await readForm(call.request)
  const application = await authenticated(call, form)
  const token = needed(form, 'token')
  if (!(await revokeToken(call.storage, { token, applicationId: application.id, now: call.now }))) {
    throw new OAuthError(400, 'invalid_grant', 'The token was issued to another application.')
  }
  return jsonResponse({})
}

/** RFC 6749 section 5.2. */
export function oauthErrorResponse({ status, code, message }: OAuthError): HttpResponse {
  const challenge: Record<string, string> =
    status === 401 ? { 'WWW-Authenticate': 'Basic realm="tt", charset="UTF-8"' } : {}
  return jsonResponse({ error: code, error_description: message }, status, challenge)
}

async function byCode(
  { storage, now }: OAuthRequestContext,
  { id }: RegisteredApplication,
  form: URLSearchParams,
): Promise<HttpResponse> {
  const issued = await redeemAuthorizationCode(storage, {
    code: needed(form, 'code'),
    applicationId: id,
    redirectUri: needed(form, 'redirect_uri'),
    verifier: needed(form, 'code_verifier'),
    now,
  })
  if (issued) return tokens(issued, { user: issued.user })
  throw new OAuthError(
    400,
    'invalid_grant',
    'The code is unknown, expired or used, or does not fit the redirect_uri or the code_verifier.',
  )
}

async function byRefreshToken(
  { storage, now }: OAuthRequestContext,
  { id }: RegisteredApplication,
  form: URLSearchParams,
): Promise<HttpResponse> {
  const scopes = singleValue(form, 'scope')?.split(' ').filter(Boolean)
  const issued = await refreshTokens(storage, {
    token: needed(form, 'refresh_token'),
    applicationId: id,
    scopes: scopes?.length ? scopes : undefined,
    now,
  })
  if (issued === 'invalid_scope') {
    throw new OAuthError(400, 'invalid_scope', 'scope names more than the user has allowed.')
  }
  if (issued === 'invalid_grant') {
    throw new OAuthError(400, 'invalid_grant', 'The refresh_token is unknown, expired, revoked or used.')
  }
  return tokens(issued)
}

/** `more` is for clients to show who has signed in (RFC 6749 section 5.1 allows other parameters). */
const tokens = (
  { accessToken, refreshToken, scopes }: IssuedTokens,
  more: Partial<Pick<IssuedTokens, 'user'>> = {},
): HttpResponse =>
  jsonResponse(
    {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: accessTokenSeconds,
      refresh_token: refreshToken,
      scope: scopes,
      ...more,
    },
    200,
    { Pragma: 'no-cache' },
  )

/** The application that asks, by one of the two ways of RFC 6749 section 2.3.1. Throws OAuthError. */
async function authenticated(
  { request, storage }: OAuthRequestContext,
  form: URLSearchParams,
): Promise<RegisteredApplication> {
  const [id, secret] = [singleValue(form, 'client_id'), singleValue(form, 'client_secret')]
  const header = request.headers.get('Authorization')
  const basic = header === null ? undefined : basicCredentials(header)
  if (header !== null && (secret !== undefined || (id !== undefined && id !== basic?.id))) {
    throw new OAuthError(400, 'invalid_request', 'The client is named in the header and in the body.')
  }
  const given = header === null ? { id, secret } : basic
  const application =
    isWord(given?.id) && given?.secret !== undefined
      ? await authenticateApplication(storage, given.id, given.secret)
      : undefined
  if (!application)
    throw new OAuthError(401, 'invalid_client', 'The client id or the client secret is wrong.')
  return application
}

function basicCredentials(header: string): { id: string; secret: string } | undefined {
  const [, encoded] = /^Basic +([A-Za-z0-9+/]+=*) *$/i.exec(header) ?? []
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString()) ?? []
  if (id === undefined || secret === undefined) return undefined
  const decoded = (text: string) => new URLSearchParams(`text=${text}`).get('text') ?? ''
  return { id: decoded(id), secret: decoded(secret) }
}

/** What no database has trouble with. */
const isWord = (text: string | undefined): text is string => text !== undefined && /^[!-~]+$/.test(text)

function needed(form: URLSearchParams, name: string): string {
  const value = singleValue(form, name)
  if (value === undefined) throw missing(name)
  return value
}

const missing = (name: string) => new OAuthError(400, 'invalid_request', `${name} is missing.`)
