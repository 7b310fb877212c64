import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { applyMutant, formatList, mutants, parseList } from '../mutants/mutants.js'

const root = new URL('../../', import.meta.url)

test('a mutant replaces its text, also by text with patterns of replacement', () => {
  const mutant = { replace: 'a < b', with: "a <= b // $& $' $1" }
  expect(applyMutant('if (a < b) return\n', mutant)).toBe("if (a <= b // $& $' $1) return\n")
})

test.each([
  ['b < a', 'the text to replace occurs 0 times'],
  ['a < b; a < b', 'the text to replace occurs 2 times'],
])('a mutant does not apply to "%s"', (text, message) => {
  expect(() => applyMutant(text, { replace: 'a < b', with: 'a <= b' })).toThrow(message)
})

test('a list is written as it was read, with several lines, marks in a text, and no replacement', () => {
  const text =
    '# Two\n# lines.\n\nsrc/a.ts\ntest/a.test.ts\nis wrong\n-   a\n- - b\n+ + c\nis worse\n- d\n? No test can tell.\n'
  const listed = parseList(text, 'a.txt')
  expect(listed).toEqual([
    {
      list: 'a.txt',
      file: 'src/a.ts',
      name: 'is wrong',
      replace: '  a\n- b',
      with: '+ c',
      test: 'test/a.test.ts',
      survives: '',
    },
    {
      list: 'a.txt',
      file: 'src/a.ts',
      name: 'is worse',
      replace: 'd',
      with: '',
      test: '',
      survives: 'No test can tell.',
    },
  ])
  expect(formatList('# Two\n# lines.', listed)).toBe(text)
})

test('each mutant has a name of its own', () => {
  const names = mutants.map(({ name }) => name)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

test('each mutant applies to its file, and names an existing test file that fails or says why none can', () => {
  expect(mutants.length).toBeGreaterThan(600)
  for (const mutant of mutants) {
    expect(
      () => applyMutant(readFileSync(new URL(mutant.file, root), 'utf8'), mutant),
      mutant.name,
    ).not.toThrow()
    expect(mutant.test !== '' && existsSync(new URL(mutant.test, root)), mutant.name).toBe(
      mutant.survives === '',
    )
  }
})
