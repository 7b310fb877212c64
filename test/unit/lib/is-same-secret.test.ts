import { expect, test } from 'vitest'
import { isSameSecret } from '../../../src/lib/is-same-secret.js'

test.each([
  ['abc', 'abc', true],
  ['', '', true],
  ['abc', 'abd', false],
  ['abc', 'abcd', false],
  ['abc', '', false],
  ['é', 'e\u0301', false],
])('the comparison of %j with %j in constant time returns %s', (one, other, same) => {
  expect(isSameSecret(one, other)).toBe(same)
})
