import { expect, test } from 'vitest'
import {
  InvalidResponseError,
  isInconclusive,
  RejectedError,
  UnreachableError,
} from '../../../../src/api-client/api-errors.js'
import { networkError } from '../../../../src/api-client/http/network-errors.js'
import { statusError } from '../../../../src/api-client/http/status-errors.js'
import { hintText } from '../../../../src/cli/next-step-text.js'
import { TtError } from '../../../../src/lib/errors.js'
import { rejectionOf, serveResponse } from '../test-server.js'

const page = '<!doctype html><html><head><title>Not here</title></head><body>A long page</body></html>'
const missingScope = '{"error":"insufficient_scope"}'
const service = 'https://tt.example/api/v1'

function errorFor(status: number, text = '', method = 'POST', headers: Record<string, string> = {}) {
  const response = { status, headers: new Headers(headers), text }
  return statusError({ method, path: '/api/v1/tags/1', service }, response)
}

const missing = `at ${service} has no resource at /api/v1/tags/1 (404)`

test.each<[number, string, string, unknown, string, string]>([
  [
    401,
    'GET',
    '{"error":"expired"}',
    TtError,
    'unauthenticated',
    'does not accept the token (401): expired.',
  ],
  [403, 'PATCH', '', RejectedError, 'rejected', 'rejected the request (403).'],
  [403, 'PATCH', '{"error":"locked"}', RejectedError, 'rejected', 'rejected the request (403): locked.'],
  [403, 'GET', 'RBAC: denied', InvalidResponseError, 'rejected', 'rejected the request (403): RBAC: denied.'],
  [404, 'GET', '', RejectedError, 'not_found', `${missing}.`],
  [404, 'GET', '{"status":404,"error":"Not Found"}', RejectedError, 'not_found', `${missing}: Not Found.`],
  [404, 'GET', page, InvalidResponseError, 'rejected', `${missing}, with a web page titled "Not here".`],
  [304, 'GET', '', InvalidResponseError, 'rejected', 'rejected the request (304).'],
])('status %i to %s with the body %s has its own error', (status, method, body, type, code, words) => {
  const failure = errorFor(status, body, method)
  expect(failure.constructor).toBe(type)
  expect(failure).toMatchObject({ code, status, message: `The service ${words}` })
})

test.each([
  ['GET', missingScope, '', 'service:read (403).'],
  ['PATCH', '{"error":"insufficient_scope","message":"It is late."}', '', 'service:write (403): It is late.'],
  [
    'POST',
    '',
    'Bearer realm="api", error="insufficient_scope", scope="service:write"',
    'service:write (403).',
  ],
])(
  'a 403 to %s with the body %s and WWW-Authenticate: %s is a missing scope',
  (method, body, challenge, end) => {
    const failure = errorFor(403, body, method, { 'www-authenticate': challenge })
    expect(failure.constructor).toBe(TtError)
    const message = `The token lacks the scope ${end}`
    expect(failure).toMatchObject({ code: 'insufficient_scope', status: 403, message })
  },
)

test('the advice of the account replaces the default', async () => {
  const signInAdvice = {
    unauthenticated: { nextStep: { action: 'sign_in', profile: 'acme' } as const },
    missingScope: (scope: string) => ({ hint: `Request ${scope}.` }),
  }
  const adviceOf = async (status: number, method: string) => {
    const service = await serveResponse(status, missingScope)
    const { hint, nextStep } = await rejectionOf(service.http({ signInAdvice }).request(method, '/companies'))
    return nextStep ?? hint
  }
  expect(await adviceOf(401, 'GET')).toEqual({ action: 'sign_in', profile: 'acme' })
  expect(await adviceOf(403, 'GET')).toBe('Request service:read.')
  expect(await adviceOf(403, 'DELETE')).toBe('Request service:write.')
  expect(await adviceOf(404, 'GET')).toBeUndefined()
})

test('the default advice names TT_TOKEN and a missing scope', () => {
  expect(hintText(errorFor(401))).toBe('Check TT_TOKEN, or run `tt login` to sign in.')
  expect(hintText(errorFor(403, missingScope))).toBe(
    'Set TT_TOKEN to a token with the scope service:write, or run `tt login` to sign in.',
  )
})

test.each([
  [408, '', false, 'is temporarily unavailable (408).'],
  [425, '', false, 'is temporarily unavailable (425).'],
  [429, '{"message":"Slow down"}', true, 'allows no more requests at the moment (429): Slow down.'],
  [500, '', false, 'is temporarily unavailable (500).'],
])('status %i with the body %s is unreachable, and the request was certainly not sent: %s', (...row) => {
  const [status, body, isUnsent, words] = row
  const message = `The service at ${service} ${words}`
  expect(errorFor(status, body).constructor).toBe(UnreachableError)
  expect(errorFor(status, body)).toMatchObject({ code: 'unreachable', status, isUnsent, message })
})

test('reads Retry-After in seconds and as a date, and ignores other values', () => {
  const waitMs = (header: string) => errorFor(503, '', 'GET', { 'retry-after': header })
  expect(waitMs('120')).toMatchObject({ retryAfterMs: 120_000 })
  expect(waitMs('Wed, 21 Oct 2015 07:28:00 GMT')).toMatchObject({ retryAfterMs: 0 })
  const { retryAfterMs } = waitMs(new Date(Date.now() + 60_000).toUTCString()) as UnreachableError
  expect(retryAfterMs).toBeGreaterThanOrEqual(50_000)
  expect(retryAfterMs).toBeLessThanOrEqual(60_000)
  for (const failure of [errorFor(503), waitMs('soon'), waitMs('')])
    expect(failure).toMatchObject({ retryAfterMs: undefined })
})

test("an error removes control characters from the service's message and shortens it", () => {
  const { message } = errorFor(422, JSON.stringify({ message: `\u001b[2J\r\n${'x'.repeat(9000)}` }))
  expect(message).not.toMatch(/\p{Cc}/u)
  expect(message.length).toBeLessThan(600)
})

test.each<[{ code?: string; syscall?: string }, string, boolean]>([
  [{ code: 'ENOTFOUND', syscall: 'getaddrinfo' }, 'no such host', true],
  [{ code: 'EAI_AGAIN', syscall: 'getaddrinfo' }, 'the host name cannot be resolved', true],
  [{ code: 'ECONNREFUSED' }, 'connection refused', true],
  [{ code: 'EHOSTUNREACH', syscall: 'connect' }, 'no route to the host', true],
  [{ code: 'EHOSTUNREACH', syscall: 'read' }, 'no route to the host', false],
  [{ code: 'UND_ERR_CONNECT_TIMEOUT' }, 'timed out', false],
  [{ code: 'ETIMEDOUT' }, 'timed out', false],
  [{ code: 'CERT_HAS_EXPIRED' }, 'the certificate has expired', true],
  [{ code: 'ERR_TLS_CERT_ALTNAME_INVALID' }, 'the certificate belongs to another host', true],
  [{ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, 'the certificate is not trusted', true],
  [{ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }, 'the certificate is not trusted', true],
  [{ code: 'EPROTO', syscall: 'write' }, 'the TLS connection failed', true],
  [{ code: 'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC' }, 'the TLS connection failed', false],
  [{ code: 'ECONNRESET', syscall: 'read' }, 'connection lost', false],
  [{ code: 'HPE_INVALID_CONSTANT' }, 'the response is not HTTP', false],
  [{}, 'reason', false],
])(
  'the network error %j reads: %s, and the request was certainly not sent: %s',
  (reason, words, isUnsent) => {
    const cause = Object.assign(new Error('reason'), reason)
    const message = `The service at ${service} cannot be reached (${words}).`
    expect(networkError(new TypeError('fetch failed', { cause }), service)).toMatchObject({
      message,
      isUnsent,
    })
  },
)

test('a missing or invalid response is inconclusive, and a rejection is conclusive', () => {
  expect(isInconclusive(new UnreachableError('Gone.'))).toBe(true)
  expect(isInconclusive(new InvalidResponseError('Odd.'))).toBe(true)
  expect(isInconclusive(new RejectedError('rejected', 'No.', { reason: '', fields: [] }))).toBe(false)
  expect(isInconclusive(new TtError('rejected', 'No.'))).toBe(false)
})

test.each<[string, string, string[]]>([
  ['', '', []],
  ['{}', '', []],
  [page, '', []],
  ['Bad things', 'Bad things', []],
  ['{"message":"cut o', '{"message":"cut o', []],
  ['{"error":"invalid","message":"Too early."}', 'Too early.', []],
  ['{"error":"invalid","error_description":"Too late"}', 'Too late', []],
  ['{"error":{"message":"Nope"}}', 'Nope', []],
  [
    '{"errors":{"x":["is late"],"base":["locked"],"y":"is long"}}',
    'x is late; locked; y is long',
    ['x', 'y'],
  ],
  ['{"message":"Invalid","errors":{"x":["must exist","is odd"]}}', 'Invalid: x must exist; x is odd', ['x']],
  ['{"message":"It is archived.","errors":{"x":["is odd"]}}', 'It is archived: x is odd', ['x']],
  [
    '{"message":"x is set; y is odd.","errors":{"x":["is set"],"y":["is odd"]}}',
    'x is set; y is odd.',
    ['x', 'y'],
  ],
  ['{"errors":["Task link must exist","Notes are long"]}', 'Task link must exist; Notes are long', []],
  ['["Task link must exist"]', 'Task link must exist', []],
  ['{"time_end":["is too early"]}', 'time_end is too early', ['time_end']],
  ['{"errors":[{"field":"notes","message":"too long"}]}', 'notes too long', ['notes']],
  ['{"errors":{"expense":{"amount":["is odd"]}}}', 'amount is odd', ['amount']],
])('reads from the body %s the reason "%s", each part once, and the fields %j', (body, reason, fields) => {
  expect(errorFor(422, body)).toMatchObject({ reason, fields, status: 422 })
})
