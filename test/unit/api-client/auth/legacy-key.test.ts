import { expect, test } from 'vitest'
import { fetchKey, findKey, type KeyRequest } from '../../../../src/api-client/auth/legacy-key.js'
import { hintText } from '../../../../src/cli/next-step-text.js'
import { rejectionOf, serveResponse, startServer } from '../test-server.js'

const password = 'p&ss+wörd =%41'
const requestKey = (authUrl: string, more: Partial<KeyRequest> = {}) =>
  fetchKey({
    authUrl,
    email: 'ann+tt@example.com',
    password,
    application: 'tt on desk',
    userAgent: 'tt/test',
    ...more,
  })

const service = 'https://example.com'

test.each<[unknown, string?]>([
  [{ token: 'other', api_key: 'K' }],
  [{ status: 'ok', access_token: 'K' }],
  [{ status: 'ok', name: 'Ann', auth_token: 'K' }],
  [{ api_key: null, token: 'K' }],
  [{ api_key: '', token: 'K' }],
  [{ api_key: 'two words', token: 'K' }],
  [[{ api_key: 'K' }]],
  [{ user: { id: 1, name: 'Ann', api_key: 'K' } }],
  [{ api_key: { id: 1, token: 'K', created_at: '2024-05-01' } }],
  [{ user: { token: 'inner' }, key: 'K' }],
  [{ id: 7, secret: 'K', created_at: '2024-05-01T10:00:00Z', email: 'ann@example.com', note: 'two words' }],
  [{ data: { secret: 'K' } }],
  ['K'],
  [{ api_key: 'user:abc$%' }, 'user:abc$%'],
])('finds the key in %j', (body, key = 'K') => {
  expect(findKey(body, service)).toBe(key)
})

const failureOf = (body: unknown) => rejectionOf(Promise.resolve().then(() => findKey(body, service)))

test.each([
  [{ message: 'Wrong password, AAA' }, ['message']],
  [{ data: { first: 'AAA', second: 'BBB' }, ok: true }, ['data.first', 'data.second', 'ok']],
  [{ data: { more: { api_key: 'AAA' } } }, ['data.more']],
  [[{ api_key: 'AAA' }, { api_key: 'BBB' }], []],
  [{}, []],
  [null, []],
  ['AAA BBB', []],
])('finds no key in %j, and the error shows only the field names', async (body, names) => {
  const failure = await failureOf(body)
  expect(failure.code).toBe('rejected')
  expect(hintText(failure)).toContain('tt login')
  expect(failure.message).not.toMatch(/AAA|BBB/)
  if (names.length > 0) expect(failure.message).toContain(`(fields: ${names.join(', ')})`)
  else expect(failure.message).not.toContain('fields')
})

test('the error removes control characters from field names and shortens the list', async () => {
  const names = Array.from({ length: 50 }, (_, index) => `\u001b]0;${index}${'x'.repeat(500)}`)
  const { message } = await failureOf(Object.fromEntries(names.map((name) => [name, 'AAA'])))
  expect(message).not.toContain('\u001b')
  expect(message.length).toBeLessThan(1_200)
})

test('sends email, password and application as a form', async () => {
  const service = await serveResponse(200, '{"api_key":"the-key"}')
  expect(await requestKey(`${service.origin}/`)).toBe('the-key')
  expect(service.requests).toHaveLength(1)
  const [request] = service.requests
  expect(request).toMatchObject({ method: 'POST', url: '/api/v1/authenticate' })
  expect(request?.headers).toMatchObject({
    'content-type': expect.stringMatching(/^application\/x-www-form-urlencoded/),
    accept: 'application/json',
    'user-agent': 'tt/test',
  })
  expect(request?.headers.authorization).toBeUndefined()
  expect([...new URLSearchParams(request?.body)]).toEqual([
    ['email', 'ann+tt@example.com'],
    ['password', password],
    ['application', 'tt on desk'],
  ])
})

test.each([
  [401, '', 'unauthenticated', 'does not accept the email or the password (401).'],
  [403, '{"error":"deactivated"}', 'unauthenticated', 'the email or the password (403): deactivated.'],
  [404, '<html><title>Nope</title></html>', 'not_found', 'issue keys (404), with a web page titled "Nope".'],
  [422, '{"errors":{"email":["is odd"]}}', 'rejected', 'did not issue a key (422): email is odd.'],
  [429, '', 'unreachable', 'allows no more requests at the moment (429).'],
  [
    500,
    '<!doctype html><title>Oops</title>',
    'unreachable',
    'temporarily unavailable (500), with a web page',
  ],
  [200, '<!doctype html><title>Sign in</title>', 'rejected', 'a web page titled "Sign in" instead of a key.'],
  [204, '', 'rejected', 'an empty body instead of a key.'],
  [200, '{"message":"not today"}', 'rejected', 'No field in the response of'],
])('status %i with %j is %s: %s', async (status, body, code, words) => {
  const service = await serveResponse(status, body, { 'retry-after': '30' })
  const failure = await rejectionOf(requestKey(service.origin))
  expect(failure).toMatchObject({ code, ...(status === 429 ? { retryAfterMs: 30_000 } : {}) })
  expect(hintText(failure)).toMatch(/\.$/)
  expect(failure.message).toContain(words)
  expect(failure.message).not.toContain(password)
})

test.each([
  JSON.stringify({ message: `Wrong password: ${password}` }),
  JSON.stringify({ errors: { password: [password] } }),
  password,
])('the error does not contain the password from the response %s', async (body) => {
  for (const status of [400, 401, 404, 422, 429, 500]) {
    const service = await serveResponse(status, body)
    expect(JSON.stringify(await rejectionOf(requestKey(service.origin)))).not.toContain(password.slice(0, 6))
  }
})

test.each([301, 302, 303, 307, 308])('does not follow a redirect (%i) with the password', async (status) => {
  const other = await serveResponse(200, '{"api_key":"stolen"}')
  const location = `${other.origin}/api/v1/authenticate?x=secret`
  const service = await serveResponse(status, '', { location })
  const failure = await rejectionOf(requestKey(service.origin))
  expect(failure).toMatchObject({ code: 'rejected', status })
  expect(failure.message).toBe(`The service redirects to ${other.origin} (${status}).`)
  expect(failure.hint).toContain('The password was not sent there.')
  expect(other.requests).toEqual([])
  expect(service.requests).toHaveLength(1)
})

test('rejects http: to another machine before it sends a request, unless insecureHttp allows it', async () => {
  const failure = await rejectionOf(requestKey('http://service.invalid'))
  expect(failure).toMatchObject({ code: 'usage', message: expect.stringContaining('not encrypted') })
  const allowed = await rejectionOf(requestKey('http://service.invalid', { insecureHttp: true }))
  expect(allowed.code).toBe('unreachable')
})

test('a request without a response times out', async () => {
  const service = await startServer(() => {})
  const failure = await rejectionOf(requestKey(service.origin, { timeoutMs: 100 }))
  expect(failure.message).toContain('timed out after 100 ms')
})

test('the trace shows method, path and status, but no password or key', async () => {
  const lines: string[] = []
  const trace = (line: string) => void lines.push(line)
  await requestKey((await serveResponse(200, '{"api_key":"the-key"}')).origin, { trace })
  expect(lines).toEqual([expect.stringMatching(/^POST \/api\/v1\/authenticate 200 \d+ ms$/)])
})
