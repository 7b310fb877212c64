import { expect, test } from 'vitest'
import { discover } from '../../../../../src/api-client/auth/oauth/oauth-client.js'
import { revoke } from '../../../../../src/api-client/auth/oauth/token-endpoint.js'
import { rejectionOf, serveResponse, startServer } from '../../test-server.js'
import { clientOf, endpointsAt, json, secrets } from './token-endpoint-fixtures.js'

/** Starts a server with metadata, modified by `change`. */
function serveMetadata(change: (origin: string) => Record<string, unknown> = () => ({}), path = '') {
  return startServer((response, { url }, origin) => {
    if (url !== `/.well-known/oauth-authorization-server${path}`) return void response.writeHead(404).end()
    const metadata = {
      issuer: `${origin}${path}`,
      authorization_endpoint: `${origin}/elsewhere/authorize`,
      token_endpoint: `${origin}/elsewhere/token`,
      revocation_endpoint: `${origin}/elsewhere/revoke`,
      code_challenge_methods_supported: ['plain', 'S256'],
      ...change(origin),
    }
    response.writeHead(200, json).end(JSON.stringify(metadata))
  })
}

const documentedAt = (origin: string) => ({ ...endpointsAt({ origin }), issuer: undefined })

test('uses the endpoints of the metadata', async () => {
  const server = await serveMetadata()
  expect(await discover(clientOf(server))).toEqual({
    authorization: `${server.origin}/elsewhere/authorize`,
    token: `${server.origin}/elsewhere/token`,
    revocation: `${server.origin}/elsewhere/revoke`,
    issuer: server.origin,
    supportsIss: false,
    // Without authentication methods, RFC 8414 section 2 assumes HTTP Basic, but service-api-v1.md shows the
    // client secret in the form.
    requiresBasic: false,
  })
  expect(server.requests).toMatchObject([{ method: 'GET', body: '' }])
  expect(server.requests[0]?.headers.authorization).toBeUndefined()
})

test('requests the metadata of a server with a path as in RFC 8414 section 3.1', async () => {
  const server = await serveMetadata(undefined, '/tenant')
  const endpoints = await discover(clientOf(server, { authUrl: `${server.origin}/tenant/` }))
  expect(endpoints.issuer).toBe(`${server.origin}/tenant`)
  const without = await serveResponse(404, '')
  expect(await discover(clientOf(without, { authUrl: `${without.origin}/tenant` }))).toEqual(
    documentedAt(`${without.origin}/tenant`),
  )
})

test('uses the metadata of an issuer whose path ends with a slash', async () => {
  const server = await serveMetadata((origin) => ({ issuer: `${origin}/tenant/` }), '/tenant')
  for (const path of ['/tenant', '/tenant/']) {
    const endpoints = await discover(clientOf(server, { authUrl: `${server.origin}${path}` }))
    expect(endpoints.issuer).toBe(`${server.origin}/tenant/`)
  }
})

test.each([
  [['client_secret_basic'], true],
  [['private_key_jwt', 'client_secret_basic'], true],
  [['client_secret_basic', 'client_secret_post'], false],
  [['none'], false],
  [5, false],
])('with the authentication methods %j, HTTP Basic is required: %j', async (methods, requiresBasic) => {
  const server = await serveMetadata(() => ({ token_endpoint_auth_methods_supported: methods }))
  expect((await discover(clientOf(server))).requiresBasic).toBe(requiresBasic)
})

test.each([
  [true, true],
  ['true', false],
])('reads authorization_response_iss_parameter_supported: %j as %j', async (value, supportsIss) => {
  const server = await serveMetadata(() => ({ authorization_response_iss_parameter_supported: value }))
  expect((await discover(clientOf(server))).supportsIss).toBe(supportsIss)
})

test.each<[string, (origin: string) => Record<string, unknown>]>([
  ['another issuer', () => ({ issuer: 'https://honest.example' })],
  ['an issuer of another path', (origin) => ({ issuer: `${origin}/tenant` })],
  ['an issuer with the same beginning', (origin) => ({ issuer: `${origin}.evil.example` })],
  ['a token endpoint of another port', () => ({ token_endpoint: 'http://127.0.0.1:1/token' })],
  ['a token endpoint that hides its host', (origin) => ({ token_endpoint: `${origin}@evil.example/token` })],
  ['no token endpoint', () => ({ token_endpoint: undefined })],
  ['a token endpoint that is not a URL', () => ({ token_endpoint: '/token' })],
  [
    'an authorization endpoint of another origin',
    () => ({ authorization_endpoint: 'https://evil.example/a' }),
  ],
  ['an authorization endpoint that is a script', () => ({ authorization_endpoint: 'javascript:alert(1)' })],
])('ignores metadata with %s and uses the documented endpoints', async (_, change) => {
  const server = await serveMetadata(change)
  expect(await discover(clientOf(server))).toEqual(documentedAt(server.origin))
})

test('ignores a revocation endpoint of another origin, and sends no token there', async () => {
  const evil = await serveResponse(200, '')
  const server = await serveMetadata(() => ({ revocation_endpoint: `${evil.origin}/revoke` }))
  const endpoints = await discover(clientOf(server))
  expect(endpoints.revocation).toBeUndefined()
  await revoke(clientOf(server), endpoints, secrets.token, 'refresh_token')
  expect(evil.requests).toEqual([])
  expect(server.requests).toHaveLength(1)
})

test.each<[number, string, Record<string, string>]>([
  [500, 'oops', {}],
  [302, '', { location: '/login' }],
  [200, '<!doctype html><html><head><title>Welcome</title></head></html>', { 'content-type': 'text/html' }],
  [200, 'null', json],
])('uses the documented endpoints without metadata (%i %j)', async (status, body, headers) => {
  const server = await serveResponse(status, body, headers)
  expect(await discover(clientOf(server))).toEqual(documentedAt(server.origin))
  expect(server.requests).toHaveLength(1)
})

test.each([[['plain']], [[]]])('rejects a server that supports only the PKCE methods %j', async (methods) => {
  const server = await serveMetadata(() => ({ code_challenge_methods_supported: methods }))
  expect(await rejectionOf(discover(clientOf(server)))).toMatchObject({
    code: 'rejected',
    message: `The service at ${server.origin} does not support PKCE with S256.`,
  })
})

test('uses metadata without PKCE methods, because the service document requires S256', async () => {
  const server = await serveMetadata(() => ({ code_challenge_methods_supported: undefined }))
  expect((await discover(clientOf(server))).token).toBe(`${server.origin}/elsewhere/token`)
})

test.each([429, 502, 503, 504])(
  'reports a temporarily unavailable server (%i) and Retry-After',
  async (status) => {
    const server = await serveResponse(status, '', { 'retry-after': '7' })
    const failure = await rejectionOf(discover(clientOf(server)))
    expect(failure).toMatchObject({ code: 'unreachable', retryAfterMs: 7_000 })
  },
)

test.each(['http://service.example', 'ftp://service.example'])(
  'the address %s is a usage error without a request',
  async (authUrl) => {
    expect(await rejectionOf(discover(clientOf({ origin: authUrl })))).toMatchObject({ code: 'usage' })
  },
)
