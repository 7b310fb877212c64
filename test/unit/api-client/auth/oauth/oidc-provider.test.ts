import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { discover, type OAuthClient } from '../../../../../src/api-client/auth/oauth/oauth-client.js'
import { exchangeCode, refresh, revoke } from '../../../../../src/api-client/auth/oauth/token-endpoint.js'
import {
  authorizeInBrowser,
  type OidcProvider,
  startOidcProvider,
} from '../../../../support/oidc-provider.js'
import { rejectionOf } from '../../test-server.js'

// Tests against a certified third-party authorization server.

const now = new Date('2024-05-01T09:00:00Z')
// The port differs from the registered one (RFC 8252 section 7.3).
const redirectUri = 'http://127.0.0.1:49152/callback'

function clientOf({ origin, client }: OidcProvider): OAuthClient {
  return { authUrl: origin, clientId: client.id, clientSecret: client.secret, userAgent: 'tt/test' }
}

/** Runs the authorization request up to the code that the browser returns. */
async function authorizeWith(provider: OidcProvider) {
  const endpoints = await discover(clientOf(provider))
  const verifier = randomBytes(32).toString('base64url')
  const state = randomBytes(32).toString('base64url')
  const url = new URL(endpoints.authorization)
  url.search = new URLSearchParams({
    client_id: provider.client.id,
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

async function signIn(provider: OidcProvider) {
  const { endpoints, verifier, code } = await authorizeWith(provider)
  const grant = await exchangeCode(clientOf(provider), endpoints, { code, redirectUri, verifier }, now)
  return { endpoints, grant, refreshToken: grant.refreshToken ?? '' }
}

test('discovers the metadata of the provider, and its responses name the announced issuer', async () => {
  const provider = await startOidcProvider()
  const { endpoints, iss } = await authorizeWith(provider)
  const { origin } = provider
  expect(endpoints).toEqual({
    authorization: `${origin}/auth`,
    token: `${origin}/token`,
    revocation: `${origin}/token/revocation`,
    issuer: origin,
    supportsIss: true,
    requiresBasic: false,
  })
  expect(iss).toBe(origin)
})

test('redeems a code for valid tokens', async () => {
  const provider = await startOidcProvider()
  const { grant } = await signIn(provider)
  expect(grant).toEqual({
    accessToken: expect.any(String),
    refreshToken: expect.any(String),
    expiresAt: new Date('2024-05-01T11:00:00Z'),
    scope: 'service:read service:write',
  })
  expect(await provider.findToken(grant.accessToken)).toMatchObject({ scope: 'service:read service:write' })
})

test('refresh tokens rotate', async () => {
  const provider = await startOidcProvider()
  const { endpoints, refreshToken } = await signIn(provider)
  const client = clientOf(provider)
  const second = await refresh(client, endpoints, refreshToken, now)
  expect(second.refreshToken).not.toBe(refreshToken)
  const third = await refresh(client, endpoints, second.refreshToken ?? '', now)
  expect(await provider.findToken(third.accessToken)).toBeDefined()
})

test('revoked tokens are invalid', async () => {
  const provider = await startOidcProvider()
  const { endpoints, grant, refreshToken } = await signIn(provider)
  const client = clientOf(provider)
  await revoke(client, endpoints, refreshToken, 'refresh_token')
  expect(await rejectionOf(refresh(client, endpoints, refreshToken, now))).toMatchObject({
    error: 'invalid_grant',
  })
  await revoke(client, endpoints, grant.accessToken, 'access_token')
  expect(await provider.findToken(grant.accessToken)).toBeUndefined()
  // Revoking a revoked or unknown token is no error (RFC 7009 section 2.2).
  await revoke(client, endpoints, refreshToken, 'refresh_token')
  await revoke(client, endpoints, 'never-seen', 'access_token')
})
