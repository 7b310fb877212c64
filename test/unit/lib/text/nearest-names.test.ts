import { expect, test } from 'vitest'
import { fold, nearestNamesText } from '../../../../src/lib/text/nearest-names.js'

test('nearestNamesText returns up to three similar names, most similar first', () => {
  expect(nearestNamesText('desing', ['Writing', 'Design review', 'Design', 'Ablage'])).toBe(
    ' Did you mean Design?',
  )
  expect(nearestNamesText('ad', ['add', 'ads', 'aid', 'sad', 'list'])).toBe(' Did you mean add, ads or aid?')
  expect(nearestNamesText('BURO', ['Büro', 'Büro'])).toBe(' Did you mean Büro?')
  expect(nearestNamesText('ad', ['rm', 'list'])).toBe('')
  expect(nearestNamesText('zzzzzz', ['Design', 'Ablage'])).toBe('')
  expect(nearestNamesText('x', [])).toBe('')
})

test('fold ignores case, accents and repeated white space', () => {
  expect(fold('  Müller \t GmbH ')).toBe(fold('muller gmbh'))
})
