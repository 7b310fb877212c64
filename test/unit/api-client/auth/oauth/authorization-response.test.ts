import { expect, test } from 'vitest'
import {
  type ExpectedResponse,
  readAuthorizationResponse,
  readPastedUrl,
} from '../../../../../src/api-client/auth/oauth/authorization-response.js'
import { hintText } from '../../../../../src/cli/next-step-text.js'

const state = 'right-state'
const issuer = 'https://example.com'
const read = (query: string, expected: Partial<ExpectedResponse> = {}) =>
  readAuthorizationResponse(new URLSearchParams(query), { state, ...expected })

test('reads the code with the right state and ignores unknown parameters', () => {
  expect(read('code=abc&state=right-state&session_state=x')).toEqual({ code: 'abc' })
})

test.each([
  ['code=abc', 'no state'],
  ['code=abc&state=wrong', 'another sign-in'],
  ['code=abc&state=Right-state', 'another sign-in'],
  ['error=access_denied&state=wrong', 'another sign-in'],
  ['code=abc&state=wrong&iss=https://evil.example', 'another sign-in'],
  ['state=right-state', 'neither a code nor an error'],
  ['state=right-state&code=', 'neither a code nor an error'],
  ['code=abc&code=def&state=right-state', 'more than once'],
  ['code=abc&state=wrong&state=right-state', 'more than once'],
  ['code=abc&state=right-state&iss=a&iss=b', 'more than once'],
])('rejects %s: %s', (query, problem) => {
  expect(read(query, { issuer })).toEqual({ problem: expect.stringContaining(problem) })
})

test.each([
  ['iss=https://example.com', { issuer, supportsIss: true }],
  ['iss=https://other.example', {}],
])('accepts the issuer in "%s" when %j is expected', (iss, expected) => {
  expect(read(`code=abc&state=right-state&${iss}`, expected)).toEqual({ code: 'abc' })
})

test.each([
  ['iss=https://evil.example', { issuer }, 'comes from https://evil.example'],
  ['iss=https://example.com/', { issuer }, 'comes from https://example.com/'],
  ['iss=', { issuer }, 'does not name its issuer'],
  ['', { issuer, supportsIss: true }, 'does not name its issuer'],
])('the issuer in "%s" ends the sign-in when %j is expected', (iss, expected, words) => {
  for (const outcome of ['code=abc', 'error=access_denied']) {
    expect(read(`${outcome}&state=right-state&${iss}`, expected)).toEqual({
      error: expect.objectContaining({ code: 'rejected', message: expect.stringContaining(words) }),
    })
  }
})

test.each([
  ['access_denied', 'unauthenticated', 'Access was denied in the browser.'],
  ['invalid_scope', 'rejected', 'The service rejected the scopes.'],
  ['unauthorized_client', 'rejected', 'does not allow this application to sign in users.'],
  ['server_error', 'unreachable', 'Signing in is temporarily unavailable (server_error).'],
  ['temporarily_unavailable', 'unreachable', 'temporarily unavailable (temporarily_unavailable).'],
  ['something_else', 'rejected', 'rejected the sign-in (something_else).'],
])(
  'the error %s takes precedence over a code and is reported as %s, with a next step',
  (error, code, words) => {
    const response = read(`state=right-state&code=abc&error=${error}`)
    const message = expect.stringContaining(words)
    expect(response).toEqual({ error: expect.objectContaining({ code, message }) })
    expect('error' in response && hintText(response.error)).toMatch(/\.$/)
  },
)

test("the server's message is one line without control characters", () => {
  const description = encodeURIComponent('No\r\n\u001b[31m access\u202e for <b>you</b>')
  expect(read(`state=right-state&error=access_denied&error_description=${description}`)).toHaveProperty(
    'error.message',
    'Access was denied in the browser: No [31m access for <b>you</b>.',
  )
})

test('a very long message of the server is shortened', () => {
  const reading = read(`state=right-state&error=${'x'.repeat(5000)}&error_description=${'y'.repeat(5000)}`)
  const message = 'error' in reading ? reading.error.message : ''
  expect(message.length).toBeGreaterThan(600)
  expect(message.length).toBeLessThan(800)
})

const loopback = 'http://127.0.0.1:4711/callback'
const paste = (text: string, redirectUri = loopback) =>
  readPastedUrl(text, redirectUri, (parameters) => readAuthorizationResponse(parameters, { state, issuer }))

test.each([
  [`  ${loopback}?code=abc&state=right-state\n`],
  [`"${loopback}?code=abc&state=right-state"`],
  [`${loopback}?code=abc&state=right-state#_=_`],
  ['code=abc&state=right-state'],
  ['?code=abc&state=right-state'],
  ['state=right-state&code=abc#_=_'],
  ['com.example.tt:/cb?code=abc&state=right-state', 'com.example.tt:/cb'],
])('reads the pasted text %j', (text, redirectUri = loopback) => {
  expect(paste(text, redirectUri)).toEqual({ code: 'abc' })
})

test.each([
  ['', 'not a URL'],
  ['abc', 'not a URL'],
  ['code=abc', 'no state'],
  [`${loopback}`, 'no state'],
  ['http://127.0.0.1:4712/callback?code=abc&state=right-state', `does not begin with ${loopback}`],
  ['https://127.0.0.1:4711/callback?code=abc&state=right-state', `does not begin with ${loopback}`],
  ['http://127.0.0.1:4711/callback/?code=abc&state=right-state', `does not begin with ${loopback}`],
])('rejects the pasted text %j: %s', (text, problem) => {
  const reading = paste(text)
  expect(reading).toEqual({ problem: expect.stringContaining(problem) })
  expect(JSON.stringify(reading)).not.toContain('abc')
})
