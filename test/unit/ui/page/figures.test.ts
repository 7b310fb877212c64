import { expect, test } from 'vitest'
import { figureText } from '../../../../src/ui/page/figures.js'

test.each([
  ['999h 05m', '999h 05m'],
  ['1234h 05m', '1,234h 05m'],
  ['1234:05:06', '1,234:05:06'],
  ['1234567.89 EUR', '1,234,567.89 EUR'],
  ['-1234.5', '−1,234.5'],
  ['660.9455', '660.9455'],
  ['0.0000', '0.0000'],
  ['12345.6789', '12,345.6789'],
])('%s has separators of thousands in its whole part only', (text, expected) => {
  expect(figureText(text)).toBe(expected)
})
