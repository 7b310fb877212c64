import { expect, it } from 'vitest'
import { requestOrigin, validatePublicUrl } from '../../../../src/service/oauth/issuer.js'
import { temporarySqlite, useDatabase } from '../fixtures.js'
import { createOAuthTestService, origin } from './test-service.js'

const database = useDatabase(temporarySqlite)

const metadataPath = '/.well-known/oauth-authorization-server'

it('the metadata contains everything a client needs (RFC 8414)', async () => {
  const service = await createOAuthTestService(database.storage)
  const response = await service.send(new Request(`${origin}${metadataPath}`))
  expect(response.status).toBe(200)
  expect(response.headers.get('Content-Type')).toContain('application/json')
  expect(await response.json()).toEqual({
    issuer: origin,
    authorization_endpoint: `${origin}/oauth/authorize`,
    token_endpoint: `${origin}/oauth/token`,
    revocation_endpoint: `${origin}/oauth/revoke`,
    scopes_supported: ['service:read', 'service:write'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    authorization_response_iss_parameter_supported: true,
  })
})

it.each(['/', '/oauth/authorize', '/oauth/token', '/oauth/revoke', metadataPath, '/api/v1/authenticate'])(
  '%s rejects a host name that an attacker points to this address',
  async (path) => {
    const service = await createOAuthTestService(database.storage)
    const method = ['/', '/oauth/authorize', metadataPath].includes(path) ? 'GET' : 'POST'
    const response = await service.send(new Request(`http://evil.example:8320${path}`, { method }))
    expect(response.status).toBe(421)
    expect(await response.text()).toContain('must set its public URL')
  },
)

it.each([
  ['http://127.0.0.1:8320/x', '127.0.0.1', '127.0.0.1', 'http://127.0.0.1:8320'],
  ['http://localhost:9000/x', '0.0.0.0', '172.17.0.2', 'http://localhost:9000'],
  ['http://[::1]:8320/x', '::1', '::1', 'http://[::1]:8320'],
  ['http://192.0.2.5:8320/x', '0.0.0.0', '192.0.2.5', 'http://192.0.2.5:8320'],
  ['http://192.0.2.5:8320/x', '::', '::ffff:192.0.2.5', 'http://192.0.2.5:8320'],
  ['http://192.0.2.6:8320/x', '0.0.0.0', '192.0.2.5', undefined],
  ['http://Desk.lan:8320/x', 'desk.LAN', '192.0.2.5', 'http://desk.lan:8320'],
  ['http://127.0.0.1.evil.example/x', '127.0.0.1', '127.0.0.1', undefined],
  ['http://localhost.evil.example/x', '127.0.0.1', '127.0.0.1', undefined],
  ['http://evil.example/x', '127.0.0.1', '', undefined],
])(
  'the request URL %s to a service that listens on %s, at the address %s, has the origin %s',
  (url, host, localAddress, own) => {
    expect(requestOrigin(new URL(url), host, { localAddress })).toBe(own)
  },
)

it.each([
  ['https://time.example.com/', 'https://time.example.com'],
  ['HTTPS://Time.Example.com:443', 'https://time.example.com'],
  ['http://127.0.0.1:8320', 'http://127.0.0.1:8320'],
])('the public URL %s becomes %s', (text, url) => {
  expect(validatePublicUrl(text)).toBe(url)
})

it.each([
  'time.example.com',
  'https://a.example/path',
  'https://a.example?x',
  'https://a.example#x',
  'ftp://a',
])('the public URL %j is rejected', (text) => {
  expect(() => validatePublicUrl(text)).toThrow('is not a valid public URL')
})

it('leaves every other path to the API', async () => {
  const service = await createOAuthTestService(database.storage)
  for (const [path, status] of [
    ['/api/v1/companies', 401],
    ['/oauth', 404],
    ['/oauth/token/', 404],
    ['/constructor', 404],
    ['/?/oauth/authorize', 200],
  ] as const) {
    expect([path, (await service.send(new Request(`${origin}${path}`))).status]).toEqual([path, status])
  }
  const evil = await service.send(new Request('http://evil.example/api/v1/companies'))
  expect(evil.status).toBe(401)
})
