import { expect, it } from 'vitest'
import {
  buildRedirectUrl,
  formActionSource,
  isRegisteredRedirectUri,
  validateRedirectUri,
} from '../../../../src/service/oauth/applications.js'

const registered = [
  'http://127.0.0.1/callback',
  'http://[::1]:8000/callback?kept=1',
  'http://localhost:8000/callback',
  'https://app.example.com/back',
  'com.example.app:/back',
]

it.each([
  ...registered,
  'http://127.0.0.1:1/callback',
  'http://127.0.0.1:65535/callback',
  'http://[::1]/callback?kept=1',
  'http://[::1]:50123/callback?kept=1',
])('%s matches a registered redirect URI', (uri) => {
  expect(isRegisteredRedirectUri(uri, registered)).toBe(true)
})

it.each([
  'http://127.0.0.1:0/callback',
  'http://127.0.0.1:65536/callback',
  'http://127.0.0.1:/callback',
  'http://127.0.0.1:50123/callback/',
  'http://127.0.0.1:50123/Callback',
  'http://127.0.0.1:50123/callback?more=1',
  'http://127.0.0.1:50123/callback#fragment',
  'http://127.0.0.1:50123/callback/../callback',
  'http://127.0.0.1:50123/%63allback',
  'http://127.0.0.1:50123@evil.example/callback',
  'http://127.0.0.1.evil.example/callback',
  'http://127.0.0.2:50123/callback',
  'http://2130706433/callback',
  'HTTP://127.0.0.1/callback',
  'https://127.0.0.1:50123/callback',
  'http://[::1]:50123/callback',
  'http://localhost:8001/callback',
  'https://app.example.com:8443/back',
  'https://app.example.com:443/back',
  'https://app.example.com/back/',
  'https://app.example.com/back?x',
  'https://app.example.com.evil.example/back',
  'com.example.app:/back2',
  '//app.example.com/back',
  '',
])('%j matches no registered redirect URI', (uri) => {
  expect(isRegisteredRedirectUri(uri, registered)).toBe(false)
})

it.each(registered)('%s can be registered', (uri) => {
  expect(validateRedirectUri(uri)).toBe(uri)
})

it.each([
  ['/callback', 'absolute'],
  ['http://example.com/callback', 'only allowed for loopback addresses'],
  ['http://192.168.1.5/callback', 'only allowed for loopback addresses'],
  ['https://example.com/#part', 'fragment'],
  ['https://user@example.com/', 'a user name or a password'],
  ['https://:secret@example.com/', 'a user name or a password'],
  ['javascript:alert(1)', 'scheme'],
  ['app:/back', 'scheme'],
  ['https://example.com/a b', 'encoded'],
  ['https://example.com/\nb', 'encoded'],
  ['https://example.com/"', 'encoded'],
  ['https://exämple.com/', 'encoded'],
  ['', 'encoded'],
])('%j cannot be registered: %s', (uri, reason) => {
  expect(() => validateRedirectUri(uri)).toThrow(reason)
})

it('buildRedirectUrl adds parameters to an existing query', () => {
  const parameters = { code: 'a b', state: undefined, iss: 'https://x.example' }
  expect(buildRedirectUrl('https://a.example/b', parameters)).toBe(
    'https://a.example/b?code=a+b&iss=https%3A%2F%2Fx.example',
  )
  expect(buildRedirectUrl('https://a.example/b?c=d', { state: '&"' })).toBe(
    'https://a.example/b?c=d&state=%26%22',
  )
})

it.each([
  ['http://127.0.0.1:50123/callback', 'http://127.0.0.1:50123'],
  ['http://[::1]:50123/callback', 'http:'],
  ['com.example.app:/back', 'com.example.app:'],
])('a form that redirects to %s requires the policy source %s', (uri, target) => {
  expect(formActionSource(uri)).toBe(target)
})
