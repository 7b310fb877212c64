import { expect, test } from 'vitest'
import { textHash } from '../../../../src/lib/text/text-hash.js'

test.each([
  ['', '811c9dc5'],
  ['foobar', 'bf9cf968'],
])('the first half for "%s" is the published value of FNV-1a', (text, hash) => {
  expect(textHash(text)).toMatch(new RegExp(`^${hash}[0-9a-f]{8}$`))
})

test('similar texts have different hashes', () => {
  const texts = Array.from({ length: 50_000 }, (_, index) => `[["notes","entry ${index}"]]`)
  expect(new Set(texts.map(textHash)).size).toBe(texts.length)
})
