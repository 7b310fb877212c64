import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createReportCli } from '../command/report-fixtures.js'
import { missingBrowserReason } from '../support/browser.js'
import { storeManyEntries } from '../support/stored-entries.js'

test('a year of 1,800 entries as PDF is smaller than 1 MB', async ({ skip }) => {
  skip(missingBrowserReason !== undefined, missingBrowserReason)
  const cli = await createReportCli()
  cli.env.CHROME_PATH = '/usr/bin/chromium'
  const [first, dayMs] = [Date.parse('2023-01-01T07:00:00Z'), 86_400_000]
  const entries = Array.from({ length: 1800 }, (_, index) => ({
    startMs: first + Math.floor(index / 5) * dayMs + (index % 5) * 6_000_000,
    lengthMs: (20 + ((index * 37) % 75)) * 60_000,
    notes: index % 3 === 0 ? null : `Review of the change number ${index}`,
    link: index % 4,
  }))
  await storeManyEntries(join(cli.home, 'workspace.db'), entries)
  await cli.json('config', 'set', 'rate', '95 EUR')
  await cli.run('report', '2023', '--by', 'month,project', '--entries', 'all', '-o', 'year.pdf')
  const pdf = readFileSync(join(cli.home, 'year.pdf'), 'latin1')
  expect(pdf.match(/\/Type \/Page\b/g)?.length).toBeGreaterThan(20)
  expect(pdf.length).toBeLessThan(1_000_000)
})
