import { describe, expect, test } from 'vitest'
import type { TestCli } from '../support/test-cli.js'
import { changeSettings, createReportCli, reportPage } from './report-fixtures.js'

/** Returns the text of the page header, one line per element. */
async function headerOf(cli: TestCli, ...options: string[]): Promise<string[]> {
  const page = await reportPage(cli, ...options)
  const [, header = ''] = /<header>([\s\S]*?)<\/header>/.exec(page) ?? []
  const text = header.replace(/<\/?(bdi|div|dl|h1|p|dd|dt)\b[^>]*>/g, '\n').replaceAll('<br>', '\n')
  return text.split(/\n+/).flatMap((line) => line.trim() || [])
}

/** Returns the line of the filters and the rounding. */
async function selectionOf(cli: TestCli, ...options: string[]): Promise<string> {
  const page = await reportPage(cli, ...options)
  const [, selection = ''] = /<p class="selection">(.*?)<\/p>/.exec(page) ?? []
  return selection.replace(/<\/?bdi>/g, '')
}

describe('the header of the HTML report', () => {
  test('names the period, the client of all entries and the sender', async () => {
    const cli = await createReportCli()
    await changeSettings(cli, { sender: 'Ada Lovelace\\n12 Analytical Street\\nLondon' })
    const month = ['--since', '2024-05', '--until', '2024-05']
    expect(await headerOf(cli, ...month, '--client', 'Acme', '--title', 'Hours <worked>')).toEqual([
      ...['Hours &lt;worked&gt;', 'May 2024', 'Acme'],
      ...['For', 'Acme', 'From', 'Ada Lovelace', '12 Analytical Street', 'London'],
    ])
    expect(await headerOf(cli, ...month)).toEqual([
      ...['Time report', 'May 2024', 'From', 'Ada Lovelace', '12 Analytical Street', 'London'],
    ])
  })

  test('names the company without the setting "sender", unless it is the local workspace', async () => {
    const cli = await createReportCli()
    const title = ['Time report', 'Wednesday, 8 May 2024']
    expect(await headerOf(cli, 'today')).toEqual(title)
    await cli.json('admin', 'company', '--name', 'Analytical Engines')
    expect(await headerOf(cli, 'today')).toEqual([...title, 'From', 'Analytical Engines'])
  })

  test.each([
    [['--client', 'acm', '--billable'], 'Acme, billable'],
    [['--project', 'website', '--project', 'shop'], 'Shop or Website'],
    [['--project', 'nothing'], 'project “nothing”'],
    [['--task', '!Design', '--not-billable'], 'without task Design, non-billable'],
    [['--notes', 'first', '--notes', '!second'], 'notes with “first”, notes without “second”'],
    [['--tag', 'logo', '--tag', '!#draft'], '#logo, without #draft'],
    [['--running', '--pending'], 'running, not yet synced'],
    [['--where', 'time_start_gteq=2024-05-01'], 'time_start_gteq=2024-05-01'],
    // All entries are of one client.
    [['--where', 'notes_cont=page'], ''],
    [['--client', 'Acme', '--tag', 'logo'], 'client “Acme”, logo'],
    [['--round', '1h'], 'each entry rounded to the nearest 1 h'],
    [['--round-total', '90m:down'], 'the total of each project rounded down to 1h 30m'],
    [[], ''],
  ])('shows %j as "%s"', async (options, words) => {
    expect(await selectionOf(await createReportCli(), ...options)).toBe(words)
  })
})
