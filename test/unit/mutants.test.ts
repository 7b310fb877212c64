import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { applyMutant, mutants } from '../mutants/mutants.js'
import { knownTest, readRecord } from '../mutants/record.js'

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

test('each mutant has a name of its own, which identifies its result', () => {
  const names = mutants.map(({ name }) => name)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

test('each mutant applies to its file, and the file of the test that fails for it exists', () => {
  const root = new URL('../../', import.meta.url)
  const record = readRecord()
  for (const mutant of mutants) {
    expect(
      () => applyMutant(readFileSync(new URL(mutant.file, root), 'utf8'), mutant),
      mutant.name,
    ).not.toThrow()
    const outcome = record.get(mutant.name)
    expect(outcome?.kind, mutant.name).toBe(mutant.survives ? 'survived' : 'died')
    if (mutant.survives) continue
    const { file = '' } = knownTest(outcome) ?? {}
    expect(file && existsSync(new URL(file, root)), `${mutant.name}: ${file}`).toBe(true)
  }
})
