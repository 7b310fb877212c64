import { expect, test } from 'vitest'
import { fold, nearestNamesText } from '../../../../src/lib/text/nearest-names.js'

test('nearestNamesText returns up to three names that begin with it or are similar', () => {
  expect(nearestNamesText('desing', ['Writing', 'Design review', 'Design', 'Ablage'])).toBe(
    ' Did you mean Design?',
  )
  expect(nearestNamesText('ad', ['add', 'ads', 'aid', 'sad', 'list'])).toBe(' Did you mean add, ads or aid?')
  expect(nearestNamesText('proj', ['profiles', 'Projects'])).toBe(' Did you mean Projects?')
  expect(nearestNamesText('st', ['status', 'stop', 'start', 'show', 'add'])).toBe(
    ' Did you mean stop, start or status?',
  )
  expect(nearestNamesText('', ['add'])).toBe('')
  expect(nearestNamesText('BURO', ['Büro', 'Büro'])).toBe(' Did you mean Büro?')
  expect(nearestNamesText('ad', ['rm', 'list'])).toBe('')
})

test('fold ignores case, accents and repeated white space', () => {
  expect(fold('  Müller \t GmbH ')).toBe(fold('muller gmbh'))
})
