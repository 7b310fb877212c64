import { expect, test } from 'vitest'
import { readRedirectUri } from '../../../../../src/api-client/auth/oauth/redirect-uri.js'
import { TtError } from '../../../../../src/lib/errors.js'

test.each([
  [undefined, ['127.0.0.1'], 0, 'http://127.0.0.1:4711/callback'],
  ['http://127.0.0.1/cb', ['127.0.0.1'], 0, 'http://127.0.0.1:4711/cb'],
  ['http://127.0.0.1', ['127.0.0.1'], 0, 'http://127.0.0.1:4711'],
  ['http://127.0.0.1?a=b', ['127.0.0.1'], 0, 'http://127.0.0.1:4711?a=b'],
  ['http://127.0.0.1:80/cb', ['127.0.0.1'], 80, 'http://127.0.0.1:80/cb'],
  ['http://127.0.0.1:8123', ['127.0.0.1'], 8123, 'http://127.0.0.1:8123'],
  ['http://[::1]/cb/', ['::1'], 0, 'http://[::1]:4711/cb/'],
  ['http://[::1]:8123/cb', ['::1'], 8123, 'http://[::1]:8123/cb'],
  ['http://localhost:8123/cb?a=b', ['127.0.0.1', '::1'], 8123, 'http://localhost:8123/cb?a=b'],
  ['http://localhost/cb', ['127.0.0.1', '::1'], 80, 'http://localhost/cb'],
  ['HTTP://LocalHost:8123/cb', ['127.0.0.1', '::1'], 8123, 'HTTP://LocalHost:8123/cb'],
  ['https://example.com/cb', [], 0, 'https://example.com/cb'],
  ['https://127.0.0.1/cb', [], 0, 'https://127.0.0.1/cb'],
  ['urn:ietf:wg:oauth:2.0:oob', [], 0, 'urn:ietf:wg:oauth:2.0:oob'],
  ['com.example.tt:/cb', [], 0, 'com.example.tt:/cb'],
])('for the redirect URI %s, listens at %j, port %i, and sends %s', (text, hosts, port, sent) => {
  const redirect = readRedirectUri(text)
  expect(redirect).toMatchObject({ hosts, port })
  expect(redirect.withPort(4711)).toBe(sent)
})

test.each([
  ['', 'is not a redirect URI'],
  ['callback', 'is not a redirect URI'],
  ['http://127.0.0.1:99999/cb', 'is not a redirect URI'],
  ['http://127.0.0.1/c b', 'is not a redirect URI'],
  ['http://127.0.0.1/cb\n', 'is not a redirect URI'],
  ['http://127.0.0.1/cb#top', 'has a fragment'],
  ['http://example.com/cb', 'neither encrypted nor on this machine'],
  ['http://127.0.0.1.example.com/cb', 'neither encrypted nor on this machine'],
  ['http://127.0.0.1@example.com/cb', 'neither encrypted nor on this machine'],
  ['http://127.0.0.1:0/cb', 'neither encrypted nor on this machine'],
])('rejects the redirect URI %j: it %s', (text, reason) => {
  expect(() => readRedirectUri(text)).toThrow(TtError)
  expect(() => readRedirectUri(text)).toThrow(reason)
})
