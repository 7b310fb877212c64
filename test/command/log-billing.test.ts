import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { clientStatePath, pathsFor } from '../../src/config/paths.js'
import { selectProfile } from '../../src/config/profile.js'
import { runSql } from '../support/database-files.js'
import { dropRequest } from '../support/proxy.js'
import type { TestCli } from '../support/test-cli.js'
import { changeSettings, createReportCli } from './report-fixtures.js'
import { setUpService } from './service-fixtures.js'

const keys = ['hours', 'rate', 'amount', 'currency', 'billable'] as const

async function csvOf(cli: TestCli, ...argv: string[]): Promise<string[][]> {
  const rows: Record<string, string>[] = parse((await cli.run(...argv)).stdout, { columns: true })
  return rows.map((row) => keys.map((key) => row[key] ?? ''))
}

test('tt log --csv has hours, rate, amount, currency and what is billable, as the report has them', async () => {
  const cli = await createReportCli()
  await changeSettings(cli, {
    rate: '50 EUR',
    'rate.Acme/Shop': '90 USD',
    'rate.*/*/Review': 'none',
    'round.Acme/Website': '1h:up',
  })
  const rows = [
    ['2.00', '50.00', '100.00', 'EUR', 'true'],
    ['1.00', '', '', '', 'false'],
    ['1.00', '50.00', '50.00', 'EUR', 'true'],
    ['12.00', '90.00', '1080.00', 'USD', 'true'],
  ]
  expect(await csvOf(cli, 'log', '--csv')).toEqual(rows)
  // The same, not streamed.
  expect(await csvOf(cli, 'log', '--csv', '-n', '9')).toEqual(rows)
  expect(await csvOf(cli, 'export', '--format', 'csv')).toEqual(rows)
  expect(
    (await cli.json<Record<string, unknown>[]>('log')).map((entry) => keys.map((key) => entry[key])),
  ).toEqual(
    rows.map(([hours, rate, amount, currency, billable]) => [
      hours,
      rate || null,
      amount || null,
      currency || null,
      billable === 'true',
    ]),
  )
  const { stdout } = await cli.run('log', '--csv', '--fields', 'id,hours,amount')
  expect(stdout.split('\r\n').slice(0, 2)).toEqual(['id,hours,amount', '1,2.00,100.00'])
  expect((await cli.runInTerminal(100, 'log', '--fields', 'notes,amount')).stdout).toContain('100.00')
  expect((await cli.runInTerminal(100, 'log')).stdout).not.toContain('100.00')
})

test('the amounts of a log are those of the parts in the period, so that days add up', async () => {
  const cli = await createReportCli()
  await changeSettings(cli, { 'rate./Internal': '99.99 EUR' })
  const amounts = async (day: string) =>
    (await csvOf(cli, 'log', day, '--csv', '--project', 'Internal')).map((row) => row[2])
  expect([await amounts('2024-05-06'), await amounts('2024-05-07')]).toEqual([['50.00'], ['49.99']])
})

test('rates whose currency is unknown offline leave a log complete, with a warning', async () => {
  const { cli, proxy } = await setUpService()
  await cli.json('add', 'design', '--from', '2024-05-01 09:00', '--for', '1h')
  await cli.run('log', 'all', '--json')
  const state = clientStatePath(pathsFor(cli.env), selectProfile(cli.env).stateKey)
  await runSql(state, "delete from snapshot where name = 'company'")
  await changeSettings(cli, { rate: '50' })
  proxy.fault = dropRequest
  const { status, stdout, stderr } = await cli.run('log', 'all', '--json')
  expect({ status, entries: JSON.parse(stdout) }).toMatchObject({
    ...{ status: 0, entries: [{ hours: '1.00', rate: null, amount: null }] },
  })
  expect(stderr).toContain('Without rates and amounts: ')
})
