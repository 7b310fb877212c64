import { describe, expect, test } from 'vitest'
import { changeSettings, createReportCli, runReport } from './report-fixtures.js'

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
