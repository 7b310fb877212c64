import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('../../', import.meta.url)
const rows = readFileSync(new URL('docs/standards.md', root), 'utf8')
  .split('\n')
  .filter((line) => /^\| (RFC \d+)? *\| [\d., ]+ \|/.test(line))
const untestable = rows.filter((row) => / \| no test can show it: .+ \|$/.test(row))
const table = rows
  .filter((row) => !untestable.includes(row))
  .map((row) => /`([\w./-]+)`: (.*) \|$/.exec(row)?.slice(1) ?? [])

test('the table of standards lists at most two rows without a test', () => {
  expect(table.length).toBeGreaterThan(50)
  expect(untestable.length).toBeLessThan(3)
})

test.each(table)('the test file %s contains the title: %s', (file, name) => {
  const text = readFileSync(new URL(`test/${file}.test.ts`, root), 'utf8')
  // Where a title stands in code, an apostrophe or a backslash may be spelled differently.
  expect(text.replaceAll('\\', '')).toContain(name)
})
