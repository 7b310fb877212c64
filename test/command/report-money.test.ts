import { describe, expect, test } from 'vitest'
import { changeSettings, createReportCli, runReport } from './report-fixtures.js'

describe('an amount', () => {
  test('uses the most specific rate, in the currency of the rate or of the settings', async () => {
    const cli = await createReportCli()
    await changeSettings(cli, {
      rate: '50',
      currency: 'EUR',
      'rate.acme': '90',
      'rate.Acme/Shop': '100 USD',
      'rate.*/*/review': '60',
    })
    expect(await runReport(cli, '--by', 'project, task')).toMatchObject({
      amounts: [
        { currency: 'EUR', amount: '205.00' },
        { currency: 'USD', amount: '1200.00' },
      ],
      groups: [
        { key: 'Shop', amounts: [{ currency: 'USD', amount: '1200.00' }] },
        {
          key: 'Website',
          amounts: [{ currency: 'EUR', amount: '155.00' }],
          groups: [
            { key: 'Design', amounts: [{ currency: 'EUR', amount: '135.00' }] },
            { key: 'Review', amounts: [{ currency: 'EUR', amount: '20.00' }] },
          ],
        },
        { key: 'Internal', amounts: [{ currency: 'EUR', amount: '50.00' }] },
      ],
    })
  })

  test('is in the currency of the company without a setting', async () => {
    const cli = await createReportCli()
    await cli.json('admin', 'company', '--currency', 'CHF')
    await changeSettings(cli, { rate: '50' })
    expect(await runReport(cli, '--project', 'Internal')).toMatchObject({
      amounts: [{ currency: 'CHF', amount: '50.00' }],
    })
  })
})

describe('non-billable time', () => {
  test('has no amount, and totals of its own in every format', async () => {
    const cli = await createReportCli()
    await changeSettings(cli, {
      rate: '100 EUR',
      billable: '*,!Internal,!*/Internal',
      'rate.*/*/Review': 'none',
    })
    const options = ['--by', 'project,task', '--round', '15m:up']
    expect(await runReport(cli, ...options)).toMatchObject({
      ...{ seconds: 53_400, billable_seconds: 48_600, non_billable_seconds: 4800 },
      ...{ rounded_seconds: 54_000, billable_rounded_seconds: 48_600, non_billable_rounded_seconds: 5400 },
      amounts: [{ currency: 'EUR', amount: '1350.00' }],
      groups: [
        { key: 'Shop', amounts: [{ currency: 'EUR', amount: '1200.00' }] },
        {
          key: 'Website',
          amounts: [{ currency: 'EUR', amount: '150.00' }],
          groups: [
            { key: 'Design' },
            { key: 'Review', amounts: [], billable_seconds: 0, non_billable_seconds: 1200 },
          ],
        },
        { key: 'Internal', amounts: [], non_billable_seconds: 3600 },
      ],
    })
    const { stdout: table } = await cli.runInTerminal(100, 'report', ...options)
    expect(table).toContain(
      'Billable 13h 30m, rounded 13h 30m\n         non-billable 1h 20m, rounded 1h 30m\nAmount   1,350.00 EUR\n',
    )
    expect((await cli.runInTerminal(100, 'report')).stdout).toContain(
      'Billable 13h 30m; non-billable 1h 20m\n',
    )
    const keys = 'task,billable_seconds,non_billable_seconds,non_billable_rounded_seconds,amount_eur'
    const { stdout: csv } = await cli.run('report', ...options, '--csv', '--fields', keys)
    expect(csv).toBe(
      `${keys}\r\nDesign,43200,0,0,1200.00\r\nDesign,5400,0,0,150.00\r\nReview,0,1200,1800,\r\nMeetings,0,3600,3600,\r\n`,
    )
    const { stdout: markdown } = await cli.run('report', ...options, '--markdown')
    expect(markdown.split('\n').slice(-4)).toEqual([
      '| Total | 14h 50m | 15h 00m |  | 4 | 1,350.00 |',
      '| Billable | 13h 30m | 13h 30m | 91% |  | 1,350.00 |',
      '| Non-billable | 1h 20m | 1h 30m | 9% |  |  |',
      '',
    ])
    const { stdout: page } = await cli.run('report', ...options, '--html')
    expect(page).toMatch(/<dt>Non-billable<\/dt><dd>1h 30m<\/dd><dd class="note">exact 1h 20m<\/dd>/)
  })
})

test('rounded groups have amounts of their own, and the report says that its totals depend on them', async () => {
  const cli = await createReportCli()
  await changeSettings(cli, { rate: '100 EUR' })
  const amount = async (by: string) => (await runReport(cli, '--by', by, '--round-total', '1h:up')).amounts
  expect(await amount('project')).toEqual([{ currency: 'EUR', amount: '1500.00' }])
  expect(await amount('task')).toEqual([{ currency: 'EUR', amount: '1600.00' }])
  const text = 'Rounded per group: the totals depend on the grouping.'
  expect((await cli.runInTerminal(80, 'report', '--round-total', '1h:up')).stdout).toContain(text)
  expect((await cli.run('report', '--round-total', '1h:up', '--html')).stdout).toContain(text)
  expect((await cli.run('report', '--html')).stdout).toContain('it can differ by cents from hours × rate')
  expect((await cli.run('report', '--round', '15m', '--html')).stdout).not.toContain('differ by cents')
})

test('a report counts no holiday as a working day', async () => {
  const cli = await createReportCli()
  await changeSettings(cli, { 'target.daily': '6h', holidays: '2024-05-03' })
  expect(await runReport(cli)).toMatchObject({ working_days: 4 })
})

describe('a target', () => {
  test('of a past period is final', async () => {
    const cli = await createReportCli()
    await changeSettings(cli, { 'target.daily': '6h', 'target.since': '2024-04-01' })
    const report = async (...period: string[]) => (await cli.runInTerminal(100, 'report', ...period)).stdout
    expect(await report('week')).toMatch(/a working day \(\d so far\)\nTarget {3}18h 00m so far:/)
    expect(await report('2024-05-06..2024-05-07')).toMatch(/a working day \(2 days\)\nTarget {3}12h 00m: /)
    expect(await report('2024-05-06..2024-05-07')).not.toContain('so far')
  })

  test('is not compared with filtered time', async () => {
    const cli = await createReportCli()
    await changeSettings(cli, { 'target.daily': '6h' })
    expect(await runReport(cli, 'week', '--billable')).toMatchObject({
      target_seconds: null,
      balance_seconds: null,
    })
    expect((await cli.run('report', 'week', '--chart')).stdout).toContain('target')
    expect((await cli.run('report', 'week', '--chart', '--billable')).stdout).not.toContain('target')
  })
})

describe('billable time without a rate', () => {
  test('is mentioned below the table and beside the amount of a page', async () => {
    const cli = await createReportCli()
    await changeSettings(cli, { 'rate.Acme/Shop': '100 EUR' })
    const note = '1h 50m billable have no rate.'
    expect((await cli.runInTerminal(100, 'report')).stdout.split('\n')).toContain(note)
    expect((await cli.runInTerminal(100, 'report', '--compare', 'last-week')).stdout).toContain(note)
    const { stdout: page } = await cli.run('report', '--html')
    expect(page).toMatch(
      /<dt>Amount<\/dt><dd>.*1,200.00.*<\/dd><dd class="note">without 1h 50m that have no rate<\/dd>/,
    )
    expect((await cli.runInTerminal(100, 'report', '--project', 'Shop')).stdout).not.toContain('no rate')
  })
})

describe('the settings round.PATTERN', () => {
  test('round by client and project, the most specific first, and amounts follow', async () => {
    const cli = await createReportCli()
    await changeSettings(cli, {
      rate: '60 EUR',
      'round.Acme': '1h:up',
      'round.Acme/Shop': 'none',
      'round./Internal': '45m:up',
    })
    expect(await runReport(cli)).toMatchObject({
      rounding: { step_seconds: null, direction: null, of: 'entries' },
      groups: [
        { key: 'Shop', seconds: 43_200, rounded_seconds: 43_200, amounts: [{ amount: '720.00' }] },
        { key: 'Website', seconds: 6600, rounded_seconds: 10_800, amounts: [{ amount: '180.00' }] },
        { key: 'Internal', seconds: 3600, rounded_seconds: 5400, amounts: [{ amount: '90.00' }] },
      ],
    })
    expect(await runReport(cli, '--project', 'Website')).toMatchObject({
      rounding: { step_seconds: 3600, direction: 'up', of: 'entries' },
    })
    expect(await runReport(cli, '--project', 'Shop')).toMatchObject({ rounding: null })
  })

  test('give way to the options', async () => {
    const cli = await createReportCli()
    await changeSettings(cli, { 'round.Acme': '1h:up' })
    for (const [options, seconds] of [
      [[], 10_800],
      [['--round', '15m:up'], 7200],
      [['--round', 'none'], 6600],
      [['--round-total', '7h:up'], 25_200],
    ] as const)
      expect(await runReport(cli, '--project', 'Website', ...options)).toMatchObject({
        rounded_seconds: seconds,
      })
  })

  test('are in the columns, the header of a page and a comparison', async () => {
    const cli = await createReportCli()
    await changeSettings(cli, { 'round.Acme/Website': '1h:up' })
    expect((await cli.runInTerminal(80, 'report')).stdout).toMatch(/Duration {2}Rounded[\s\S]*1h 50m +3h 00m/)
    expect((await cli.run('report', '--html')).stdout).toContain('entries rounded by client or project')
    expect((await cli.run('report', '--html', '--project', 'Website')).stdout).toContain(
      'each entry rounded up to 1 h',
    )
    // Only the compared period has an entry that is rounded.
    const { stdout } = await cli.runInTerminal(100, 'report', 'today', '--compare', '2024-05-06')
    expect(stdout).toMatch(/Rounded[\s\S]*Website +0m +0m +3h 00m/)
  })

  test('change with the name of the project', async () => {
    const cli = await createReportCli()
    await changeSettings(cli, { 'round./Internal': '15m', 'rate./Internal': '50 EUR' })
    const { stderr } = await cli.run('projects', 'rename', 'Internal', 'Inside')
    expect(stderr).toContain('Changed with it: round./Inside, rate./Inside.')
  })
})

test('rate./PROJECT is the rate of a project without a client only', async () => {
  const cli = await createReportCli()
  await cli.json('add', 'Acme/Internal/Meetings', '--from', '2024-05-07 08:00', '--for', '1h', '--create')
  await changeSettings(cli, { 'rate./Internal': '50 EUR' })
  expect(await runReport(cli, '--by', 'client,project')).toMatchObject({
    groups: [
      { key: 'Acme', amounts: [] },
      { key: null, amounts: [{ amount: '50.00' }] },
    ],
  })
})
