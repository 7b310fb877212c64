import { expect, test } from 'vitest'
import { sizeText } from '../../../../src/lib/text/size-text.js'

const [kilo, mega, giga] = [1024, 1024 ** 2, 1024 ** 3]

test.each([
  [0, '0 KB'],
  [1, '1 KB'],
  [92 * kilo, '92 KB'],
  [mega, '1 MB'],
  [1023 * mega, '1023 MB'],
  [1234 * mega, '1.2 GB'],
  [78_839 * mega, '77.0 GB'],
  [3.5 * 1024 * giga, '3.5 TB'],
])('sizeText shows %i bytes as %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text)
})
