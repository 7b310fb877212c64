import { describe, expect, test } from 'vitest'
import { preparedCli } from '../support/prepared-cli.js'
import type { TestCli } from '../support/test-cli.js'
import { changeSettings, reportPage } from './report-fixtures.js'

/** Creates a `TestCli` with entries whose minutes appear in no rounded duration, and with expenses. */
const createClientCli = preparedCli('2024-05-31T12:00:00', async (cli) => {
  const add = (task: string, from: string, length: string, notes: string) =>
    cli.json('add', task, '--from', from, '--for', length, '-n', notes, '--create')
  await add('Acme/Website/Design', '2024-05-06 09:07', '52m', 'New #logo for the #relaunch')
  await add('Acme/Website/Review', '2024-05-06 10:11', '1h19m', '#123 is a ticket')
  await add('Acme/Shop/Design', '2024-05-17 23:23', '1h58m', 'Late')
  await add('Globex/Site/Design', '2024-05-08 08:41', '47m', 'Other')
  await cli.json('expenses', 'types', 'add', 'Travel')
  const expense = ['--type', 'Travel', '--on', '2024-05-07']
  await cli.json('expenses', 'add', '120.50', ...expense, '--project', 'Website', '-n', 'Train #trip')
  await cli.json('expenses', 'add', '99', ...expense, '--project', 'Site', '-n', 'Not theirs')
  await changeSettings(cli, { rate: '80 EUR' })
})

const pageOf = (cli: TestCli, ...options: string[]) => reportPage(cli, 'may', ...options)

/** The exact durations, their sums, and the times of day. */
const exact = [
  ...['52m', '1h 19m', '2h 11m', '1h 58m', '4h 09m'],
  ...['09:07', '09:59', '10:11', '11:30', '23:23', '00:00', '24:00'],
]
const hasAny = (page: string, texts: readonly string[]) => texts.filter((text) => page.includes(text))

describe('a page for a client with rounded time', () => {
  test.each([
    ['with --client and --round', ['--client', 'Acme', '--round', '15m:up']],
    ['with a grid', ['--client', 'Acme', '--round', '15m:up', '--by', 'project,day', '--grid']],
    ['with a comparison', ['--client', 'Acme', '--round', '15m:up', '--compare', 'april']],
    ['by day', ['--client', 'Acme', '--round', '15m:up', '--by', 'day,task']],
    ['with --show billed', ['--project', 'Website', '--round', '15m:up', '--show', 'billed']],
    ['with rounded groups', ['--client', 'Acme', '--round-total', '15m:up']],
  ])('has no exact time and no time of day in its source: %s', async (_, options) => {
    const page = await pageOf(await createClientCli(), ...options)
    expect(hasAny(page, exact)).toEqual([])
    expect(page).toMatch(/<th [^>]*>Time<\/th>/)
    expect(page).not.toMatch(/Exact|Rounded time|<th [^>]*>(From|To)</)
  })

  test('has billed time in charts, shares, entries and totals', async () => {
    const page = await pageOf(await createClientCli(), '--client', 'Acme', '--round', '15m:up')
    expect(page).toContain('<title>Monday, 6 May 2024: 2h 30m (')
    expect(page).toContain('Website</bdi> <b>2h 30m</b>')
    expect(page).toMatch(/<span>56%<\/span>/)
    expect(page).toContain('<td class="figure duration">1h 00m</td><td class="figure hours">1.00</td>')
    expect(page).toContain('each entry rounded up to 15 min')
  })

  test('has both times with --show exact, in columns that name them', async () => {
    const options = ['--client', 'Acme', '--round', '15m:up', '--show', 'exact']
    const page = await pageOf(await createClientCli(), ...options)
    expect(hasAny(page, ['52m', '09:07', '1h 19m']).length).toBe(3)
    const titles = [...page.matchAll(/<th scope="col"[^>]*>([^<]*(?:ime|From|To))<\/th>/g)].map(
      ([, title]) => title,
    )
    expect(titles).toEqual(['Exact time', 'Rounded time', 'From', 'To', 'Exact time', 'Rounded time'])
    expect(page).toContain('<h2>Exact time by day</h2>')
    expect(page).not.toMatch(/>Time</)
  })

  test('follows round.PATTERN', async () => {
    const cli = await createClientCli()
    await changeSettings(cli, { 'round.Acme': '15m:up' })
    expect(hasAny(await pageOf(cli, '--client', 'Acme'), exact)).toEqual([])
    expect(hasAny(await pageOf(cli), exact)).not.toEqual([])
  })

  test('has times of day without rounding, and rejects other words', async () => {
    const cli = await createClientCli()
    expect(await pageOf(cli, '--client', 'Acme')).toContain('09:07')
    expect(await pageOf(cli, '--client', 'Acme', '--show', 'billed')).not.toContain('09:07')
    expect((await cli.run('report', '--html', '--show', 'all')).status).toBe(2)
    expect((await cli.run('report', '--show', 'billed')).stderr).toContain(
      '--show requires --html or -o FILE.pdf.',
    )
  })
})

describe('a page for a client', () => {
  test('lists the expenses of the client, which count in the total', async () => {
    const page = await pageOf(await createClientCli(), '--client', 'Acme', '--round', '15m:up')
    const [, table = ''] = /<table class="expenses">([\s\S]*?)<\/table>/.exec(page) ?? []
    expect(
      table
        .replace(/<[^>]*>/g, ' ')
        .replace(/\s+/g, ' ')
        .trim(),
    ).toBe('Date Type Project Notes Amount 7 May 2024 Travel Website Train trip 120.50 EUR Total 120.50 EUR')
    // 4.5 hours at 80 EUR.
    expect(page).toContain(
      '<dt>Amount</dt><dd>480.50 EUR</dd><dd class="note">time 360.00 EUR; expenses 120.50 EUR</dd>',
    )
  })

  test.each([
    [['--client', 'Acme', '--billable'], true],
    [['--client', 'Acme', '--project', 'Shop'], false],
    [['--client', 'Acme', '--task', 'Design'], false],
    [['--client', 'Acme', '--client', 'Globex'], true],
    [['--client', '!Globex'], false],
    [[], false],
  ])('has expenses with the filters %j: %j', async (options, expected) => {
    const page = await pageOf(await createClientCli(), ...options)
    expect(page.includes('120.50 EUR')).toBe(expected)
  })

  test('lists expenses also without an entry', async () => {
    const cli = await createClientCli()
    const { stdout } = await cli.run('report', '2024-05-07', '--html', '--client', 'Acme')
    expect(stdout).toMatch(/<dt>For<\/dt><dd><bdi>Acme<[\s\S]*No time in this period[\s\S]*120\.50 EUR/)
  })

  test('shows the amount first, then billable hours', async () => {
    const page = await pageOf(await createClientCli(), '--client', 'Acme', '--round', '15m:up')
    const [, list = ''] = /<dl class="summary[^>]*>([\s\S]*?)<\/dl>/.exec(page) ?? []
    expect([...list.matchAll(/<dt>(.*?)<\/dt>/g)].map(([, name]) => name)).toEqual([
      'Amount',
      'Billable hours',
    ])
  })

  test('has no tags, names of parts of tt or advice', async () => {
    const cli = await createClientCli()
    const page = await pageOf(cli, '--client', 'Acme', '--by', 'tag,notes', '--entries', 'none')
    const all = page + (await pageOf(cli, '--client', 'Acme'))
    expect(all).toContain('New logo for the relaunch')
    expect(all).toContain('#123 is a ticket')
    expect(
      all
        .replace(/<style>[\s\S]*?<\/style>/g, '')
        .replaceAll('url(#p', '')
        .replaceAll('&#', ''),
    ).not.toMatch(/#(logo|relaunch|trip)|Local workspace|--\w|Rounding each|differ by cents/)
    // Without one client, tags are the user's own.
    expect(await pageOf(cli, '--by', 'tag')).toContain('#logo')
  })

  test('leaves the note on time without a rate to standard error', async () => {
    const cli = await createClientCli()
    await cli.json('config', 'unset', 'rate')
    await changeSettings(cli, { 'rate.Acme/Shop': '90 EUR' })
    const { stdout, stderr } = await cli.run('report', 'may', '--html', '--client', 'Acme')
    expect(stdout).not.toContain('no rate')
    expect(stderr).toContain('2h 11m billable have no rate.')
  })
})
