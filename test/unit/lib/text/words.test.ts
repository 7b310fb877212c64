import { expect, test } from 'vitest'
import { countText } from '../../../../src/lib/text/words.js'

test.each([
  [0, '0 entries'],
  [1, '1 entry'],
  [999, '999 entries'],
  [1001, '1,001 entries'],
  [1_234_567, '1,234,567 entries'],
])('%d becomes "%s"', (count, text) => {
  expect(countText(count, 'entry', 'entries')).toBe(text)
})
