import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)
const table = readFileSync(new URL('ARCHITECTURE.md', root), 'utf8')
  .split('\n')
  .filter((line) => /^\| (RFC \d+)? *\| [\d., ]+ \|/.test(line))
  .map((line) => /`([\w/-]+)`: (.*) \|$/.exec(line)?.slice(1) ?? [])

test('the table of standards has what it names', () => {
  expect(table.length).toBeGreaterThan(40)
})

test.each(table)('%s has the test: %s', (file, name) => {
  const text = readFileSync(new URL(`test/${file}.test.ts`, root), 'utf8')
  // Where a title stands in code, an apostrophe or a backslash may be spelled differently.
  expect(text.replaceAll('\\', '')).toContain(name)
})
