import { expect } from 'vitest'
import type { Endpoints, OAuthClient } from '../../../../../src/api-client/auth/oauth/oauth-client.js'
import { exchangeCode, refresh, revoke } from '../../../../../src/api-client/auth/oauth/token-endpoint.js'
import type { TtError } from '../../../../../src/lib/errors.js'
import type { TestServer } from '../../test-server.js'

export const json = { 'content-type': 'application/json' }
export const now = new Date('2024-05-01T09:00:00Z')

/** Secrets that are sent to the server and must not appear in any output. */
export const secrets = {
  clientSecret: 'client-sesame /+&"ü',
  code: 'code-sesame',
  verifier: 'verifier-sesame',
  refreshToken: 'refresh-sesame',
  token: 'token-sesame',
}

export function clientOf({ origin }: { origin: string }, more: Partial<OAuthClient> = {}): OAuthClient {
  return {
    authUrl: origin,
    clientId: 'tt-client',
    clientSecret: secrets.clientSecret,
    userAgent: 'tt/test',
    ...more,
  }
}

export const endpointsAt = ({ origin }: { origin: string }): Endpoints => ({
  authorization: `${origin}/oauth/authorize`,
  token: `${origin}/oauth/token`,
  revocation: `${origin}/oauth/revoke`,
  issuer: origin,
  supportsIss: false,
  requiresBasic: false,
})

export const exchangeTestCode = (server: TestServer, client: Partial<OAuthClient> = {}) =>
  exchangeCode(
    clientOf(server, client),
    endpointsAt(server),
    { code: secrets.code, redirectUri: 'http://127.0.0.1:5000/callback', verifier: secrets.verifier },
    now,
  )

export const refreshTestToken = (server: TestServer, client: Partial<OAuthClient> = {}) =>
  refresh(clientOf(server, client), endpointsAt(server), secrets.refreshToken, now)

export const revokeTestToken = (server: TestServer, client: Partial<OAuthClient> = {}) =>
  revoke(clientOf(server, client), endpointsAt(server), secrets.token, 'refresh_token')

/** Expects no secret in the texts of an error and its causes, which could appear in a terminal or a log. */
export function expectNoSecret(failure: TtError) {
  const parts: unknown[] = [JSON.stringify(failure)]
  for (let error: unknown = failure; error instanceof Error; error = error.cause) parts.push(error.stack)
  expect(parts.join('\n')).not.toMatch(/sesame/)
}

export const tokenResponse = {
  access_token: 'new-access',
  refresh_token: 'new-refresh',
  expires_in: 7200,
  token_type: 'Bearer',
}
