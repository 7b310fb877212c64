import { expect, test } from 'vitest'
import { UnreachableError } from '../../../../../src/api-client/api-errors.js'
import { refresh, revoke, userOf } from '../../../../../src/api-client/auth/oauth/token-endpoint.js'
import { hintText } from '../../../../../src/cli/next-step-text.js'
import { type Handler, rejectionOf, serveResponse, startServer } from '../../test-server.js'
import {
  clientOf,
  endpointsAt,
  exchangeTestCode,
  expectNoSecret,
  json,
  now,
  refreshTestToken,
  revokeTestToken,
  secrets,
  tokenResponse,
} from './token-endpoint-fixtures.js'

test('redeems a code with the verifier, client ID and secret in the form', async () => {
  const server = await serveResponse(200, JSON.stringify({ ...tokenResponse, scope: 'service:read' }), json)
  expect(await exchangeTestCode(server)).toEqual({
    accessToken: 'new-access',
    refreshToken: 'new-refresh',
    expiresAt: new Date('2024-05-01T11:00:00Z'),
    scope: 'service:read',
  })
  expect(server.requests).toHaveLength(1)
  expect(server.requests[0]).toMatchObject({
    method: 'POST',
    url: '/oauth/token',
    headers: {
      'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
      accept: 'application/json',
      'user-agent': 'tt/test',
    },
  })
  expect(server.requests[0]?.headers.authorization).toBeUndefined()
  expect(Object.fromEntries(new URLSearchParams(server.requests[0]?.body))).toEqual({
    grant_type: 'authorization_code',
    code: secrets.code,
    redirect_uri: 'http://127.0.0.1:5000/callback',
    client_id: 'tt-client',
    client_secret: secrets.clientSecret,
    code_verifier: secrets.verifier,
  })
})

test('sends the client secret with HTTP Basic where the server requires that, and a public client sends no secret, not even an empty one', async () => {
  const server = await serveResponse(200, JSON.stringify(tokenResponse), json)
  const endpoints = { ...endpointsAt(server), requiresBasic: true }
  await refresh(clientOf(server), endpoints, secrets.refreshToken, now)
  await revoke(clientOf(server), endpoints, secrets.token, 'refresh_token')
  for (const { headers, body } of server.requests) {
    const [scheme, credentials = ''] = headers.authorization?.split(' ') ?? []
    expect(scheme).toBe('Basic')
    // RFC 6749 section 2.3.1: both parts are encoded as in a form.
    const parts = Buffer.from(credentials, 'base64').toString().split(':')
    expect(parts.map((part) => decodeURIComponent(part.replaceAll('+', ' ')))).toEqual([
      'tt-client',
      secrets.clientSecret,
    ])
    expect(new URLSearchParams(body).has('client_id')).toBe(false)
    expect(new URLSearchParams(body).has('client_secret')).toBe(false)
  }
  await refresh(clientOf(server, { clientSecret: null }), endpoints, secrets.refreshToken, now)
  expect(server.requests[2]?.headers.authorization).toBeUndefined()
  expect(Object.fromEntries(new URLSearchParams(server.requests[2]?.body))).toEqual({
    grant_type: 'refresh_token',
    refresh_token: secrets.refreshToken,
    client_id: 'tt-client',
  })
})

test.each<[string, object, object]>([
  ['expires_in as text', { expires_in: '3600' }, { expiresAt: new Date('2024-05-01T10:00:00Z') }],
  ['no expires_in', { expires_in: undefined }, { expiresAt: null }],
  ['an invalid expires_in', { expires_in: 'soon' }, { expiresAt: null }],
  ['expires_in in the past', { expires_in: -5 }, { expiresAt: null }],
  ['expires_in beyond the range of dates', { expires_in: 1e300 }, { expiresAt: null }],
  ['no refresh token', { refresh_token: undefined }, { refreshToken: null }],
  ['an empty refresh token', { refresh_token: '' }, { refreshToken: null }],
  ['no scope', {}, { scope: null }],
  ['no token type, as the service document shows', { token_type: undefined }, { accessToken: 'new-access' }],
])('reads a response with %s', async (_, change, expected) => {
  const server = await serveResponse(200, JSON.stringify({ ...tokenResponse, ...change }), json)
  expect(await refreshTestToken(server)).toMatchObject(expected)
})

test.each([
  [`<html><head><title>No ${secrets.refreshToken}</title></head></html>`, 'a web page titled "No …" instead'],
  ['{"access_token":"token-sesame', 'JSON that is cut off or damaged instead of JSON'],
  ['access_token=token-sesame', 'text that is not JSON instead of JSON'],
  ['[]', 'instead of JSON'],
  ['{"refresh_token":"other-sesame"}', 'returned no access token'],
  ['{"access_token":""}', 'returned no access token'],
  ['{"access_token":"token sesame\\r\\nx: y"}', 'returned no access token'],
  ['{"access_token":"token-sesame","token_type":"mac"}', 'a token that is not a bearer token'],
  ['{"access_token":"token-sesame","token_type":null}', 'a token that is not a bearer token'],
])('rejects the invalid response %j without showing it', async (body, what) => {
  const server = await serveResponse(200, body, json)
  const failure = await rejectionOf(refreshTestToken(server))
  expect(failure).toMatchObject({ code: 'rejected', status: 200, message: expect.stringContaining(what) })
  expect(hintText(failure)).toContain('--auth-url')
  expectNoSecret(failure)
})

test.each<[string, Handler]>([
  ['drops the connection before the response', (response) => void response.socket?.destroy()],
  [
    'drops the connection within the response',
    (response) => {
      response.writeHead(200, { ...json, 'content-length': '500' })
      response.write('{"access_token":"token-ses', () => response.socket?.destroy())
    },
  ],
  ['never responds', () => {}],
])(
  'a server that %s is unreachable, so that the request can be retried',
  { tags: 'slow' },
  async (_, handler) => {
    const server = await startServer(handler)
    for (const send of [exchangeTestCode, refreshTestToken, revokeTestToken]) {
      const failure = await rejectionOf(send(server, { timeoutMs: 200 }))
      expect(failure).toBeInstanceOf(UnreachableError)
      expect(failure.message).toContain(`The service at ${server.origin} cannot be reached (`)
      expectNoSecret(failure)
    }
    expect(server.requests).toHaveLength(3)
  },
)

// RFC 9110 section 15: an invalid status is a 5xx.
test.each([429, 500, 999])(
  'status %i is unreachable with the Retry-After of the response',
  async (status) => {
    const server = await serveResponse(status, '{"error":"server_error"}', { ...json, 'retry-after': '3' })
    const failure = await rejectionOf(refreshTestToken(server))
    expect(failure).toBeInstanceOf(UnreachableError)
    expect(failure).toMatchObject({ status: Math.min(status, 599), retryAfterMs: 3_000 })
  },
)

test('revokes a token as in RFC 7009 section 2.1, and the trace shows no content', async () => {
  const lines: string[] = []
  const server = await serveResponse(200, '')
  await revokeTestToken(server, { trace: (line) => lines.push(line) })
  expect(server.requests[0]).toMatchObject({ method: 'POST', url: '/oauth/revoke' })
  expect(Object.fromEntries(new URLSearchParams(server.requests[0]?.body))).toEqual({
    token: secrets.token,
    token_type_hint: 'refresh_token',
    client_id: 'tt-client',
    client_secret: secrets.clientSecret,
  })
  expect(lines).toEqual([expect.stringMatching(/^POST \/oauth\/revoke 200 \d+ ms$/)])
})

test.each<[object, string | undefined]>([
  [{ user: { id: 7, name: 'Ada', email: 'ada@example.com' } }, 'Ada <ada@example.com>'],
  [{ user: { id: 7, name: 'Ada' } }, 'Ada'],
  [{ user: { id: 7, email: 'ada@example.com' } }, 'ada@example.com'],
  [{ user: { id: 7 } }, 'user 7'],
  [{ user_id: '7' }, 'user 7'],
  [{ user_id: 7, user_name: 'Ada', user_email: 'ada@example.com' }, 'Ada <ada@example.com>'],
  [{ user: { name: ' ' }, user_id: 7 }, 'user 7'],
  [{ user: null, user_name: '' }, undefined],
  [{ user: 'Ada', name: 'Acme', email: 'office@example.com' }, undefined],
])('reads from the record %j the user %j', (fields, user) => {
  expect(userOf({ id: 1, ...fields })).toBe(user)
})
