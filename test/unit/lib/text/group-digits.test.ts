import { expect, test } from 'vitest'
import { groupDigits } from '../../../../src/lib/text/group-digits.js'

test.each([
  ['999', '999'],
  ['1000', '1,000'],
  ['-1234567.8901', '-1,234,567.8901'],
  ['0.12345', '0.12345'],
  ['1234h 05m', '1,234h 05m'],
  ['12345:00:07', '12,345:00:07'],
  ['+1234.50', '+1,234.50'],
  ['', ''],
])('groupDigits separates the thousands of "%s" as "%s"', (text, shown) => {
  expect(groupDigits(text)).toBe(shown)
  expect(groupDigits(shown)).toBe(shown)
})
