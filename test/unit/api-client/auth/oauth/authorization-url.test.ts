import { expect, test } from 'vitest'
import { authorizationUrl } from '../../../../../src/api-client/auth/oauth/authorization-url.js'

const request = {
  clientId: 'tt+client',
  redirectUri: 'http://127.0.0.1:4711/callback',
  scope: 'service:read service:write',
  state: 'the-state',
  challenge: 'the-challenge',
}

test('the address contains exactly the parameters of step 1 of the service document', () => {
  const url = new URL(authorizationUrl('https://example.com/oauth/authorize', request))
  expect(`${url.origin}${url.pathname}`).toBe('https://example.com/oauth/authorize')
  expect([...url.searchParams]).toEqual([
    ['client_id', 'tt+client'],
    ['redirect_uri', 'http://127.0.0.1:4711/callback'],
    ['response_type', 'code'],
    ['scope', 'service:read service:write'],
    ['state', 'the-state'],
    ['code_challenge', 'the-challenge'],
    ['code_challenge_method', 'S256'],
  ])
})

test('encodes spaces as %20 and plus signs as %2B', () => {
  const url = authorizationUrl('https://example.com/oauth/authorize', request)
  expect(url).toContain('scope=service%3Aread%20service%3Awrite')
  expect(url).toContain('client_id=tt%2Bclient')
})

test('preserves the query of the endpoint and removes its fragment', () => {
  const url = authorizationUrl('https://example.com/authorize?tenant=a%20b#top', request)
  expect(url).toMatch(/^https:\/\/example\.com\/authorize\?tenant=a%20b&client_id=/)
  expect(url).not.toContain('#')
})
