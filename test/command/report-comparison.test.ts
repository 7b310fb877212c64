import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import type { ComparisonJson, ReportJson } from '../../src/records/shapes/reports.js'
import { preparedCli } from '../support/prepared-cli.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'
import { cellsOf, changeSettings } from './report-fixtures.js'

/** Creates a `TestCli` with entries this week and last week; its clock is Wednesday noon. */
const createTwoWeekCli = preparedCli('2024-05-08T12:00:00', async (cli) => {
  const add = (task: string, from: string, length: string) =>
    cli.json('add', task, '--from', from, '--for', length)
  await add('Acme/Website/Design', '2024-05-06 09:00', '1h30m')
  await add('Acme/Shop/Design', '2024-05-07 10:00', '2h')
  await add('Acme/Website/Design', '2024-04-30 10:00', '4h')
  await add('Internal/Meetings', '2024-05-02 10:00', '45m')
})

const compare = (cli: TestCli, ...options: string[]) =>
  cli.json<ComparisonJson>('report', 'week', '--compare', 'last-week', ...options)

test('the JSON has the keys of the report, and the other period and the differences', {
  tags: 'slow',
}, async () => {
  const cli = await createTwoWeekCli()
  const report = await cli.json<ReportJson>('report', 'week')
  const { groups, compared, difference, ...rest } = await compare(cli)
  expect(rest).toEqual({ ...report, groups: undefined })
  expect(compared).toMatchObject({ since: '2024-04-29', until: '2024-05-05', seconds: 17_100, count: 2 })
  expect(difference).toMatchObject({ seconds: -4500, rounded_seconds: -4500, count: 0 })
  expect(groups.slice(0, 2).map(({ compared, difference, ...group }) => group)).toEqual(report.groups)
  expect(groups).toMatchObject([
    {
      key: 'Shop',
      seconds: 7200,
      compared: { seconds: 0, count: 0 },
      difference: { seconds: 7200, count: 1 },
    },
    {
      key: 'Website',
      seconds: 5400,
      compared: { seconds: 14_400, share: 0.8421 },
      difference: { seconds: -9000 },
    },
    { key: 'Internal', seconds: 0, compared: { seconds: 2700 }, difference: { seconds: -2700, count: -1 } },
  ])
})

test('a terminal shows both periods and signed differences', async () => {
  const cli = await createTwoWeekCli()
  await changeSettings(cli, { rate: '60', currency: 'EUR', billable: '*' })
  const options = ['report', 'week', '--by', 'day,project', '--compare', 'last week']
  const { stdout } = await cli.runInTerminal(100, ...options)
  expect(stdout).toMatchInlineSnapshot(`
    "Day / project   Compared with   Duration  Compared  Difference   Change     EUR  +/− EUR
    2024-05-06 Mon  2024-04-29 Mon    1h 30m        0m     +1h 30m            90.00   +90.00
      Website                         1h 30m        0m     +1h 30m            90.00   +90.00
    2024-05-07 Tue  2024-04-30 Tue    2h 00m    4h 00m     −2h 00m   −50.0%  120.00  −120.00
      Shop                            2h 00m        0m     +2h 00m           120.00  +120.00
      Website                             0m    4h 00m     −4h 00m  −100.0%    0.00  −240.00
    2024-05-09 Thu  2024-05-02 Thu        0m       45m        −45m  −100.0%    0.00   −45.00
      Internal                            0m       45m        −45m  −100.0%    0.00   −45.00

    2024-05-06 to 2024-05-12: 2 entries
    Compared with 2024-04-29 to 2024-05-05: 2 entries
    Total         3h 30m, compared with 4h 45m: −1h 15m (−26.3%)
    Billable      3h 30m, compared with 4h 45m: −1h 15m (−26.3%)
    Non-billable  0m, compared with 0m: 0m
    Amount        210.00 EUR, compared with 285.00 EUR: −75.00 EUR
    "
  `)
  const narrow = await cli.runInTerminal(60, ...options)
  expect(narrow.stdout).toMatch(/^Day \/ project {3}Duration {2}Compared {2}Difference {2}\+\/− EUR\n/)
})

test('Markdown has every column and the total', async () => {
  const cli = await createTwoWeekCli()
  const options = ['--compare', 'last-week', '--round', '1h:up', '--markdown']
  const { stdout } = await cli.run('report', 'week', ...options)
  expect(stdout).toMatchInlineSnapshot(`
    "| Project | Duration | Rounded | Compared | Difference | Change |
    | --- | --: | --: | --: | --: | --: |
    | Shop | 2h 00m | 2h 00m | 0m | +2h 00m |  |
    | Website | 1h 30m | 2h 00m | 4h 00m | −2h 00m | −50.0% |
    | Internal | 0m | 0m | 1h 00m | −1h 00m | −100.0% |
    | Total | 3h 30m | 4h 00m | 5h 00m | −1h 00m | −20.0% |
    "
  `)
})

test('CSV has the columns of the report, those of the other period, the differences and the IDs', async () => {
  const cli = await createTwoWeekCli()
  await changeSettings(cli, { rate: '60 EUR' })
  const options = ['report', 'week', '--by', 'day,project', '--csv']
  const { stdout } = await cli.run(...options, '--compare', 'last-week')
  const [columns = []] = parse((await cli.run(...options)).stdout) as string[][]
  const compared = (parse(stdout) as string[][])[0] ?? []
  expect([...compared.slice(0, columns.length - 1), compared.at(-1)]).toEqual(columns)
  expect(columns.at(-1)).toBe('project_id')
  const rows = parse(stdout, { columns: true }) as Record<string, string>[]
  expect(
    rows.map((row) => [row.day, row.compared_day, row.project, row.compared_seconds, row.difference_seconds]),
  ).toEqual([
    ['2024-05-06', '2024-04-29', 'Website', '0', '5400'],
    ['2024-05-07', '2024-04-30', 'Shop', '0', '7200'],
    ['2024-05-07', '2024-04-30', 'Website', '14400', '-14400'],
    ['2024-05-09', '2024-05-02', 'Internal', '2700', '-2700'],
  ])
  expect(rows[2]).toMatchObject({
    amount_eur: '0.00',
    compared_amount_eur: '240.00',
    difference_amount_eur: '-240.00',
  })
})

describe('displayed durations of both periods', () => {
  /** Creates a `TestCli` with three entries of 29m 20s this week and two of 40m 50s last week. */
  const createSecondsCli = preparedCli('2024-05-08T12:00:00', async (cli) => {
    const add = (task: string, from: string, length: string) =>
      cli.json('add', `Acme/${task}/Design`, '--from', from, '--for', length, '--create')
    for (const [index, project] of ['Website', 'Shop', 'Atlas'].entries())
      await add(project, `2024-05-06 1${index}:00`, '29m20s')
    for (const [index, project] of ['Website', 'Borealis'].entries())
      await add(project, `2024-04-30 1${index}:00`, '40m50s')
  })

  test('and their differences add up', async () => {
    const cli = await createSecondsCli()
    const { stdout } = await cli.runInTerminal(80, 'report', 'week', '--compare', 'last-week')
    expect(stdout).toMatchInlineSnapshot(`
      "Project   Duration  Compared  Difference   Change
      Website        29m       40m        −11m   −28.2%
      Atlas          30m        0m        +30m
      Shop           29m        0m        +29m
      Borealis        0m       41m        −41m  −100.0%

      2024-05-06 to 2024-05-12: 3 entries
      Compared with 2024-04-29 to 2024-05-05: 2 entries
      Total    1h 28m, compared with 1h 21m: +7m (+7.8%)
      "
    `)
  })

  test.each([
    ['1:24', [], '0:29', '0:40', '−0:11', '−0:11'],
    ['1h 24m', ['--hours', 'decimal'], '0.4889', '0.6806', '−0.1917', '-0.1917'],
    ['1:24', ['--hours', 'hms'], '0:29:20', '0:40:50', '−0:11:30', '−0:11:30'],
  ])('have the format %s, or that of %j', async (format, hours, duration, compared, shown, difference) => {
    const cli = await createSecondsCli()
    await changeSettings(cli, { duration_format: format })
    const options = ['report', 'week', '--compare', 'last-week', '--project', 'Website', ...hours]
    const lines = (await cli.runInTerminal(80, ...options)).stdout.split('\n')
    expect(lines[1]?.split(/ +/)).toEqual(['Website', duration, compared, shown, '−28.2%'])
    expect(lines[5]).toBe(`Total    ${duration}, compared with ${compared}: ${shown} (−28.2%)`)
    expect(parse((await cli.run(...options, '--csv')).stdout, { columns: true })).toMatchObject([
      { seconds: '1760', duration, compared_duration: compared, difference_duration: difference },
    ])
  })
})

test('groups of tags overlap, and totals count each entry once', async () => {
  const cli = createTestCli('2024-05-08T12:00:00')
  const add = (from: string, notes: string) =>
    cli.json('add', 'Acme/Website/Design', '--from', from, '--for', '1h', '--notes', notes, '--create')
  await add('2024-05-06 09:00', '#logo #relaunch')
  await add('2024-05-07 09:00', '#relaunch')
  await add('2024-04-30 09:00', '#logo')
  await add('2024-05-01 09:00', '#Logo #press')
  await add('2024-05-02 09:00', 'no tag')
  const options = ['report', 'week', '--compare', 'last-week', '--by', 'tag']
  expect((await cli.runInTerminal(80, ...options)).stdout).toMatchInlineSnapshot(`
    "Tag        Duration  Compared  Difference   Change
    #relaunch    2h 00m        0m     +2h 00m
    #logo        1h 00m    2h 00m     −1h 00m   −50.0%
    #press           0m    1h 00m     −1h 00m  −100.0%
    no tag           0m    1h 00m     −1h 00m  −100.0%

    2024-05-06 to 2024-05-12: 2 entries
    Compared with 2024-04-29 to 2024-05-05: 3 entries
    Total    2h 00m, compared with 3h 00m: −1h 00m (−33.3%)
    Tag groups overlap: an entry counts under each of its tags, and once in the total.
    "
  `)
})

test('a longer period shows its additional days, and both their numbers of days', {
  tags: 'slow',
}, async () => {
  const cli = await createTwoWeekCli()
  const days = ['--since', '2024-05-06', '--until', '2024-05-07', '--by', 'day,project']
  const options = ['report', ...days, '--compare', '2024-04-29..2024-05-05']
  expect((await cli.runInTerminal(60, ...options)).stdout).toMatchInlineSnapshot(`
    "Day / proje…  Compared with   Duration  Compared  Difference
    2024-05-06 …  2024-04-29 Mon    1h 30m        0m     +1h 30m
      Website                       1h 30m        0m     +1h 30m
    2024-05-07 …  2024-04-30 Tue    2h 00m    4h 00m     −2h 00m
      Shop                          2h 00m        0m     +2h 00m
      Website                           0m    4h 00m     −4h 00m
    none          2024-05-02 Thu        0m       45m        −45m
      Internal                          0m       45m        −45m

    2024-05-06 to 2024-05-07, 2 days: 2 entries
    Compared with 2024-04-29 to 2024-05-05, 7 days: 2 entries
    Total    3h 30m, compared with 4h 45m: −1h 15m (−26.3%)
    "
  `)
  expect((await cli.json<ComparisonJson>(...options)).groups.at(-1)).toMatchObject({
    key: null,
    seconds: 0,
    compared: { key: '2024-05-02', seconds: 2700 },
    difference: { seconds: -2700 },
  })
  const { stdout } = await cli.run(...options, '--html')
  expect(stdout).toContain('<bdi>none</bdi> <small>with <bdi>Thursday, 2 May 2024</bdi></small>')
  expect(stdout).toContain('<p class="note">29 April to 5 May 2024, 7 days: 2 entries</p>')
})

test('equal and empty periods have differences without a sign, and no percentage of nothing', async () => {
  const cli = await createTwoWeekCli()
  const lastLine = async (...options: string[]) =>
    (await cli.runInTerminal(80, 'report', ...options)).stdout.trimEnd().split('\n').at(-1)
  expect(await lastLine('week', '--compare', 'week')).toBe('Total    3h 30m, compared with 3h 30m: 0m (0.0%)')
  expect(await lastLine('week', '--compare', '2020')).toBe('Total    3h 30m, compared with 0m: +3h 30m')
  expect(await lastLine('today', '--compare', 'last-week')).toBe(
    'Total    0m, compared with 4h 45m: −4h 45m (−100.0%)',
  )
})

describe('the HTML page', () => {
  /** Returns the header cells and the rows of each table of the comparison. */
  async function comparisonTables(cli: TestCli, ...options: string[]): Promise<string[][][]> {
    const { stdout } = await cli.run('report', '--html', ...options)
    const [section = ''] = /<section class="comparison">[\s\S]*?<\/section>/.exec(stdout) ?? []
    return [...section.matchAll(/<table[\s\S]*?<\/table>/g)].map(([table]) => cellsOf(table))
  }

  test('shows both periods, and differences with real minus signs', async () => {
    const cli = await createTwoWeekCli()
    const options = ['week', '--by', 'client,project', '--compare', 'last-week']
    const week = ['6 to 12 May 2024', '29 April to 5 May 2024', 'Difference']
    expect(await comparisonTables(cli, ...options)).toEqual([
      [
        ['Client, project', ...week],
        ['Acme', '3h 30m', '4h 00m', '−30m'],
        ['Shop', '2h 00m', '0m', '+2h 00m'],
        ['Website', '1h 30m', '4h 00m', '−2h 30m'],
        ['no client', '0m', '45m', '−45m'],
        ['Internal', '0m', '45m', '−45m'],
        ['Total', '3h 30m', '4h 45m', '−1h 15m'],
      ],
    ])
    const { stdout } = await cli.run('report', '--html', ...options)
    expect(stdout).toContain(
      '<dt>Difference</dt><dd>−1h 15m</dd><dd class="note">compared with 29 April to 5 May 2024 (−26.3%)</dd>',
    )
    expect(stdout).toContain('<p class="note">29 April to 5 May 2024: 2 entries</p>')
    await changeSettings(cli, { 'rate.Acme': '600 EUR', rate: '12000 JPY' })
    const [time, amounts] = await comparisonTables(cli, ...options)
    expect(time?.slice(-3)).toEqual([
      ['Total', '3h 30m', '4h 45m', '−1h 15m'],
      ['Billable', '3h 30m', '4h 45m', '−1h 15m'],
      ['Non-billable', '0m', '0m', '0m'],
    ])
    expect(amounts?.slice(-4)).toEqual([
      ['Website', '900.00 EUR', '2,400.00 EUR', '−1,500.00 EUR'],
      ['no client', '0 JPY', '9,000 JPY', '−9,000 JPY'],
      ['Internal', '0 JPY', '9,000 JPY', '−9,000 JPY'],
      ['Total', '2,100.00 EUR, 0 JPY', '2,400.00 EUR, 9,000 JPY', '−300.00 EUR, −9,000 JPY'],
    ])
  })

  test('is compared if only one of the periods has entries', async () => {
    const cli = await createTwoWeekCli()
    expect((await comparisonTables(cli, 'today', '--compare', 'last-week'))[0]?.slice(1)).toEqual([
      ['Website', '0m', '4h 00m', '−4h 00m'],
      ['Internal', '0m', '45m', '−45m'],
      ['Total', '0m', '4h 45m', '−4h 45m'],
    ])
    const earlier = await cli.run('report', 'week', '--compare', '2020', '--html')
    expect(earlier.stdout).toContain('<dd>+3h 30m</dd><dd class="note">compared with 2020</dd>')
    const { stdout } = await cli.run('report', 'today', '--compare', '2020', '--html')
    expect(stdout).toContain('No time in this period.')
    expect(stdout).not.toContain('class="comparison"')
  })

  test('marks only groups as running, not the billable and non-billable time', async () => {
    const cli = createTestCli('2024-05-08T12:00:00')
    await changeSettings(cli, { billable: 'Acme' })
    await cli.json('start', 'Acme/Website/Design', '--at', '11:00')
    const [rows] = await comparisonTables(cli, 'today', '--compare', 'yesterday')
    expect(rows?.slice(1)).toEqual([
      ['Website running', '1h 00m', '0m', '+1h 00m'],
      ['Total', '1h 00m', '0m', '+1h 00m'],
      ['Billable', '1h 00m', '0m', '+1h 00m'],
      ['Non-billable', '0m', '0m', '0m'],
    ])
  })
})

test('without entries in either period a terminal says so', async () => {
  const cli = await createTwoWeekCli()
  const { stdout, stderr } = await cli.runInTerminal(80, 'report', 'today', '--compare', '2020')
  expect({ stdout, stderr }).toEqual({
    stdout: '',
    stderr: 'No entries in either period. `tt add TASK 9:00-11:30` adds one.\n',
  })
})

test.each([
  [['week', '--compare', 'lst-week'], '"lst-week" is not a period. Did you mean last week?'],
  [['all', '--compare', 'last-week'], 'needs periods with a first day'],
  [['week', '--compare', 'all'], 'needs periods with a first day'],
  [['week', '--compare', 'last-week', '--chart'], '--compare and --chart cannot be used together'],
])('tt report %j is a usage error', async (options, message) => {
  const { status, stdout, stderr } = await (await createTwoWeekCli()).run('report', ...options)
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toContain(message)
})
