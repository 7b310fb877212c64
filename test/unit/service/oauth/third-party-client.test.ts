import { randomBytes } from 'node:crypto'
import * as oauth from 'oauth4webapi'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { authenticateByToken } from '../../../../src/service/accounts/authentication.js'
import { createApp } from '../../../../src/service/http/app.js'
import { type Listener, listen } from '../../../../src/service/http/listener.js'
import { withAuthorizationServer } from '../../../../src/service/oauth/authorization-server.js'
import { describedHost } from '../../../support/described-responses.js'
import { type Database, temporarySqlite } from '../fixtures.js'
import { Browser } from './browser.js'
import { createOAuthTestService, password, redirectUri } from './test-service.js'

let database: Database
let server: Listener
let client: oauth.Client & { client_secret: string }
let as: oauth.AuthorizationServer
const insecure = { [oauth.allowInsecureRequests]: true }

beforeAll(async () => {
  database = await temporarySqlite()
  const { storage } = database
  client = (await createOAuthTestService(storage)).client
  const clock = () => new Date()
  const app = createApp({ storage, clock, ...authenticateByToken(storage, clock) })
  const options = { storage, clock, publicUrl: undefined, host: '127.0.0.1', trustedProxies: undefined }
  server = await listen(describedHost(withAuthorizationServer(app, options)), { host: '127.0.0.1', port: 0 })
  const issuer = new URL(server.url)
  const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure })
  as = await oauth.processDiscoveryResponse(issuer, found)
})
afterAll(async () => {
  await server.close()
  await database.close()
})

interface Authorized {
  parameters: URLSearchParams
  verifier: string
}

/** Runs the authorization request up to the code, with the checks of a strict client. */
async function authorized(change: (url: URL) => void = () => {}, button = 'allow'): Promise<Authorized> {
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const url = new URL(as.authorization_endpoint ?? '')
  url.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'service:read service:write',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
  }).toString()
  change(url)
  const browser = new Browser(fetch)
  const first = await browser.open(url.href)
  const last =
    first.location === undefined
      ? await browser.press(await browser.signIn(url.href, 'ada@example.com', password), button)
      : first
  return { parameters: oauth.validateAuthResponse(as, client, new URL(last.location ?? ''), state), verifier }
}

type Authentication = (secret: string) => oauth.ClientAuth

async function redeemed(
  { parameters, verifier }: Authorized,
  authentication: Authentication = oauth.ClientSecretPost,
  secret = client.client_secret,
): Promise<oauth.TokenEndpointResponse> {
  const how = authentication(secret)
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    how,
    parameters,
    redirectUri,
    verifier,
    insecure,
  )
  return oauth.processAuthorizationCodeResponse(as, client, response)
}

async function refreshed(token = '', authentication: Authentication = oauth.ClientSecretPost) {
  const how = authentication(client.client_secret)
  const response = await oauth.refreshTokenGrantRequest(as, client, how, token, insecure)
  return oauth.processRefreshTokenResponse(as, client, response)
}

const api = async (token: string, method = 'GET', path = '/companies') => {
  const url = new URL(`${server.url}/api/v1${path}`)
  return (await oauth.protectedResourceRequest(token, method, url, undefined, null, insecure)).status
}

it('finds PKCE and the issuer parameter in the metadata', () => {
  expect(as).toMatchObject({
    issuer: server.url,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  })
})

it.each([
  ['in the body', oauth.ClientSecretPost],
  ['by HTTP Basic', oauth.ClientSecretBasic],
])('signs in, calls the API, refreshes and revokes, with its secret %s', async (_, authentication) => {
  const tokens = await redeemed(await authorized(), authentication)
  expect(tokens).toMatchObject({
    token_type: 'bearer',
    expires_in: 7200,
    scope: 'service:read service:write',
  })
  expect(await api(tokens.access_token)).toBe(200)
  expect(await api(tokens.access_token, 'DELETE', '/timesheets/1')).toBe(404)
  const newer = await refreshed(tokens.refresh_token, authentication)
  expect(await api(newer.access_token)).toBe(200)
  const how = authentication(client.client_secret)
  const revocation = await oauth.revocationRequest(as, client, how, newer.refresh_token ?? '', insecure)
  expect(await oauth.processRevocationResponse(revocation)).toBeUndefined()
  await expect(api(newer.access_token)).rejects.toMatchObject({ status: 401 })
  await expect(refreshed(newer.refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' })
})

it('can only read with the read scope', async () => {
  const reading = await authorized((url) => url.searchParams.set('scope', 'service:read'))
  const { access_token } = await redeemed(reading)
  expect(await api(access_token)).toBe(200)
  await expect(api(access_token, 'DELETE', '/timesheets/1')).rejects.toMatchObject({
    status: 403,
    cause: [{ scheme: 'bearer', parameters: { error: 'insufficient_scope', scope: 'service:write' } }],
  })
})

it('receives a denial with the expected issuer', async () => {
  await expect(authorized(() => {}, 'deny')).rejects.toMatchObject({ error: 'access_denied' })
})

it('is rejected without PKCE and with the method plain', async () => {
  for (const change of [
    (url: URL) => url.searchParams.delete('code_challenge'),
    (url: URL) => url.searchParams.set('code_challenge_method', 'plain'),
  ]) {
    await expect(authorized(change)).rejects.toMatchObject({ error: 'invalid_request' })
  }
})

it('is rejected with another verifier', async () => {
  const verifier = randomBytes(32).toString('base64url')
  const mixedUp = redeemed({ ...(await authorized()), verifier })
  await expect(mixedUp).rejects.toMatchObject({ error: 'invalid_grant', status: 400 })
})

it('cannot replay a code, and loses the tokens of that code', async () => {
  const authorization = await authorized()
  const tokens = await redeemed(authorization)
  await expect(redeemed(authorization)).rejects.toMatchObject({ error: 'invalid_grant' })
  await expect(api(tokens.access_token)).rejects.toMatchObject({ status: 401 })
})

it('is rejected with a wrong secret', async () => {
  const authorization = await authorized()
  for (const authentication of [oauth.ClientSecretPost, oauth.ClientSecretBasic]) {
    const attempt = redeemed(authorization, authentication, 'wrong')
    await expect(attempt).rejects.toMatchObject({ status: 401 })
  }
  expect((await redeemed(authorization)).access_token).toMatch(/^tt_/)
})

it('loses the token family when a used refresh token is reused', async () => {
  const first = await redeemed(await authorized())
  const second = await refreshed(first.refresh_token)
  expect(await api(second.access_token)).toBe(200)
  await expect(refreshed(first.refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' })
  await expect(refreshed(second.refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' })
  await expect(api(second.access_token)).rejects.toMatchObject({ status: 401 })
})

it('detects a response of another issuer', async () => {
  const other = { ...as, issuer: 'http://127.0.0.1:1' }
  const { parameters } = await authorized()
  expect(() => oauth.validateAuthResponse(other, client, parameters, oauth.skipStateCheck)).toThrow()
})
