import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { preparedCli } from '../support/prepared-cli.js'
import { share } from '../support/share.js'
import { entriesWithNotes, storeManyEntries } from '../support/stored-entries.js'
import type { TestCli } from '../support/test-cli.js'

const count = 2500

const createNotedCli = preparedCli('2024-12-31T12:00:00', async (cli) => {
  await cli.json('add', 'Acme/Website/Design', '--from', '2023-12-01 09:00', '--for', '1h')
  await cli.json('config', 'set', 'rate', '60 EUR')
  await storeManyEntries(join(cli.home, 'workspace.db'), entriesWithNotes(count, '2024-01-01T00:00:00Z'))
})

async function pageOf(cli: TestCli, ...options: string[]): Promise<string> {
  const year = ['--since', '2024-01-01', '--entries', 'none']
  const { stdout, stderr } = await cli.run('report', '--html', ...year, ...options)
  if (stdout === '') throw new Error(stderr)
  return stdout
}

/** Returns the texts of the last two rows of the last table. */
function lastRowsOf(page: string): string[] {
  const table = page.match(/<table class="(groups|compact)[^"]*">[\s\S]*?<\/table>/g)?.at(-1)
  return (table?.match(/<tr\b[\s\S]*?<\/tr>/g) ?? []).slice(-2).map((row) =>
    row
      .replace(/<\/t[hd]>/g, ' | ')
      .replace(/<[^>]*>/g, '')
      .replace(/( \| )+$/, ''),
  )
}

describe('an HTML report of very many groups', () => {
  test('combines those that do not fit, with their totals', async () => {
    const cli = await createNotedCli()
    const page = await pageOf(cli, '--by', 'notes')
    expect(lastRowsOf(page)).toEqual([
      '500 others | 500 | 250h 00m | 250.00 | 20% | 15,000.00 EUR',
      'Total | 2,500 | 1,250h 00m | 1,250.00 |  | 75,000.00 EUR',
    ])
    expect(page).toMatch(/\b500 of 2,500 groups are not listed separately, to limit the size of this page/)
  })

  test('combines the rows of a grid, and has complete totals', async () => {
    const page = await pageOf(await createNotedCli(), '--by', 'notes,month', '--grid')
    expect(lastRowsOf(page)).toEqual([expect.stringMatching(/^[\d,]+ others \| /), 'Total | 1,250h 00m'])
    expect(page).toMatch(/ of 2,500 rows are not listed separately/)
  })
})

test.each(share('groupings of many entries', ['notes', 'day,notes']))(
  'the page of 40,000 entries with different notes by %s stays small, and states what it omits',
  async (by) => {
    const cli = await createNotedCli()
    const more = entriesWithNotes(39_999 - count, '2015-01-01T00:00:00Z')
    await storeManyEntries(join(cli.home, 'workspace.db'), more)
    const { stdout: page } = await cli.run('report', '--html', '--since', '2015-01-01', '--by', by)
    expect(Buffer.byteLength(page)).toBeLessThan(5_000_000)
    expect(page).toMatch(/of 40,000 entries are omitted/)
    expect(page.match(/groups are not listed separately/g)).toHaveLength(1)
    expect(lastRowsOf(page)[1]).toMatch(/^Total \| 40,000 \|/)
  },
)

test('a grid with too many cells is an error that names its size', async () => {
  const cli = await createNotedCli()
  for (const output of [[], ['--csv'], ['--html']])
    expect(
      await cli.run('report', '--since', '2016-01-01', '--by', 'notes,day', '--grid', ...output),
    ).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('The grid is too large: 2,501 rows and 3,288 columns.'),
    })
})
