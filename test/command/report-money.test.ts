import { describe, expect, test } from 'vitest'
import { createTestCli } from '../support/test-cli.js'
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
    expect(await runReport(cli, '--by', 'project,task')).toMatchObject({
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
    const { stdout } = await cli.run('report', '--csv', '--fields', 'project,amount_eur,amount_usd')
    expect(stdout).toBe(
      'project,amount_eur,amount_usd\r\nShop,,1200.00\r\nWebsite,155.00,\r\nInternal,50.00,\r\n',
    )
    expect((await cli.runInTerminal(100, 'report')).stdout).toContain('Amount   205.00 EUR, 1200.00 USD')
  })

  test('is in the currency of the company without a setting', async () => {
    const cli = await createReportCli()
    await cli.json('admin', 'company', '--currency', 'CHF')
    await changeSettings(cli, { rate: '50' })
    expect(await runReport(cli, '--project', 'Internal')).toMatchObject({
      amounts: [{ currency: 'CHF', amount: '50.00' }],
    })
  })

  test('is computed from the rounded time', async () => {
    const cli = await createReportCli()
    await changeSettings(cli, { rate: '100 EUR' })
    expect(await runReport(cli, '--task', 'review', '--round', '15m:up')).toMatchObject({
      seconds: 1200,
      rounded_seconds: 1800,
      amounts: [{ currency: 'EUR', amount: '50.00' }],
    })
  })
})

describe('a target', () => {
  test('is compared with all time tracked in the period so far, and the average working day is shown', async () => {
    const cli = await createReportCli()
    await changeSettings(cli, { 'target.daily': '6h', holidays: '2024-05-03' })
    expect(await runReport(cli, '--week')).toMatchObject({
      seconds: 53_400,
      working_days: 3,
      average_seconds: 17_800,
      target_seconds: 64_800,
      balance_seconds: -11_400,
    })
    expect(await runReport(cli)).toMatchObject({ working_days: 4 })
    expect((await cli.runInTerminal(100, 'report', '--week')).stdout).toContain(
      'Target   18h 00m so far: 3h 10m behind',
    )
  })

  test('is not compared with filtered time', async () => {
    const cli = await createReportCli()
    await changeSettings(cli, { 'target.daily': '6h' })
    for (const filter of [
      ['--project', 'Shop'],
      ['--billable'],
      ['--notes', 'page'],
      ['--where', 'notes_cont=page'],
    ])
      expect(await runReport(cli, '--week', ...filter)).toMatchObject({
        target_seconds: null,
        balance_seconds: null,
      })
    expect((await cli.run('report', '--week', '--chart')).stdout).toContain('target')
    expect((await cli.run('report', '--week', '--chart', '--billable')).stdout).not.toContain('target')
  })

  test('without entries has a balance of minus the whole target', async () => {
    const cli = createTestCli('2024-05-08T12:00:00')
    await changeSettings(cli, { 'target.weekly': '40h' })
    expect(await runReport(cli, '--week')).toMatchObject({
      seconds: 0,
      count: 0,
      groups: [],
      target_seconds: 86_400,
      balance_seconds: -86_400,
      average_seconds: 0,
    })
  })
})
