import { expect, test } from 'vitest'
import { displayUrl, readBaseUrl } from '../../../../src/api-client/http/base-url.js'

test.each([
  ['https://example.com/api/v1/', 'https://example.com/api/v1'],
  ['https://example.com', 'https://example.com'],
  ['http://localhost:3000/api/v1', 'http://localhost:3000/api/v1'],
  ['http://tt.localhost/api/v1', 'http://tt.localhost/api/v1'],
  ['http://127.8.9.1/api/v1', 'http://127.8.9.1/api/v1'],
  ['http://[::1]:80/api/v1', 'http://[::1]/api/v1'],
])('normalizes the base URL %s to %s', (text, expected) => {
  expect(displayUrl(readBaseUrl(text))).toBe(expected)
})

test.each([
  ['example.com/api/v1', 'is not the address of a service'],
  ['ftp://example.com/api/v1', 'is not the address of a service'],
  ['https://me:word@example.com/api/v1', 'has a user name'],
  ['https://example.com/api/v1?key=1', 'a query'],
  ['http://example.com/api/v1', 'is not encrypted'],
  ['http://127.0.0.1.example.com/api/v1', 'is not encrypted'],
  ['http://localhost.example.com/api/v1', 'is not encrypted'],
])('the base URL "%s" is a usage error: %s', (text, message) => {
  expect(() => readBaseUrl(text)).toThrow(
    expect.objectContaining({ code: 'usage', message: expect.stringContaining(message) }),
  )
})

test('accepts an unencrypted URL only when insecure HTTP is allowed', () => {
  expect(displayUrl(readBaseUrl('http://example.com/api/v1', true))).toBe('http://example.com/api/v1')
})
