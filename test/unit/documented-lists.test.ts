import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { csvFields } from '../../src/import-export/import/csv/csv-fields.js'
import { formatNames } from '../../src/import-export/import/formats.js'
import { acceptedForms } from '../../src/lib/calendar/calendar-names.js'
import { parseDuration } from '../../src/lib/calendar/duration.js'
import { parseDate, parsePeriod } from '../../src/lib/calendar/period.js'
import { parseTime } from '../../src/lib/calendar/time.js'
import { tools } from '../../src/mcp/register-tools.js'
import { entryFilterFlags } from '../../src/program/options/entry-filters.js'
import { exportFormatNames } from '../../src/records/export-formats.js'
import { chartKinds, dimensions, expenseDimensions } from '../../src/records/report-names.js'
import { listFormats } from '../../src/ui/formats/formats.js'

/** Returns the text of a page without its code blocks. */
function page(name: string): string {
  const text = readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8')
  return text.replace(/^```.*?^```$/gms, '')
}

describe('the documentation names each', () => {
  test.each<[what: string, pages: string, terms: readonly string[]]>([
    ['filter of entries', 'reports', entryFilterFlags],
    ['dimension of a report', 'reports', dimensions],
    ['dimension of an expense report', 'reports', expenseDimensions],
    ['kind of chart', 'reports', chartKinds],
    ['format of an export', 'export', exportFormatNames],
    ['format of an import', 'import', formatNames],
    ['field of a CSV file', 'import', csvFields],
    ['format of a list', 'scripting', listFormats.map((name) => `--${name}`)],
  ])('%s in docs/%s.md', (_, name, terms) => {
    const code = [...page(name).matchAll(/`([^`]+)`/g)].map(([, text = '']) => text)
    const missing = terms.filter((term) => !code.some((text) => text.split(/[\s,]+/).includes(term)))
    expect(missing).toEqual([])
  })
})

test('docs/mcp.md has a row for each tool of `tt mcp`', () => {
  const rows = [...page('mcp').matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
  expect(rows).toEqual(tools.map(({ name }) => name))
})

test('every documented form of a time, duration, date and period can be parsed', () => {
  const now = new Date('2024-05-08T12:00:00')
  for (const form of acceptedForms.time) expect(parseTime(form, now)).toBeInstanceOf(Date)
  for (const form of acceptedForms.duration) expect(parseDuration(form)).toBeGreaterThan(0)
  for (const form of acceptedForms.period) expect(() => parsePeriod(form, now)).not.toThrow()
  for (const form of acceptedForms.date) expect(parseDate(form, now).first).toMatch(/^\d{4}-\d\d-\d\d$/)
})

test('each promise of offline use names an existing test', () => {
  const rows = [
    ...readFileSync('docs/internals/delivery.md', 'utf8').matchAll(/^\| .* \| `(test\/.*)`: (.*) \|$/gm),
  ]
  expect(rows.length).toBeGreaterThan(25)
  const missing = rows.filter(([, file = '', title = '']) => !readFileSync(file, 'utf8').includes(title))
  expect(missing.map(([row]) => row)).toEqual([])
})

test('docs/testing.md names existing test files', () => {
  const levels = /`((?:unit|command|long|acceptance|chaos|soak)\/[\w/.-]+)`/g
  const files = [...readFileSync('docs/testing.md', 'utf8').matchAll(levels)].map(([, file]) => file)
  expect(files.length).toBeGreaterThan(50)
  expect(files.filter((file) => !existsSync(`test/${file}.test.ts`))).toEqual([])
})

const standards = readFileSync('docs/standards.md', 'utf8')
  .split('\n')
  .filter((line) => /^\| (RFC \d+)? *\| [\d., ]+ \|/.test(line))
const untestable = standards.filter((row) => / \| no test can show it: .+ \|$/.test(row))
const table = standards
  .filter((row) => !untestable.includes(row))
  .map((row) => /`([\w./-]+)`: (.*) \|$/.exec(row)?.slice(1) ?? [])

test('the table of standards lists at most two rows without a test', () => {
  expect(table.length).toBeGreaterThan(50)
  expect(untestable.length).toBeLessThan(3)
})

test.each(table)('the test file %s contains the title: %s', (file, name) => {
  const text = readFileSync(`test/${file}.test.ts`, 'utf8')
  // Where a title stands in code, an apostrophe or a backslash may be spelled differently.
  expect(text.replaceAll('\\', '')).toContain(name)
})
