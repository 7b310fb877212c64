import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  discover,
  exchangeCode,
  type OAuthClient,
  refresh,
  revoke,
} from '../../../../src/auth/oauth/token-endpoint.js'
import { authorizeInBrowser, type OidcProvider, startOidcProvider } from '../../../support/oidc-provider.js'
import { rejectionOf, startServer } from '../../api/test-server.js'

// Against an authorization server of somebody else, which has been certified for what is used of it here.

const now = new Date('2024-05-01T09:00:00Z')
// The port is another one than was registered (RFC 8252 section 7.3).
const redirectUri = 'http://127.0.0.1:49152/callback'

function clientOf({ origin, client }: OidcProvider, more: Partial<OAuthClient> = {}): OAuthClient {
  return { authUrl: origin, clientId: client.id, clientSecret: client.secret, userAgent: 'tt/test', ...more }
}

/** Everything up to the code, as the browser brings it back. */
async function authorized(thirdParty: OidcProvider) {
  const endpoints = await discover(clientOf(thirdParty))
  const verifier = randomBytes(32).toString('base64url')
  const state = randomBytes(32).toString('base64url')
  const url = new URL(endpoints.authorization)
  url.search = new URLSearchParams({
    client_id: thirdParty.client.id,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'service:read service:write',
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString()
  const { searchParams } = await authorizeInBrowser(url.href, redirectUri)
  expect(searchParams.get('state')).toBe(state)
  return { endpoints, verifier, code: searchParams.get('code') ?? '', iss: searchParams.get('iss') }
}

async function signedIn(thirdParty: OidcProvider) {
  const { endpoints, verifier, code } = await authorized(thirdParty)
  const grant = await exchangeCode(clientOf(thirdParty), endpoints, { code, redirectUri, verifier }, now)
  return { endpoints, grant, refreshToken: grant.refreshToken ?? '' }
}

test('its metadata is found and believed, and its answers name the issuer as it promises', async () => {
  const thirdParty = await startOidcProvider()
  const { endpoints, iss } = await authorized(thirdParty)
  const { origin } = thirdParty
  expect(endpoints).toEqual({
    authorization: `${origin}/auth`,
    token: `${origin}/token`,
    revocation: `${origin}/token/revocation`,
    issuer: origin,
    supportsIss: true,
  })
  expect(iss).toBe(origin)
})

test('a code is redeemed for tokens that count', async () => {
  const thirdParty = await startOidcProvider()
  const { grant } = await signedIn(thirdParty)
  expect(grant).toEqual({
    accessToken: expect.any(String),
    refreshToken: expect.any(String),
    expiresAt: new Date('2024-05-01T11:00:00Z'),
    scope: 'service:read service:write',
  })
  expect(await thirdParty.findToken(grant.accessToken)).toMatchObject({ scope: 'service:read service:write' })
})

test('the API takes the token, and one that is refused is renewed and the request sent again', async () => {
  const thirdParty = await startOidcProvider()
  const { endpoints, grant, refreshToken } = await signedIn(thirdParty)
  let expired = ''
  const api = await startServer(async (response, { headers }) => {
    const token = (headers.authorization ?? '').replace('Bearer ', '')
    const known = token !== expired && (await thirdParty.findToken(token))
    response.writeHead(known ? 200 : 401, { 'content-type': 'application/json' }).end(known ? '[]' : '')
  })
  const http = api.http({
    token: () => grant.accessToken,
    refreshToken: async () => (await refresh(clientOf(thirdParty), endpoints, refreshToken, now)).accessToken,
  })
  expect((await http.request('GET', '/timesheets')).status).toBe(200)
  expect(api.requests).toHaveLength(1)
  expired = grant.accessToken
  expect((await http.request('POST', '/timesheets', { body: {} })).status).toBe(200)
  expect(api.requests).toHaveLength(3)
})

test('refresh tokens rotate, and one that is used twice ends the whole sign-in', async () => {
  const thirdParty = await startOidcProvider()
  const { endpoints, refreshToken } = await signedIn(thirdParty)
  const client = clientOf(thirdParty)
  const second = await refresh(client, endpoints, refreshToken, now)
  expect(second.refreshToken).not.toBe(refreshToken)
  const third = await refresh(client, endpoints, second.refreshToken ?? '', now)
  expect(await thirdParty.findToken(third.accessToken)).toBeDefined()

  const dead = { code: 'unauthenticated', error: 'invalid_grant' }
  expect(await rejectionOf(refresh(client, endpoints, refreshToken, now))).toMatchObject(dead)
  expect(await rejectionOf(refresh(client, endpoints, third.refreshToken ?? '', now))).toMatchObject(dead)
})

test('what is revoked does not count any more', async () => {
  const thirdParty = await startOidcProvider()
  const { endpoints, grant, refreshToken } = await signedIn(thirdParty)
  const client = clientOf(thirdParty)
  await revoke(client, endpoints, refreshToken, 'refresh_token')
  expect(await rejectionOf(refresh(client, endpoints, refreshToken, now))).toMatchObject({
    error: 'invalid_grant',
  })
  await revoke(client, endpoints, grant.accessToken, 'access_token')
  expect(await thirdParty.findToken(grant.accessToken)).toBeUndefined()
  // Once more, and something it has never seen: no error (RFC 7009 section 2.2).
  await revoke(client, endpoints, refreshToken, 'refresh_token')
  await revoke(client, endpoints, 'never-seen', 'access_token')
})

test('another verifier, another redirect URI, another secret and a used code are refused', async () => {
  const thirdParty = await startOidcProvider()
  const client = clientOf(thirdParty)
  const attempt = async (change: object, as: OAuthClient = client) => {
    const { endpoints, code, verifier } = await authorized(thirdParty)
    return rejectionOf(exchangeCode(as, endpoints, { code, redirectUri, verifier, ...change }, now))
  }
  const dead = { code: 'unauthenticated', error: 'invalid_grant' }
  expect(await attempt({ verifier: randomBytes(32).toString('base64url') })).toMatchObject(dead)
  expect(await attempt({ redirectUri: 'http://127.0.0.1:49153/callback' })).toMatchObject(dead)
  for (const clientSecret of ['wrong', null]) {
    const failure = await attempt({}, { ...client, clientSecret })
    expect(failure).toMatchObject({ code: 'unauthenticated', error: 'invalid_client' })
    expect(failure.message).toContain('does not accept the client id or the client secret')
  }

  const { endpoints, code, verifier } = await authorized(thirdParty)
  const once = () => exchangeCode(client, endpoints, { code, redirectUri, verifier }, now)
  const { accessToken } = await once()
  expect(await rejectionOf(once())).toMatchObject(dead)
  expect(await thirdParty.findToken(accessToken)).toBeUndefined()
})
