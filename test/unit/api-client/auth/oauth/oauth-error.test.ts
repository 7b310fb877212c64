import { expect, test } from 'vitest'
import { OAuthError } from '../../../../../src/api-client/auth/oauth/oauth-error.js'
import { refresh } from '../../../../../src/api-client/auth/oauth/token-endpoint.js'
import { hintText } from '../../../../../src/cli/next-step-text.js'
import { rejectionOf, serveResponse, startServer } from '../../test-server.js'
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

test.each([
  ['invalid_client', 401, 'unauthenticated', 'does not accept the client ID or the client', 'tt login'],
  [
    'invalid_grant',
    400,
    'unauthenticated',
    'does not accept the sign-in: it has expired, was used before,',
    'The redirect URI must match the registration of the application. Run `tt login',
  ],
  [
    'unauthorized_client',
    400,
    'rejected',
    'does not allow this application to sign in',
    'authorization code',
  ],
  ['unsupported_grant_type', 400, 'rejected', 'does not support this way of signing in', '--auth-url'],
  ['invalid_scope', 400, 'rejected', 'does not grant the requested scopes', 'tt login --scope'],
  ['invalid_request', 400, 'rejected', 'reports that the request is incomplete or malformed', 'client ID'],
  ['constructor', 400, 'rejected', 'rejected the sign-in', '--auth-url'],
])(
  'the error %s (RFC 6749 section 5.2) has its own message and hint',
  async (error, status, code, text, hint) => {
    const body = JSON.stringify({ error, error_description: 'Their words.' })
    const server = await serveResponse(status, body, json)
    for (const send of [exchangeTestCode, refreshTestToken, revokeTestToken]) {
      const failure = await rejectionOf(send(server))
      expect(failure).toBeInstanceOf(OAuthError)
      expect(failure).toMatchObject({ code, status, error })
      expect(hintText(failure)).toContain(hint)
      expect(failure.message).toContain(`The service at ${server.origin} ${text}`)
      expect(failure.message).toMatch(new RegExp(`\\(${error}\\): Their words\\.$`))
    }
  },
)

test.each([
  [403, '', '(403).'],
  [404, '<html><head><title>Nothing</title></head></html>', '(404), with a web page titled "Nothing".'],
  [400, '{"error":{"code":5}}', '(400)'],
  [400, '{"error":"\\u001b[31mred"}', '(400)'],
  [400, '{"error":"invalid_grant', '(400)'],
])('reports a rejection without an error code (%i %j)', async (status, body, text) => {
  const failure = await rejectionOf(refreshTestToken(await serveResponse(status, body)))
  expect(failure).toMatchObject({ code: 'rejected', error: '', message: expect.stringContaining(text) })
  expect(failure.message).not.toMatch(/\p{Control}/u)
})

const escaped = (secret: string) =>
  secret.replace(/./gs, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
const rawJson = (text: string) => `{"error":"invalid_request","error_description":"${text}"}`

const spellings: [string, (secret: string) => string][] = [
  ['unchanged', (secret) => secret],
  ['percent-encoded', encodeURIComponent],
  ['as a form', (secret) => new URLSearchParams({ secret }).toString()],
  ['in a web page', (secret) => secret.replaceAll('&', '&amp;').replaceAll('"', '&quot;')],
  ['as JSON', (secret) => JSON.stringify(secret)],
]
const bodies: [string, (text: string) => string][] = [
  ['error_description', (text) => JSON.stringify({ error: 'invalid_request', error_description: text })],
  ['error', (text) => JSON.stringify({ error: text })],
  ['the name of a field', (text) => JSON.stringify({ errors: { [text]: ['is bad'] } })],
  ['plain text', (text) => `Bad request: ${text}`],
  ['a web page', (text) => `<html><head><title>${text}</title></head></html>`],
]
const echoes = [
  ...spellings.flatMap(([how, spell]) => bodies.map(([where, body]) => [how, where, spell, body] as const)),
  ['with every character escaped', 'JSON', escaped, rawJson] as const,
]

test.each(echoes)(
  'the error does not show a secret that the response repeats %s, in %s',
  async (_how, _where, spell, body) => {
    for (const status of [400, 500, 429]) {
      const server = await startServer((response, { body: sent }) => {
        const form = new URLSearchParams(sent)
        const secrets = ['code', 'code_verifier', 'client_secret', 'refresh_token', 'token']
          .flatMap((name) => form.get(name) ?? [])
          .map(spell)
        response.writeHead(status, json).end(body(secrets.join(' ')))
      })
      for (const send of [exchangeTestCode, refreshTestToken, revokeTestToken])
        expectNoSecret(await rejectionOf(send(server)))
    }
  },
)

test('the error does not show credentials of HTTP Basic that the response repeats', async () => {
  const server = await startServer((response, { headers }) => {
    const [, credentials = ''] = headers.authorization?.split(' ') ?? []
    const text = `Bad credentials ${credentials} (${Buffer.from(credentials, 'base64')})`
    response.writeHead(400, json).end(JSON.stringify({ error: 'invalid_request', error_description: text }))
  })
  const endpoints = { ...endpointsAt(server), requiresBasic: true }
  const { message } = await rejectionOf(refresh(clientOf(server), endpoints, secrets.refreshToken, now))
  expect(message).toMatch(/: Bad credentials … \(tt%2Dclient:…\)\.$/)
})

test('the error does not show tokens of an error response', async () => {
  const nested = { id_token: 'c-sesame' }
  const body = JSON.stringify({ access_token: 'a-sesame', refresh_token: 'b-sesame', nested })
  expectNoSecret(await rejectionOf(refreshTestToken(await serveResponse(400, body, json))))
})

test.each([301, 302, 303, 307, 308])('does not follow a redirect (%i) to any target', async (status) => {
  const evil = await serveResponse(200, JSON.stringify(tokenResponse), json)
  const server = await startServer((response, { url }) => {
    if (url === '/inside') response.writeHead(200, json).end(JSON.stringify(tokenResponse))
    else response.writeHead(status, { location: `${evil.origin}/oauth/token` }).end()
  })
  const inside = await serveResponse(status, '', { location: '/inside' })
  for (const send of [exchangeTestCode, refreshTestToken, revokeTestToken]) {
    const failure = await rejectionOf(send(server))
    expect(failure).toMatchObject({ code: 'rejected', status })
    expectNoSecret(failure)
    expect(await rejectionOf(send(inside))).toMatchObject({ code: 'rejected', status })
  }
  expect(evil.requests).toEqual([])
  expect(inside.requests.map(({ url }) => url)).not.toContain('/inside')
})
