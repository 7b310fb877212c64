import { expect, test } from 'vitest'
import { fold, nearestNamesText } from '../../../src/lib/nearest-names.js'

test('the nearest names come best first, three at most, and leave out what is nothing like it', () => {
  expect(nearestNamesText('desing', ['Writing', 'Design review', 'Design', 'Ablage'])).toBe(
    ' Nearest: Design.',
  )
  expect(nearestNamesText('ad', ['add', 'ads', 'aid', 'sad', 'list'])).toBe(' Nearest: add, ads, aid.')
  expect(nearestNamesText('BURO', ['Büro', 'Büro'])).toBe(' Nearest: Büro.')
  expect(nearestNamesText('zzzzzz', ['Design', 'Ablage'])).toBe('')
  expect(nearestNamesText('x', [])).toBe('')
})

test('folding makes the same of what differs in case, accents and white space', () => {
  expect(fold('  Müller \t GmbH ')).toBe(fold('muller gmbh'))
})
