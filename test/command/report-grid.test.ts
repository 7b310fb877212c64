import { describe, expect, test } from 'vitest'
import { displayWidth } from '../../src/ui/text.js'
import { createTestCli } from '../support/test-cli.js'
import { changeSettings, createReportCli } from './report-fixtures.js'
import { createUnicodeCli, readGolden } from './unicode-fixtures.js'

const week = ['week', '--by', 'client,project,task,day', '--grid']
const months = ['--since', '2024-04-01', '--until', '2024-05-31', '--by', 'day,project', '--grid']

describe('tt report --grid equals the reviewed output', () => {
  test.each([60, 80, 120])('in a terminal of %i columns', async (columns) => {
    const cli = await createUnicodeCli()
    for (const [name, options] of [
      ['week', week],
      ['months', months],
    ] as const) {
      const { stdout } = await cli.runInTerminal(columns, 'report', ...options)
      for (const line of stdout.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(columns)
      expect(stdout).toBe(readGolden(`grid-${name}-${columns}.txt`))
    }
  })

  test.each([
    ['tsv', []],
    ['csv', ['--csv']],
    ['markdown', ['--markdown']],
  ])('in a file: %s', async (name, options) => {
    const cli = await createUnicodeCli()
    expect((await cli.run('report', ...week, ...options)).stdout).toBe(readGolden(`grid-${name}.txt`))
  })
})

test('a grid fits every terminal from 24 columns on, with every day that has an entry', async () => {
  const cli = await createUnicodeCli()
  for (const columns of [24, 30, 40, 50, 70, 100, 200]) {
    for (const by of ['project,day', 'client,project,month', 'task,quarter']) {
      const period = ['--since', '2024-01-01', '--until', '2024-12-31']
      const { stdout } = await cli.runInTerminal(columns, 'report', ...period, '--by', by, '--grid')
      const tables = stdout.slice(0, stdout.indexOf('\n2024-01-01 to 2024-12-31'))
      for (const line of tables.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(columns)
      if (by === 'project,day')
        for (const weekday of ['Mon', 'Tue', 'Wed']) expect(tables).toMatch(new RegExp(` ${weekday}\\b`))
      expect(tables).toMatch(/^Total .*15(h 59m|:59)$/m)
    }
  }
})

test('JSON and NDJSON are those of the report without --grid', async () => {
  const cli = await createUnicodeCli()
  const options = ['report', '--by', 'day,project', 'month']
  for (const format of ['--json', '--ndjson']) {
    const { stdout } = await cli.run(...options, format)
    expect(stdout).not.toBe('')
    expect((await cli.run(...options, '--grid', format)).stdout).toBe(stdout)
  }
})

describe('columns', () => {
  const header = async (...options: string[]) => {
    const cli = await createReportCli()
    const { stdout } = await cli.run('report', '--grid', '--csv', ...options)
    return stdout.split('\r\n')[0]?.split(',')
  }

  test.each([
    ['--by project,week --since 2024-04-22', 'project 2024-04-22 2024-04-29 2024-05-06 total'],
    ['--by month,client quarter', 'client 2024-04 2024-05 2024-06 total'],
    ['--by project,quarter year', 'project 2024-Q1 2024-Q2 2024-Q3 2024-Q4 total'],
    ['--by day,project,year --until 2024-05-08', 'day project 2024 total'],
    ['--by weekday week', 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday total'],
  ])('%s', async (options, expected) => {
    expect((await header(...options.split(' ')))?.join(' ')).toBe(expected)
  })

  test('without a period begin with the first entry and end with the last', async () => {
    expect(await header('--by', 'task,day', '--until', '2024-05-08')).toEqual([
      'task',
      '2024-05-06',
      '2024-05-07',
      '2024-05-08',
      'total',
    ])
  })
})

test('a terminal omits days off without an entry, by the setting working_days', async () => {
  const cli = await createReportCli()
  const headings = async () => {
    const { stdout } = await cli.runInTerminal(120, 'report', 'week', '--by', 'project,day', '--grid')
    return stdout.split('\n')[0]?.split(/ {2,}/)
  }
  expect(await headings()).toEqual(['Project', 'Mon 6', 'Tue 7', 'Wed 8', 'Thu 9', 'Fri 10', 'Total'])
  await cli.json('config', 'set', 'working_days', 'wednesday,saturday')
  expect(await headings()).toEqual(['Project', 'Mon 6', 'Tue 7', 'Wed 8', 'Sat 11', 'Total'])
})

test('a grid shows rounded durations', async () => {
  const cli = await createReportCli()
  const { stdout } = await cli.run('report', '--by', 'project,month', '--grid', '--csv', '--round', '1h:up')
  expect(stdout.split('\r\n')).toEqual([
    'project,2024-05,total',
    'Shop,43200,43200',
    'Website,10800,10800',
    'Internal,3600,3600',
    'Total,57600,57600',
    '',
  ])
})

test('the totals below a grid are those of its rounded groups', async () => {
  const cli = createTestCli('2024-05-08T12:00:00')
  await changeSettings(cli, { rate: '60 EUR' })
  for (const day of [6, 7])
    await cli.json(
      'add',
      'Acme/Website/Design',
      '--from',
      `2024-05-0${day} 09:00`,
      '--for',
      '20m',
      '-n',
      '#logo',
      '--create',
    )
  const rounded = ['week', '--round-total', '1h:up', '--grid', '--by']
  for (const by of ['tag,day', 'day,tag']) {
    const { stdout } = await cli.runInTerminal(80, 'report', ...rounded, by)
    expect(stdout).toMatch(/^Total +1h 00m +1h 00m +2h 00m$/m)
    expect(stdout).toContain('Total    40m, rounded 2h 00m\n')
    expect(stdout).toContain('Billable 40m, rounded 2h 00m\n')
    expect(stdout).toContain('Amount   120.00 EUR\n')
  }
  const page = await cli.run('report', ...rounded, 'project,day', '--html')
  expect(page.stdout).toMatch(/<tr class="depth0"><th scope="row">.*Website.*120\.00/)
})

test('an entry with several tags counts under each, and once in the totals', async () => {
  const cli = createTestCli('2024-05-08T12:00:00')
  const add = (task: string, from: string, length: string, notes: string) =>
    cli.json('add', task, '--from', from, '--for', length, '-n', notes, '--create')
  await add('Acme/Website/Design', '2024-05-06 09:00:10', '50m20s', '#logo #print')
  await add('Acme/Website/Design', '2024-05-07 09:00', '40s', '#logo')
  await add('Globex/App/Build', '2024-05-07 10:00', '1h', 'no tag')
  const grid = async (by: string, ...options: string[]) =>
    (await cli.run('report', 'week', '--by', by, '--grid', '--fields', ...options)).stdout
  const csv = await grid('client,tag,day', 'client,tag,2024-05-06,2024-05-07,total', '--csv')
  expect(csv.trim().split('\r\n')).toEqual([
    'client,tag,2024-05-06,2024-05-07,total',
    'Globex,,0,3600,3600',
    'Acme,logo,3020,40,3060',
    'Acme,print,3020,0,3020',
    'Total,,3020,3640,6660',
  ])
  const markdown = await grid('client,tag,task,day', 'key,2024-05-06,2024-05-07,total', '--markdown')
  expect(markdown.trim().split('\n').slice(2)).toEqual([
    '| Globex |  | 1h 00m | 1h 00m |',
    '| &nbsp;&nbsp;no tag |  | 1h 00m | 1h 00m |',
    '| &nbsp;&nbsp;&nbsp;&nbsp;Build |  | 1h 00m | 1h 00m |',
    '| Acme | 50m | 1m | 51m |',
    '| &nbsp;&nbsp;#logo | 50m | 1m | 51m |',
    '| &nbsp;&nbsp;&nbsp;&nbsp;Design | 50m | 1m | 51m |',
    '| &nbsp;&nbsp;#print | 50m |  | 50m |',
    '| &nbsp;&nbsp;&nbsp;&nbsp;Design | 50m |  | 50m |',
    '| Total | 50m | 1h 01m | 1h 51m |',
  ])
})

describe('the HTML report', () => {
  const pageOf = async (...options: string[]) => {
    const cli = await createUnicodeCli()
    const { stdout } = await cli.run('report', '--grid', '--html', ...options)
    return stdout.slice(stdout.lastIndexOf('<h2>Time by'))
  }
  const tableRows = (html: string) =>
    [...html.matchAll(/<tr[^>]*>(.*?)<\/tr>/g)].map(([, row = '']) =>
      row.replace(/<\/t[hd]>/g, '|').replace(/<[^>]+>/g, ''),
    )

  test('has a table of a week', async () => {
    const html = await pageOf('week', '--by', 'project,day')
    expect(html).toContain('<h2>Time by project and day</h2>')
    expect(tableRows(html).slice(0, 6)).toEqual([
      'Project|Mon 29|Tue 30|Wed 1|Thu 2|Fri 3|Total|',
      'Internal running||8h 47m|45m|||9h 32m|',
      'Website|3h 00m|1h 30m|1h 00m|||5h 30m|',
      '設計|45m|||||45m|',
      'אתר||12m||||12m|',
      'Total|3h 45m|10h 29m|1h 45m|||15h 59m|',
    ])
  })

  test('names the unit of the columns, also where the grid is divided', async () => {
    const year = ['--since', '2024', '--until', '2024']
    expect(await pageOf('--by', 'project,month', ...year)).toContain('<h2>Time by project and month</h2>')
    expect(await pageOf('--by', 'project,day', ...year)).toContain('<h2>Time by project and day</h2>')
  })

  test('divides two months by week, and ends with the totals of each week', async () => {
    const html = await pageOf('--by', 'project,day', '--since', '2024-04-01', '--until', '2024-05-31')
    const captions = [...html.matchAll(/<caption class="caption">(.*?)<\/caption>/g)].map(([, text]) => text)
    expect(captions).toEqual(['29 April to 3 May 2024', 'Total'])
    expect(tableRows(html)).toContain('Total|||||15h 59m|||||15h 59m|')
  })
})

test('--fields selects columns', async () => {
  const cli = await createReportCli()
  const options = ['report', 'week', '--by', 'project,day', '--grid', '--fields']
  const { stdout } = await cli.runInTerminal(80, ...options, 'key,2024-05-07,total')
  expect(stdout.split('\n')[0]).toMatch(/^Project +2024-05-07 Tue +Total$/)
  expect((await cli.runInTerminal(80, ...options, 'nothing')).stderr).toContain('unknown field "nothing"')
})

describe('messages', () => {
  test('a grouping without the calendar names the units of the calendar', async () => {
    const cli = await createReportCli()
    const { status, stderr } = await cli.run('report', '--grid', '--by', 'client,project')
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr:
        'error: A grid requires a unit of the calendar in --by, which becomes the columns.\n' +
        'Add one of day, week, month, quarter, year, weekday, such as --by client,project,day.\n',
    })
  })

  test.each(['--chart', '--compare=last-week'])('--grid cannot be used with %s', async (option) => {
    const cli = await createReportCli()
    const { status, stderr } = await cli.run('report', '--grid', '--by', 'project,day', option)
    expect(status).toBe(2)
    expect(stderr).toContain('and --grid cannot be used together.')
  })

  test('an empty grid prints a message on a terminal, and a header in CSV', async () => {
    const cli = await createReportCli()
    const options = [
      'report',
      '--grid',
      '--by',
      'project,day',
      '--since',
      '2024-01-01',
      '--until',
      '2024-01-02',
    ]
    const terminal = await cli.runInTerminal(80, ...options)
    expect([terminal.stdout, terminal.stderr]).toEqual([
      '',
      'No entries from 2024-01-01 to 2024-01-02. `tt add TASK 9:00-11:30` adds one.\n',
    ])
    expect((await cli.run(...options, '--csv')).stdout).toBe('project,2024-01-01,2024-01-02,total\r\n')
  })
})
