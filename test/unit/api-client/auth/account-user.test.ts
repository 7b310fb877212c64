import { expect, test } from 'vitest'
import { userOf } from '../../../../src/api-client/auth/account-user.js'

test.each<[object, string | undefined]>([
  [{ user: { id: 7, name: 'Ada', email: 'ada@example.com' } }, 'Ada <ada@example.com>'],
  [{ user: { id: 7, name: 'Ada' } }, 'Ada'],
  [{ user: { id: 7, email: 'ada@example.com' } }, 'ada@example.com'],
  [{ user: { id: 7 } }, 'user 7'],
  [{ user_id: '7' }, 'user 7'],
  [{ user_id: 7, user_name: 'Ada', user_email: 'ada@example.com' }, 'Ada <ada@example.com>'],
  [{ user: { name: ' ' }, user_id: 7 }, 'user 7'],
  [{ user: null, user_name: '' }, undefined],
  [{ user: 'Ada', name: 'Acme', email: 'office@example.com' }, undefined],
  [{ user: { constructor: 'x' } }, undefined],
])('reads from the record %j the user %j', (fields, user) => {
  expect(userOf({ id: 1, ...fields })).toBe(user)
})
