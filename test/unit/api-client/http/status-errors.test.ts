import { expect, test } from 'vitest'
import {
  InvalidResponseError,
  isInconclusive,
  RejectedError,
  UnreachableError,
} from '../../../../src/api-client/api-errors.js'
import { networkError } from '../../../../src/api-client/http/network-errors.js'
import { errorText } from '../../../../src/api-client/http/status-errors.js'
import { hintText } from '../../../../src/cli/next-step-text.js'
import { TtError } from '../../../../src/lib/errors.js'
import { rejectionOf, serveResponse } from '../test-server.js'

const page = '<!doctype html><html><head><title>Not here</title></head><body>A long page</body></html>'

test.each<[number, string, string, string, string]>([
  [401, 'GET', '', 'unauthenticated', 'The service does not accept the token (401).'],
  [
    401,
    'GET',
    '{"error":"expired"}',
    'unauthenticated',
    'The service does not accept the token (401): expired.',
  ],
  [
    403,
    'GET',
    '{"error":"insufficient_scope"}',
    'insufficient_scope',
    'The token lacks the scope service:read (403).',
  ],
  [
    403,
    'PATCH',
    '{"error":"insufficient_scope","message":"Write is missing."}',
    'insufficient_scope',
    'The token lacks the scope service:write (403): Write is missing.',
  ],
  [403, 'PATCH', '', 'rejected', 'The service rejected the request (403).'],
  [403, 'PATCH', '{"error":"locked"}', 'rejected', 'The service rejected the request (403): locked.'],
  [
    403,
    'DELETE',
    page,
    'rejected',
    'The service rejected the request (403), with a web page titled "Not here".',
  ],
  [404, 'GET', '', 'not_found', 'The service at SERVICE has no resource at /api/v1/timesheets/1 (404).'],
  [
    404,
    'GET',
    '{"status":404,"error":"Not Found"}',
    'not_found',
    'The service at SERVICE has no resource at /api/v1/timesheets/1 (404): Not Found.',
  ],
  [
    404,
    'GET',
    page,
    'rejected',
    'The service at SERVICE has no resource at /api/v1/timesheets/1 (404), with a web page titled "Not here".',
  ],
  [
    400,
    'GET',
    page,
    'rejected',
    'The service rejected the request (400), with a web page titled "Not here".',
  ],
  [400, 'GET', '', 'rejected', 'The service rejected the request (400).'],
  [422, 'POST', '{"error":"invalid"}', 'rejected', 'The service rejected the request (422): invalid.'],
  [304, 'GET', '', 'rejected', 'The service rejected the request (304).'],
])('status %i to %s with the body %s is %s', async (status, method, body, code, message) => {
  const service = await serveResponse(status, body)
  expect(await rejectionOf(service.http().request(method, '/timesheets/1'))).toMatchObject({
    code,
    status,
    message: message.replace('SERVICE', service.baseUrl),
  })
})

test('the error for a rejected token names the next step', async () => {
  const service = await serveResponse(401, '')
  const failure = await rejectionOf(service.http().request('GET', '/companies'))
  expect(hintText(failure)).toBe('Check TT_TOKEN, or run `tt login` to sign in.')
})

test('the advice of the account replaces the default', async () => {
  const signInAdvice = {
    unauthenticated: { nextStep: { action: 'sign_in', profile: 'acme' } as const },
    missingScope: (scope: string) => ({ hint: `Request ${scope}.` }),
  }
  const adviceOf = async (status: number, method: string) => {
    const service = await serveResponse(status, '{"error":"insufficient_scope"}')
    const { hint, nextStep } = await rejectionOf(service.http({ signInAdvice }).request(method, '/companies'))
    return nextStep ?? hint
  }
  expect(await adviceOf(401, 'GET')).toEqual({ action: 'sign_in', profile: 'acme' })
  expect(await adviceOf(403, 'GET')).toBe('Request service:read.')
  expect(await adviceOf(403, 'DELETE')).toBe('Request service:write.')
  expect(await adviceOf(404, 'GET')).toBeUndefined()
})

test('the default advice names a missing scope', async () => {
  const service = await serveResponse(403, '{"error":"insufficient_scope"}')
  const failure = await rejectionOf(service.http().request('POST', '/timesheets'))
  expect(hintText(failure)).toBe(
    'Set TT_TOKEN to a token with the scope service:write, or run `tt login` to sign in.',
  )
})

test.each([
  [408, '', 'is temporarily unavailable (408).'],
  [425, '', 'is temporarily unavailable (425).'],
  [429, '{"message":"Slow down"}', 'allows no more requests at the moment (429): Slow down.'],
  [500, '', 'is temporarily unavailable (500).'],
  [502, page, 'is temporarily unavailable (502), with a web page titled "Not here".'],
  [503, '{"error":"maintenance"}', 'is temporarily unavailable (503): maintenance.'],
])('status %i with the body %s is unreachable', async (status, body, message) => {
  const service = await serveResponse(status, body)
  const failure = await rejectionOf(service.http().request('GET', '/timesheets'))
  expect(failure).toBeInstanceOf(UnreachableError)
  expect(failure).toMatchObject({
    code: 'unreachable',
    status,
    message: `The service at ${service.baseUrl} ${message}`,
  })
})

test.each<[string, number, number]>([
  ['120', 120_000, 120_000],
  [new Date(Date.now() + 60_000).toUTCString(), 50_000, 60_000],
  ['Wed, 21 Oct 2015 07:28:00 GMT', 0, 0],
])('reads Retry-After: %s in milliseconds', async (header, least, most) => {
  const service = await serveResponse(503, '', { 'retry-after': header })
  const failure = await rejectionOf(service.http().request('GET', '/timesheets'))
  if (!(failure instanceof UnreachableError)) throw failure
  expect(failure.retryAfterMs).toBeGreaterThanOrEqual(least)
  expect(failure.retryAfterMs).toBeLessThanOrEqual(most)
})

test.each([undefined, 'soon', ''])('ignores Retry-After: %s', async (header) => {
  const service = await serveResponse(503, '', header === undefined ? {} : { 'retry-after': header })
  expect(await rejectionOf(service.http().request('GET', '/timesheets'))).toMatchObject({
    retryAfterMs: undefined,
  })
})

test("an error removes control characters from the service's message and shortens it", async () => {
  const service = await serveResponse(422, JSON.stringify({ message: `\u001b[2J\r\n${'x'.repeat(9000)}` }))
  const { message } = await rejectionOf(service.http().request('POST', '/timesheets'))
  expect(message).not.toMatch(/\p{Cc}/u)
  expect(message.length).toBeLessThan(600)
})

test.each([
  ['ENOTFOUND', 'no such host'],
  ['EAI_AGAIN', 'the host name cannot be resolved'],
  ['EHOSTUNREACH', 'no route to the host'],
  ['UND_ERR_CONNECT_TIMEOUT', 'timed out'],
  ['CERT_HAS_EXPIRED', 'the certificate has expired'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate belongs to another host'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'the certificate is not trusted'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'the certificate is not trusted'],
  ['HPE_INVALID_CONSTANT', 'the response is not HTTP'],
])('the network error %s reads: %s', (code, words) => {
  const error = new TypeError('fetch failed', { cause: Object.assign(new Error('reason'), { code }) })
  expect(networkError(error, 'https://example.com/api/v1').message).toBe(
    `The service at https://example.com/api/v1 cannot be reached (${words}).`,
  )
})

const wrapped = (reason: object) =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('reason'), reason) })

test.each<[string, object, boolean]>([
  ['no such host', { code: 'ENOTFOUND', syscall: 'getaddrinfo' }, true],
  ['a failed lookup', { code: 'EAI_AGAIN', syscall: 'getaddrinfo' }, true],
  ['a refused connection', { code: 'ECONNREFUSED', syscall: 'connect' }, true],
  ['a refused connection at every address', { code: 'ECONNREFUSED' }, true],
  ['no route', { code: 'EHOSTUNREACH', syscall: 'connect' }, true],
  ['a route lost while waiting for the response', { code: 'EHOSTUNREACH', syscall: 'read' }, false],
  ['an expired certificate', { code: 'CERT_HAS_EXPIRED' }, true],
  ['a certificate of another host', { code: 'ERR_TLS_CERT_ALTNAME_INVALID' }, true],
  ['an untrusted certificate', { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }, true],
  ['a failed handshake', { code: 'EPROTO', syscall: 'write' }, true],
  ['a later encryption error', { code: 'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC' }, false],
  ['a lost connection', { code: 'ECONNRESET', syscall: 'read' }, false],
  ['a timeout', { code: 'ETIMEDOUT' }, false],
  ['a response that is not HTTP', { code: 'HPE_INVALID_CONSTANT' }, false],
  ['an unknown error', {}, false],
])('the error after %s tells whether the request was certainly not sent', (_, reason, unsent) => {
  expect(networkError(wrapped(reason), 'https://example.com')).toMatchObject({ isUnsent: unsent })
})

test.each([
  [408, false],
  [429, true],
  [500, false],
  [503, false],
])('status %i proves that the service did not process the request: %s', async (status, unsent) => {
  const service = await serveResponse(status, '')
  expect(await rejectionOf(service.http().request('POST', '/timesheets'))).toMatchObject({ isUnsent: unsent })
})

test.each<[number, string, string, string[]]>([
  [400, '', '', []],
  [400, 'Bad things', 'Bad things', []],
  [404, '{"status":404,"error":"Not Found"}', 'Not Found', []],
  [409, '{}', '', []],
  [
    422,
    '{"message":"time_end is too early.","errors":{"time_end":["is too early"]}}',
    'time_end is too early.',
    ['time_end'],
  ],
  [
    422,
    '{"errors":{"task_link":["must exist","is odd"],"base":["locked"],"notes":"is long"}}',
    'task_link must exist; task_link is odd; locked; notes is long',
    ['task_link', 'notes'],
  ],
  [422, '{"errors":["Task link must exist"]}', 'Task link must exist', []],
  [422, '{"errors":[{"field":"notes","message":"too long"}]}', 'notes too long', ['notes']],
  [422, '{"time_end":["is too early"]}', 'time_end is too early', ['time_end']],
  [422, '{"errors":{"expense":{"amount":["is odd"]}}}', 'amount is odd', ['amount']],
])('reads reason and field names from status %i with the body %s', async (status, body, reason, fields) => {
  const service = await serveResponse(status, body)
  const failure = await rejectionOf(service.http().request('POST', '/timesheets'))
  expect(failure).toBeInstanceOf(RejectedError)
  expect(failure).toMatchObject({ reason, fields, status })
})

test('a 403 that names insufficient_scope only in WWW-Authenticate is a missing scope', async () => {
  const challenge = 'Bearer realm="api", error="insufficient_scope", scope="service:write"'
  const service = await serveResponse(403, '', { 'www-authenticate': challenge })
  const failure = await rejectionOf(service.http().request('POST', '/timesheets'))
  expect(failure).toMatchObject({ code: 'insufficient_scope', status: 403 })
})

test.each([
  [page, true],
  ['RBAC: access denied', true],
  ['', false],
  ['{"error":"locked"}', false],
])('a 403 with the body %s is inconclusive about the record: %s', async (body, expected) => {
  const service = await serveResponse(403, body)
  const failure = await rejectionOf(service.http().request('POST', '/timesheets'))
  expect(isInconclusive(failure)).toBe(expected)
  expect(failure instanceof RejectedError).toBe(!expected)
})

test.each([
  [401, ''],
  [403, '{"error":"insufficient_scope"}'],
])('status %i with the body %s does not reject the request itself', async (status, body) => {
  const service = await serveResponse(status, body)
  const failure = await rejectionOf(service.http().request('POST', '/timesheets'))
  expect(failure).not.toBeInstanceOf(RejectedError)
  expect(isInconclusive(failure)).toBe(false)
})

test.each<[number, string, Record<string, string>]>([
  [200, page, {}],
  [201, '{"id":', {}],
  [302, '', { location: '/login' }],
  [307, '', { location: 'https://elsewhere.example/' }],
  [304, '', {}],
])('status %i with the body %s and headers %j is an invalid response', async (status, body, headers) => {
  const service = await serveResponse(status, body, headers)
  const failure = await rejectionOf(service.http().request('POST', '/timesheets'))
  expect(failure).toBeInstanceOf(InvalidResponseError)
  expect(failure).toMatchObject({ code: 'rejected', status })
})

test('a missing or invalid response is inconclusive, and a rejection is conclusive', () => {
  expect(isInconclusive(new UnreachableError('Gone.'))).toBe(true)
  expect(isInconclusive(new InvalidResponseError('Odd.'))).toBe(true)
  expect(isInconclusive(new RejectedError('rejected', 'No.', { reason: '', fields: [] }))).toBe(false)
  expect(isInconclusive(new TtError('rejected', 'No.'))).toBe(false)
})

test.each([
  ['', '.'],
  ['{}', '.'],
  [page, ', with a web page titled "Not here".'],
  ['Bad things', ': Bad things.'],
  ['{"message":"cut o', ': {"message":"cut o.'],
  ['{"error":"invalid","message":"Too early."}', ': Too early.'],
  ['{"error":"invalid","error_description":"Too late"}', ': Too late.'],
  ['{"error":{"message":"Nope"}}', ': Nope.'],
  ['{"errors":{"x":["does not exist"],"base":["locked"]}}', ': x does not exist; locked.'],
  ['{"message":"Invalid","errors":{"x":["must exist","is odd"]}}', ': Invalid: x must exist; x is odd.'],
  ['{"message":"It is archived.","errors":{"x":["is invalid"]}}', ': It is archived: x is invalid.'],
  ['{"message":"x is set; y is odd.","errors":{"x":["is set"],"y":["is odd"]}}', ': x is set; y is odd.'],
  ['{"errors":["Task link must exist","Notes are long"]}', ': Task link must exist; Notes are long.'],
  ['["Task link must exist"]', ': Task link must exist.'],
  ['{"time_end":["is too early"]}', ': time_end is too early.'],
  ['{"errors":[{"field":"notes","message":"too long"}]}', ': notes too long.'],
])('the error text of the body %s, each part once, is %s', (body, words) => {
  expect(errorText(body)).toBe(words)
})
