import { describe, expect, test } from 'vitest'
import type { TestCli } from '../support/test-cli.js'
import { changeSettings, createReportCli } from './report-fixtures.js'

/** Returns the rows of a table of the page by the titles of its columns. */
async function rowsOf(
  cli: TestCli,
  table: 'groups' | 'entries',
  ...options: string[]
): Promise<Record<string, string>[]> {
  const { stdout: page, stderr } = await cli.run('report', '--html', ...options)
  const [, rows] = new RegExp(`<table class="${table}[^"]*">([\\s\\S]*?)</table>`).exec(page) ?? []
  if (rows === undefined) throw new Error(stderr)
  const [titles = [], ...cells] = [...rows.matchAll(/<tr\b[^>]*>([\s\S]*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd]\b([^>]*)>([\s\S]*?)<\/t[hd]>/g)].flatMap(([, attributes = '', cell = '']) => {
      const [, span = '1'] = /colspan="(\d+)"/.exec(attributes) ?? []
      return [cell.replace(/<[^>]*>/g, '').trim(), ...Array<string>(Number(span) - 1).fill('')]
    }),
  )
  return cells.map((row) => Object.fromEntries(row.map((cell, index) => [titles[index], cell])))
}

/** Returns the hours of a displayed duration such as "3h 50m", rounded half up to two places. */
function hoursOf(time = ''): string {
  const [, hours = '0', minutes = '0'] = /^(?:(\d+)h )?(\d+)m$/.exec(time) ?? []
  return (Math.round((Number(hours) * 60 + Number(minutes)) / 0.6) / 100).toFixed(2)
}

/** Adds entries whose seconds are lost in displayed minutes. */
async function createCliWithSeconds(): Promise<TestCli> {
  const cli = await createReportCli()
  for (const [index, length] of ['5m20s', '5m40s', '5m59s', '3h50m45s', '29m20s', '50m50s'].entries())
    await cli.json('add', 'Acme/Website/Design', '--from', `2024-05-0${1 + index} 17:00`, '--for', length)
  return cli
}

describe('the hours of a page', () => {
  test.each(['entries', 'groups'] as const)('of %s are those of the displayed time', async (table) => {
    const cli = await createCliWithSeconds()
    const rows = await rowsOf(cli, table, 'month', '--by', 'day,project')
    expect(rows.length).toBeGreaterThan(8)
    expect(rows.map(({ Hours }) => Hours)).toEqual(rows.map(({ Time }) => hoursOf(Time)))
    const times = new Map(rows.map(({ Time, Hours }) => [Time, Hours]))
    for (const { Time, Hours } of rows) expect(times.get(Time)).toBe(Hours)
  })

  test('are billable hours where some time is not billable, in every format', async () => {
    const cli = await createReportCli()
    await changeSettings(cli, { rate: '100 EUR', 'rate.Acme/Website': '80 EUR', 'rate.*/*/Review': 'none' })
    const options = ['--by', 'client,task']
    const rows = await rowsOf(cli, 'groups', ...options)
    expect(
      rows.map((row) => [row['Client and task'], row.Time, row['Billable hours'], row.Rate, row.Amount]),
    ).toEqual([
      ['Acme', '13h 50m', '13.50', '', '1,320.00 EUR'],
      ['Design', '13h 30m', '13.50', '', '1,320.00 EUR'],
      ['Review', '20m', '0.00', '', ''],
      ['no client', '1h 00m', '1.00', '100.00 EUR', '100.00 EUR'],
      ['Meetings', '1h 00m', '1.00', '100.00 EUR', '100.00 EUR'],
      ['Total', '14h 50m', '14.50', '', '1,420.00 EUR'],
    ])
    expect(await cli.json('report', ...options)).toMatchObject({
      ...{ hours: '14.83', billable_hours: '14.50', rate: null },
      groups: [
        {
          ...{ key: 'Acme', hours: '13.83', billable_hours: '13.50', rate: null },
          groups: [
            { key: 'Design', hours: '13.50', billable_hours: '13.50', rate: null },
            { key: 'Review', hours: '0.33', billable_hours: '0.00', rate: null },
          ],
        },
        { key: null, hours: '1.00', rate: { currency: 'EUR', amount: '100.00' } },
      ],
    })
    const keys = 'client,task,hours,billable_hours,rate,rate_currency,amount_eur'
    expect((await cli.run('report', ...options, '--csv', '--fields', keys)).stdout.split('\r\n')).toEqual([
      keys,
      'Acme,Design,13.50,13.50,,,1320.00',
      'Acme,Review,0.33,0.00,,,',
      ',Meetings,1.00,1.00,100.00,EUR,100.00',
      '',
    ])
  })
})

test('a group with time that has no rate shows no rate', async () => {
  const cli = await createReportCli()
  await changeSettings(cli, { 'rate.Acme/Website': '80 EUR', billable: 'Acme' })
  expect(await cli.json('report', '--by', 'task')).toMatchObject({
    rate: null,
    groups: [
      { key: 'Design', rate: null, amounts: [{ amount: '120.00' }] },
      { key: 'Meetings', rate: null },
      { key: 'Review', rate: { amount: '80.00' } },
    ],
  })
})
