import { expect, test, vi } from 'vitest'
import { InvalidResponseError, UnreachableError } from '../../../../src/api-client/api-errors.js'
import { createHttp } from '../../../../src/api-client/http/client.js'
import type { Fetch } from '../../../../src/api-client/http/transport.js'
import { TtError } from '../../../../src/lib/errors.js'
import { findFreePort } from '../../../support/ports.js'
import { type Handler, rejectionOf, serveResponse, startServer, type TestServer } from '../test-server.js'

const json = { 'content-type': 'application/json' }

/** Returns the error of a GET request to the service. */
const failureOf = (service: TestServer, options?: Parameters<TestServer['http']>[0]) =>
  rejectionOf(service.http(options).request('GET', '/timesheets'))

test('follows a redirect within the origin, with the token', async () => {
  const service = await startServer((response, { url }) => {
    if (url.startsWith('/api/v1/')) response.writeHead(302, { location: '/v2/timesheets' }).end()
    else response.writeHead(200, json).end('[]')
  })
  const response = await service.http().request('GET', '/timesheets')
  expect(response.value).toEqual([])
  expect(response.url.href).toBe(`${service.origin}/v2/timesheets`)
  expect(service.requests.map(({ headers }) => headers.authorization)).toEqual(
    Array(2).fill('Bearer secret-token'),
  )
})

test.each([307, 308])('a redirect with status %i preserves method and body', async (status) => {
  const service = await startServer((response, { url }) => {
    if (url.startsWith('/api/v1/')) response.writeHead(status, { location: '/v2/timesheets' }).end()
    else response.writeHead(201, json).end('{"id":1}')
  })
  await service.http().request('POST', '/timesheets', { body: { notes: 'x' } })
  expect(service.requests[1]).toMatchObject({ method: 'POST', url: '/v2/timesheets', body: '{"notes":"x"}' })
})

test('rejects a redirect to another origin and sends nothing there', async () => {
  const other = await serveResponse(200, '[]')
  const service = await serveResponse(307, '', { location: `${other.origin}/api/v1/timesheets` })
  const failure = await rejectionOf(service.http().request('POST', '/timesheets'))
  expect(failure).toBeInstanceOf(InvalidResponseError)
  expect(failure).toMatchObject({ code: 'rejected', status: 307 })
  expect(failure.message).toContain(`${other.origin}. The token was not sent there.`)
  expect(other.requests).toEqual([])
})

test.each<[string, Record<string, string>, number, string, number]>([
  ['GET', { location: '/api/v1/timesheets' }, 302, 'more than 5 times', 6],
  ['GET', {}, 302, 'without a valid target', 1],
  ['GET', { location: 'http://[' }, 302, 'without a valid target', 1],
  ['POST', { location: '/login' }, 302, 'redirects POST to /login', 1],
  ['GET', { location: 'mailto:a@example.com' }, 301, 'redirects to mailto:', 1],
])('rejects a redirect of %s with the headers %j', async (method, headers, status, message, requests) => {
  const service = await serveResponse(status, '', headers)
  const failure = await rejectionOf(service.http().request(method, '/timesheets'))
  expect(failure).toBeInstanceOf(InvalidResponseError)
  expect(failure).toMatchObject({ code: 'rejected', message: expect.stringContaining(message) })
  if (requests === 1) expect(failure).toMatchObject({ status })
  expect(service.requests).toHaveLength(requests)
})

test('a request has the token, accepts JSON and names its user agent', async () => {
  const service = await serveResponse(200, '[]', json)
  const response = await service.http().request('get', '/timesheets')
  expect(response).toMatchObject({ status: 200, value: [] })
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(service.requests).toHaveLength(1)
  expect(service.requests[0]).toMatchObject({
    method: 'GET',
    url: '/api/v1/timesheets',
    headers: { authorization: 'Bearer secret-token', accept: 'application/json', 'user-agent': 'tt/test' },
    body: '',
  })
  expect(service.requests[0]?.headers).not.toHaveProperty('content-type')
})

test('sends a body as JSON, adds further headers and replaces none of its own', async () => {
  const service = await serveResponse(201, '{"id":1}', json)
  await service.http().request('POST', 'timesheets', {
    body: { notes: 'café' },
    headers: { 'Idempotency-Key': 'k-1', Authorization: 'Bearer other' },
  })
  expect(service.requests[0]).toMatchObject({
    method: 'POST',
    url: '/api/v1/timesheets',
    headers: { ...json, 'idempotency-key': 'k-1', authorization: 'Bearer secret-token' },
    body: '{"notes":"café"}',
  })
})

test('encodes plus signs and spaces in the query, and omits undefined parameters', async () => {
  const service = await serveResponse(200, '[]')
  const query = { q: '{"notes_eq":"a+b c&d"}', page: undefined, odd: '\ud800' }
  await service.http().request('GET', '/timesheets?per_page=5', { query })
  expect(service.requests[0]?.url).toBe(
    '/api/v1/timesheets?per_page=5&q=%7B%22notes_eq%22%3A%22a%2Bb%20c%26d%22%7D&odd=%EF%BF%BD',
  )
})

/** Returns a client that sends its requests through a function instead of a socket. */
const httpThrough = (fetch: Fetch, timeoutMs = 10_000) =>
  createHttp({ baseUrl: 'http://localhost/api/v1/', token: () => 'local', userAgent: 'tt', fetch, timeoutMs })

test('a function instead of a socket receives the whole request, and its TtError stays unchanged', async () => {
  const full = new TtError('failure', 'The disk is full.')
  const send = vi.fn<Fetch>(() => Promise.reject(full))
  const request = httpThrough(send).request('POST', '/timesheets', { body: { notes: 'x' } })
  expect(await rejectionOf(request)).toBe(full)
  const headers = expect.objectContaining({ authorization: 'Bearer local' })
  expect(send.mock.calls).toEqual([
    [
      'http://localhost/api/v1/timesheets',
      expect.objectContaining({ method: 'POST', headers, body: '{"notes":"x"}' }),
    ],
  ])
})

test('removes white space around the token', async () => {
  const service = await serveResponse(200, '[]')
  await service.http({ token: () => 'Token\n' }).request('GET', '/timesheets')
  expect(service.requests[0]?.headers.authorization).toBe('Bearer Token')
})

test.each([
  ['', 'There is no token.'],
  ['to ken', 'The token contains an invalid character.'],
  ['tokén', 'The token contains an invalid character.'],
])('the token "%s" is never part of an error', async (token, message) => {
  const service = await serveResponse(200, '[]')
  expect(await failureOf(service, { token: () => token })).toMatchObject({ code: 'unauthenticated', message })
  expect(service.requests).toEqual([])
})

/** Starts a service that accepts only this token. */
const serveFor = (good: string) =>
  startServer((response, { headers }) => {
    if (headers.authorization === `Bearer ${good}`) response.writeHead(200, json).end('[]')
    else response.writeHead(401).end()
  })

test('refreshes a rejected token once and repeats the request with the same query and body', async () => {
  const service = await serveFor('new')
  const refreshToken = vi.fn(async () => 'new')
  const http = service.http({ token: () => 'old', refreshToken })
  const options = { query: { q: 'a+b' }, body: { notes: 'x' } }
  expect((await http.request('PATCH', '/timesheets', options)).status).toBe(200)
  expect(refreshToken.mock.calls).toEqual([['old']])
  const [first, second] = service.requests
  expect(second).toMatchObject({ method: 'PATCH', url: first?.url, body: first?.body })
  expect(service.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer old', 'Bearer new'])
})

test.each([200, 400, 403, 404, 500])('does not refresh the token after status %i', async (status) => {
  const service = await serveResponse(status, '')
  const refreshToken = vi.fn(async () => 'new')
  const outcome = await service
    .http({ refreshToken })
    .request('GET', '/timesheets')
    .catch((error) => error)
  expect(outcome).toMatchObject({ status })
  expect(refreshToken).not.toHaveBeenCalled()
  expect(service.requests).toHaveLength(1)
})

test('throws the error of a failed refresh and does not repeat the request', async () => {
  const service = await serveFor('new')
  const unreachable = new UnreachableError('The service cannot be reached.')
  const refreshToken = () => Promise.reject(unreachable)
  expect(await failureOf(service, { token: () => 'old', refreshToken })).toBe(unreachable)
  expect(service.requests).toHaveLength(1)
})

test.each([
  ['BREW', '/timesheets', undefined, '"BREW" is not an HTTP method.'],
  ['CONNECT', '/timesheets', undefined, '"CONNECT" is not an HTTP method.'],
  ['GET', '/timesheets', { a: 1 }, 'A GET request cannot have fields.'],
  ['GET', 'https://elsewhere.example/api/v1', undefined, 'https://elsewhere.example is not the service'],
  ['GET', 'http://[', undefined, '"http://[" is not a path.'],
])('%s %s with body %j is a usage error', async (method, path, body, message) => {
  const service = await serveResponse(200, '[]')
  expect(await rejectionOf(service.http().request(method, path, { body }))).toMatchObject({
    code: 'usage',
    message: expect.stringContaining(message),
  })
  expect(service.requests).toEqual([])
})

test('a path that looks like another host stays below the base URL', async () => {
  const service = await serveResponse(200, '[]')
  await service.http().request('GET', '//elsewhere.example/x')
  await service.http().request('GET', '@elsewhere.example/x')
  expect(service.requests.map(({ url }) => url)).toEqual([
    '/api/v1/elsewhere.example/x',
    '/api/v1/@elsewhere.example/x',
  ])
})

test('the trace shows method, path, status and duration, but no token, query or body', async () => {
  const lines: string[] = []
  const service = await serveResponse(200, '{"notes":"private"}')
  const trace = (line: string) => void lines.push(line)
  const request = { query: { q: 'private' }, body: { notes: 'private' } }
  await service.http({ trace }).request('POST', '/timesheets', request)
  await failureOf(service, { baseUrl: `http://127.0.0.1:${await findFreePort()}/api/v1`, trace })
  expect(lines).toEqual([
    expect.stringMatching(/^POST \/api\/v1\/timesheets 200 \d+ ms$/),
    expect.stringMatching(/^GET \/api\/v1\/timesheets failed \d+ ms$/),
  ])
})

test.each<[string, Handler]>([
  ['does not respond', () => {}],
  ['stalls in the middle of the body', (response) => void response.writeHead(200, json).write('[{"id":')],
])('a service that %s is unreachable after the timeout', async (_, handler) => {
  const service = await startServer(handler)
  expect(await failureOf(service, { timeoutMs: 150 })).toMatchObject({
    code: 'unreachable',
    message: `The service at ${service.baseUrl} cannot be reached (timed out after 150 ms).`,
  })
})

test('a function that never responds times out too', async () => {
  const http = httpThrough(() => new Promise(() => {}), 50)
  expect((await rejectionOf(http.request('GET', '/timesheets'))).message).toContain('timed out after 50 ms')
})

test.each<[string, Handler]>([
  ['before the response', (response) => void response.socket?.destroy()],
  [
    'in the middle of the body',
    (response) => {
      response.writeHead(200, { ...json, 'content-length': '1000' })
      response.write('[{"id":', () => response.socket?.destroy())
    },
  ],
])('a connection lost %s is unreachable', async (_, handler) => {
  const service = await startServer(handler)
  expect(await failureOf(service)).toMatchObject({
    code: 'unreachable',
    isUnsent: false,
    message: expect.stringContaining('connection lost'),
  })
})

test('a refused connection is unreachable, and so is a port that speaks no TLS', async () => {
  const service = await serveResponse(200, '[]')
  for (const [baseUrl, reason] of [
    [`http://127.0.0.1:${await findFreePort()}/api/v1`, 'connection refused'],
    [service.baseUrl.replace('http:', 'https:'), 'the TLS connection failed'],
  ] as const) {
    const failure = await failureOf(service, { baseUrl })
    expect(failure).toBeInstanceOf(UnreachableError)
    const message = `The service at ${baseUrl} cannot be reached (${reason}).`
    expect(failure).toMatchObject({ code: 'unreachable', isUnsent: true, message })
  }
})

test.each([
  [200, '<html><body>x</body></html>', 'a web page instead'],
  [201, 'OK', 'text that is not JSON'],
])(
  'status %i with the body %s is rejected and the message describes the body',
  async (status, body, what) => {
    const failure = await failureOf(await serveResponse(status, body))
    expect(failure).toBeInstanceOf(InvalidResponseError)
    expect(failure).toMatchObject({
      code: 'rejected',
      status,
      message: expect.stringContaining(what),
      hint: expect.stringContaining('/api/v1'),
    })
  },
)

test.each(['gzip', 'br'])(
  'a body that is declared as %s but is not compressed is an invalid response',
  async (encoding) => {
    const service = await serveResponse(200, '[{"id":1}]', { ...json, 'content-encoding': encoding })
    for (const read of [
      () => service.http().request('GET', '/timesheets'),
      () => service.api().listProjects(),
    ]) {
      const failure = await rejectionOf(read())
      expect(failure).toBeInstanceOf(InvalidResponseError)
      expect(failure.message).toMatch(/^The response of the service at \S+ cannot be decompressed \(.+\)\.$/)
    }
  },
)
