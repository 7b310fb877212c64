import { expect, test } from 'vitest'
import { countText, groupDigits, percentText, sizeText } from '../../../../src/lib/text/words.js'

test.each([
  ['999', '999'],
  ['1000', '1,000'],
  ['-1234567.8901', '-1,234,567.8901'],
  ['0.12345', '0.12345'],
  ['+1234.50', '+1,234.50'],
  ['1234h 05m', '1,234h 05m'],
])('groupDigits separates the thousands of "%s" as "%s"', (text, shown) => {
  expect(groupDigits(text)).toBe(shown)
  expect(groupDigits(shown)).toBe(shown)
})

test.each([
  [0, '0 entries'],
  [1, '1 entry'],
  [1001, '1,001 entries'],
])('countText shows %d entries as "%s"', (count, text) => {
  expect(countText(count, 'entry', 'entries')).toBe(text)
})

test.each([
  [0, '0%'],
  [0.0049, '<1%'],
  [0.005, '1%'],
  [0.994, '99%'],
  [0.996, '>99%'],
  [1, '100%'],
])('a share of %d is shown as %s', (share, text) => {
  expect(percentText(share)).toBe(text)
})

const [kilo, mega, giga] = [1024, 1024 ** 2, 1024 ** 3]

test.each([
  [0, '0 KB'],
  [1, '1 KB'],
  [92 * kilo, '92 KB'],
  [mega, '1 MB'],
  [1023 * mega, '1023 MB'],
  [78_839 * mega, '77.0 GB'],
  [3.5 * 1024 * giga, '3.5 TB'],
])('sizeText shows %i bytes as %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text)
})
