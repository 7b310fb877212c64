import { expect, test } from 'vitest'
import { findKey } from '../../../../src/api-client/auth/legacy-key-field.js'
import { hintText } from '../../../../src/cli/next-step-text.js'
import { TtError } from '../../../../src/lib/errors.js'

const service = 'https://example.com'

test.each([
  [{ api_key: 'K' }],
  [{ key: 'K' }],
  [{ token: 'K' }],
  [{ access_token: 'K' }],
  [{ auth_token: 'K' }],
  [{ token: 'other', api_key: 'K' }],
  [{ status: 'ok', name: 'Ann', auth_token: 'K' }],
  [{ api_key: null, token: 'K' }],
  [{ api_key: '', token: 'K' }],
  [{ api_key: 'two words', token: 'K' }],
  [{ api_key: 12, token: 'K' }],
  [[{ api_key: 'K' }]],
  [{ user: { id: 1, name: 'Ann', api_key: 'K' } }],
  [{ api_key: { id: 1, token: 'K', created_at: '2024-05-01' } }],
  [{ user: { token: 'inner' }, key: 'K' }],
  [{ secret: 'K' }],
  [{ id: 7, secret: 'K', created_at: '2024-05-01T10:00:00Z', email: 'ann@example.com', note: 'two words' }],
  [{ data: { secret: 'K' } }],
  ['K'],
  [['K']],
])('finds the key in %j', (body) => {
  expect(findKey(body, service)).toBe('K')
})

test('accepts any visible character in a key with a known field name', () => {
  expect(findKey({ api_key: 'user:abc$%' }, service)).toBe('user:abc$%')
})

test.each([
  [{ first: 'AAA', second: 'BBB' }, ['first', 'second']],
  [{ message: 'Wrong password, AAA' }, ['message']],
  [{ data: { first: 'AAA', second: 'BBB' }, ok: true }, ['data.first', 'data.second', 'ok']],
  [{ data: { more: { api_key: 'AAA' } } }, ['data.more']],
  [[{ api_key: 'AAA' }, { api_key: 'BBB' }], []],
  [{}, []],
  [[], []],
  [null, []],
  [12, []],
  ['AAA BBB', []],
])('finds no key in %j, and the error shows only the field names', (body, names) => {
  let failure: unknown
  try {
    findKey(body, service)
  } catch (error) {
    failure = error
  }
  expect(failure).toBeInstanceOf(TtError)
  const { code, message } = failure as TtError
  expect(code).toBe('rejected')
  expect(hintText(failure as TtError)).toContain('tt login')
  expect(message).not.toMatch(/AAA|BBB/)
  if (names.length > 0) expect(message).toContain(`(fields: ${names.join(', ')})`)
  else expect(message).not.toContain('fields')
})

test('the error removes control characters from field names and shortens the list', () => {
  const body = Object.fromEntries(
    Array.from({ length: 50 }, (_, index) => [`\u001b]0;${index}${'x'.repeat(500)}`, 'AAA']),
  )
  try {
    findKey(body, service)
    expect.unreachable()
  } catch (error) {
    const message = String(error)
    expect(message).not.toContain('\u001b')
    expect(message.length).toBeLessThan(1_200)
  }
})
