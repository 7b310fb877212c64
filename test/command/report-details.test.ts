import { describe, expect, test } from 'vitest'
import { cellsOf, changeSettings, createReportCli, reportPage } from './report-fixtures.js'

/** Returns the cells of the rows of a table. */
function rowsOf(page: string, table: 'groups' | 'entries'): string[][] {
  const [, rows = ''] = new RegExp(`<table class="${table}[^"]*">([\\s\\S]*?)</table>`).exec(page) ?? []
  return cellsOf(rows)
}

/** Returns the hours of a displayed duration such as "3h 50m", rounded half up to two places. */
function hoursOf(time = ''): string {
  const [, hours = '0', minutes = '0'] = /^(?:(\d+)h )?(\d+)m$/.exec(time) ?? []
  return (Math.round((Number(hours) * 60 + Number(minutes)) / 0.6) / 100).toFixed(2)
}

describe('the entries of the HTML report', () => {
  test('have the totals of each day, rates and amounts; midnight splits an entry', async () => {
    const cli = await createReportCli()
    await changeSettings(cli, { rate: '60 EUR', 'rate.Acme/Shop': '95.5 EUR' })
    const page = await reportPage(cli)
    expect(rowsOf(page, 'entries')).toEqual([
      ['From', 'To', 'Client', 'Project', 'Task', 'Notes', 'Rate', 'Time', 'Hours', 'Amount'],
      ['Monday, 6 May 2024', '2h 20m', '2.33', '140.00 EUR'],
      ['09:00', '10:30', 'Acme', 'Website', 'Design', '&lt;b&gt;first&lt;/b&gt; page'].concat([
        '60.00 EUR',
        '1h 30m',
        '1.50',
        '90.00 EUR',
      ]),
      ['10:00', '10:20', 'Acme', 'Website', 'Review', '', '60.00 EUR', '20m', '0.33', '20.00 EUR'],
      ['23:30', '24:00', '', 'Internal', 'Meetings', '', '60.00 EUR', '30m', '0.50', '30.00 EUR'],
      ['Tuesday, 7 May 2024', '12h 30m', '12.50', '1,176.00 EUR'],
      ['00:00', '00:30', '', 'Internal', 'Meetings', '', '60.00 EUR', '30m', '0.50', '30.00 EUR'],
      ['10:00', '22:00', 'Acme', 'Shop', 'Design', 'first page'].concat([
        '95.50 EUR',
        '12h 00m',
        '12.00',
        '1,146.00 EUR',
      ]),
      ['4 entries', '14h 50m', '14.83', '1,316.00 EUR'],
    ])
  })

  test('have no column with a single value, which is in a line above the table', async () => {
    const cli = await createReportCli()
    await changeSettings(cli, { rate: '60 EUR' })
    const page = await reportPage(cli, '--client', 'Acme', '--project', 'Website')
    expect(rowsOf(page, 'entries')[0]).toEqual(['From', 'To', 'Task', 'Notes', 'Time', 'Hours', 'Amount'])
    const lines = [...page.matchAll(/<ul class="common">([\s\S]*?)<\/ul>/g)].map(([, list = '']) =>
      list
        .replace(/<[^>]*>/g, '')
        .trim()
        .split('\n'),
    )
    expect(lines).toEqual([
      ['Rate: 60.00 EUR an hour'],
      ['Client: Acme', 'Project: Website', 'Rate: 60.00 EUR an hour'],
    ])
  })

  test('have no amounts if the amounts are those of rounded groups', async () => {
    const cli = await createReportCli()
    await changeSettings(cli, { rate: '60 EUR' })
    const [headers] = rowsOf(await reportPage(cli, '--round-total', '1h'), 'entries')
    expect(headers).not.toContain('Amount')
  })

  test('have the hours of the displayed time, also where minutes hide seconds', async () => {
    const cli = await createReportCli()
    for (const [index, length] of ['5m20s', '5m40s', '5m59s', '3h50m45s', '29m20s', '50m50s'].entries())
      await cli.json('add', 'Acme/Website/Design', '--from', `2024-05-0${1 + index} 17:00`, '--for', length)
    const [, ...rows] = rowsOf(await reportPage(cli, 'month'), 'entries')
    const figures = rows.map((row) => row.slice(-2))
    expect(figures.length).toBeGreaterThan(8)
    expect(figures.map(([, hours]) => hours)).toEqual(figures.map(([time]) => hoursOf(time)))
  })

  test('are omitted with --entries none', async () => {
    const cli = await createReportCli()
    expect((await cli.run('report', '--html', '--entries', 'some')).status).toBe(2)
    const page = await reportPage(cli, '--entries', 'none')
    expect(page).toContain('4 entries, not listed here.')
    expect(page).not.toContain('class="entries"')
    expect(rowsOf(page, 'groups').at(-1)).toEqual(['Total', '4', '14h 50m', '14.83', ''])
  })
})

test('the groups of the HTML report have the rate of each group with a single one', async () => {
  const cli = await createReportCli()
  await changeSettings(cli, { rate: '60 EUR', 'rate.Acme/Shop': '95.5 EUR', 'rate.*/Internal': 'none' })
  expect(rowsOf(await reportPage(cli, '--by', 'client,project'), 'groups')).toEqual([
    ['Client and project', 'Entries', 'Time', 'Billable hours', 'Share', 'Rate', 'Amount'],
    ['Acme', '3', '13h 50m', '13.83', '93%', '', '1,256.00 EUR'],
    ['Shop', '1', '12h 00m', '12.00', '81%', '95.50 EUR', '1,146.00 EUR'],
    ['Website', '2', '1h 50m', '1.83', '12%', '60.00 EUR', '110.00 EUR'],
    ['no client', '1', '1h 00m', '0.00', '7%', '', ''],
    ['Internal', '1', '1h 00m', '0.00', '7%', '', ''],
    ['Total', '4', '14h 50m', '13.83', '', '', '1,256.00 EUR'],
  ])
})

test('the HTML report has averages and targets only without filters', async () => {
  const cli = await createReportCli()
  await changeSettings(cli, { 'target.daily': '8h' })
  expect(await reportPage(cli)).toMatch(/<dt>Average<[\s\S]*<dt>Target</)
  expect(await reportPage(cli, '--client', 'Acme')).not.toMatch(/<dt>(Average|Target)</)
})
