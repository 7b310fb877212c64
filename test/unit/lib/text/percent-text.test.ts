import { expect, test } from 'vitest'
import { percentText } from '../../../../src/lib/text/percent-text.js'

test.each([
  [0, '0%'],
  [0.0001, '<1%'],
  [0.0049, '<1%'],
  [0.005, '1%'],
  [0.125, '13%'],
  [0.994, '99%'],
  [0.996, '>99%'],
  [1, '100%'],
])('a share of %d is shown as %s', (share, text) => {
  expect(percentText(share)).toBe(text)
})
