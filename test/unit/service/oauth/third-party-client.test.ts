import * as oauth from 'oauth4webapi'
import { expect, it } from 'vitest'
import { temporarySqlite, useDatabase } from '../fixtures.js'
import { createOAuthTestService, origin, password, redirectUri } from './test-service.js'

const database = useDatabase(temporarySqlite)

// With the checks of a strict client.
it('signs in, calls the API, refreshes and revokes, with its secret by HTTP Basic', async () => {
  const service = await createOAuthTestService(database.storage)
  const { client } = service
  const options = {
    [oauth.allowInsecureRequests]: true,
    [oauth.customFetch]: (url: string, init: object) => service.send(new Request(url, init)),
  } as const
  const found = await oauth.discoveryRequest(new URL(origin), { algorithm: 'oauth2', ...options })
  const as = await oauth.processDiscoveryResponse(new URL(origin), found)
  const how = oauth.ClientSecretBasic(client.client_secret)
  const api = async (token: string, method = 'GET', path = '/companies') => {
    const url = new URL(`${origin}/api/v1${path}`)
    return (await oauth.protectedResourceRequest(token, method, url, undefined, null, options)).status
  }
  const refresh = async (token = '', parameters: Record<string, string> = {}) => {
    const more = { ...options, additionalParameters: parameters }
    const response = await oauth.refreshTokenGrantRequest(as, client, how, token, more)
    return oauth.processRefreshTokenResponse(as, client, response)
  }

  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()]
  const url = service.authorization({
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    state,
  })
  const browser = service.browser()
  const allowed = await browser.press(await browser.signIn(url, 'ada@example.com', password), 'allow')
  const target = new URL(allowed.location ?? '')
  const other = { ...as, issuer: 'http://127.0.0.1:1' }
  expect(() => oauth.validateAuthResponse(other, client, target, state)).toThrow('"iss"')
  const code = oauth.validateAuthResponse(as, client, target, state)
  const tokens = await oauth.processAuthorizationCodeResponse(
    as,
    client,
    await oauth.authorizationCodeGrantRequest(as, client, how, code, redirectUri, verifier, options),
  )
  expect(tokens).toMatchObject({
    token_type: 'bearer',
    expires_in: 7200,
    scope: 'service:read service:write',
  })
  expect(await api(tokens.access_token)).toBe(200)
  expect(await api(tokens.access_token, 'DELETE', '/timesheets/1')).toBe(404)
  const reading = await refresh(tokens.refresh_token, { scope: 'service:read' })
  expect(await api(reading.access_token)).toBe(200)
  await expect(api(reading.access_token, 'DELETE', '/timesheets/1')).rejects.toMatchObject({
    status: 403,
    cause: [{ scheme: 'bearer', parameters: { error: 'insufficient_scope', scope: 'service:write' } }],
  })
  const newer = await refresh(reading.refresh_token)
  expect(await api(newer.access_token)).toBe(200)
  const revocation = await oauth.revocationRequest(as, client, how, newer.refresh_token ?? '', options)
  expect(await oauth.processRevocationResponse(revocation)).toBeUndefined()
  await expect(api(newer.access_token)).rejects.toMatchObject({ status: 401 })
  await expect(refresh(newer.refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' })
})
