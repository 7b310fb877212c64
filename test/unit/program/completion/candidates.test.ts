import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatCandidates, isInsertable } from '../../../../src/program/completion/candidates.js'

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.constantFrom('a\tb', 'a\nb', 'a\r', '\x1b[2J', '\ud800'),
)

test('formats each value that a shell can insert as one line with one tab', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ value: text, description: text })), (candidates) => {
      const lines = formatCandidates({ candidates }).split('\n')
      expect(lines.pop()).toBe('')
      const insertable = candidates.filter(({ value }) => isInsertable(value))
      expect(lines.map((line) => line.split('\t')[0])).toEqual(insertable.map(({ value }) => value))
      for (const line of lines) expect(line).toMatch(/^[^\t\p{Cc}]+\t[^\t\p{Cc}]*$/u)
    }),
  )
})

test.each(['', 'a\tb', 'a\nb', 'a\rb', 'a\0b', '\x1b[2J', 'a\x7f', 'a\u0085', 'a\u2028b', 'half \ud83c'])(
  'omits the value %j',
  (value) => {
    expect(formatCandidates({ candidates: [{ value, description: 'x' }] })).toBe('')
  },
)

test('formats instructions for the shell as lines without a tab', () => {
  const candidates = [{ value: 'files', description: 'a\n\tb  c ' }]
  expect(formatCandidates({ candidates, offersFiles: true, isOpen: true })).toBe(
    'files\ta b c\nfiles\nopen\n',
  )
})
