import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { authorizationUrl } from '../../../../../src/api-client/auth/oauth/authorization-flow.js'
import { discover } from '../../../../../src/api-client/auth/oauth/oauth-client.js'
import { exchangeCode, refresh, revoke } from '../../../../../src/api-client/auth/oauth/token-endpoint.js'
import { authorizeInBrowser, startOidcProvider } from '../../../../support/oidc-provider.js'
import { rejectionOf } from '../../test-server.js'

// Tests against a certified third-party authorization server.

const now = new Date('2024-05-01T09:00:00Z')
// The port differs from the registered one (RFC 8252 section 7.3).
const redirectUri = 'http://127.0.0.1:49152/callback'
const scope = 'service:read service:write'

test('discovers the endpoints, redeems a code, rotates refresh tokens and revokes tokens', async () => {
  const provider = await startOidcProvider()
  const { origin } = provider
  const { id: clientId, secret: clientSecret } = provider.client
  const client = { authUrl: origin, clientId, clientSecret, userAgent: 'tt/test' }
  const endpoints = await discover(client)
  expect(endpoints).toEqual({
    authorization: `${origin}/auth`,
    token: `${origin}/token`,
    revocation: `${origin}/token/revocation`,
    issuer: origin,
    supportsIss: true,
    requiresBasic: false,
  })

  const verifier = randomBytes(32).toString('base64url')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const request = { clientId, redirectUri, scope, state: 'the-state', challenge }
  const url = authorizationUrl(endpoints.authorization, request)
  const { searchParams } = await authorizeInBrowser(url, redirectUri)
  expect(searchParams.get('state')).toBe('the-state')
  expect(searchParams.get('iss')).toBe(origin)

  const code = searchParams.get('code') ?? ''
  const first = await exchangeCode(client, endpoints, { code, redirectUri, verifier }, now)
  expect(first).toEqual({
    accessToken: expect.any(String),
    refreshToken: expect.any(String),
    expiresAt: new Date('2024-05-01T11:00:00Z'),
    scope,
  })
  expect(await provider.findToken(first.accessToken)).toMatchObject({ scope })

  const second = await refresh(client, endpoints, first.refreshToken ?? '', now)
  expect(second.refreshToken).not.toBe(first.refreshToken)
  const { accessToken, refreshToken } = await refresh(client, endpoints, second.refreshToken ?? '', now)
  expect(await provider.findToken(accessToken)).toBeDefined()

  await revoke(client, endpoints, refreshToken ?? '', 'refresh_token')
  expect(await rejectionOf(refresh(client, endpoints, refreshToken ?? '', now))).toMatchObject({
    error: 'invalid_grant',
  })
  await revoke(client, endpoints, accessToken, 'access_token')
  expect(await provider.findToken(accessToken)).toBeUndefined()
  // Revoking a revoked or unknown token is no error (RFC 7009 section 2.2).
  await revoke(client, endpoints, refreshToken ?? '', 'refresh_token')
  await revoke(client, endpoints, 'never-seen', 'access_token')
})
