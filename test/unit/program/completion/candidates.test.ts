import { expect, test } from 'vitest'
import { formatCandidates } from '../../../../src/program/completion/candidates.js'

test.each(['', 'a\tb', 'a\nb', 'a\rb', 'a\0b', '\x1b[2J', 'a\x7f', 'a\u0085', 'a\u2028b', 'half \ud83c'])(
  'omits the value %j',
  (value) => {
    expect(formatCandidates({ candidates: [{ value, description: 'x' }] })).toBe('')
  },
)

test('formats candidates with one tab per line, and instructions for the shell without a tab', () => {
  const candidates = [
    { value: 'files', description: 'a\n\tb\x1bc ' },
    { value: 'Café', description: '' },
  ]
  expect(formatCandidates({ candidates, offersFiles: true, isOpen: true })).toBe(
    'files\ta b c\nCafé\t\nfiles\nopen\n',
  )
})
