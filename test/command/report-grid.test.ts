import { describe, expect, test } from 'vitest'
import { createTestCli } from '../support/test-cli.js'
import { changeSettings, createReportCli } from './report-fixtures.js'
import { createUnicodeCli, expectGolden, readGolden } from './unicode-fixtures.js'

const week = ['week', '--by', 'client,project,task,day', '--grid']
const months = ['--since', '2024-04-01', '--until', '2024-05-31', '--by', 'day,project', '--grid']

describe('tt report --grid equals the reviewed output', () => {
  test.each([60, 80, 120])('in a terminal of %i columns', async (columns) => {
    await expectGolden(await createUnicodeCli(), 'grid-months', columns, 'report', ...months)
  })

  test('of a week in a narrow terminal', async () => {
    await expectGolden(await createUnicodeCli(), 'grid-week', 60, 'report', ...week)
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

test('JSON and NDJSON are those of the report without --grid', async () => {
  const cli = await createUnicodeCli()
  const options = ['report', '--by', 'day,project', 'month']
  for (const format of ['--json', '--ndjson']) {
    const { stdout } = await cli.run(...options, format)
    expect(stdout).not.toBe('')
    expect((await cli.run(...options, '--grid', format)).stdout).toBe(stdout)
  }
})

test('the last unit of the calendar in --by becomes the columns', async () => {
  const cli = await createReportCli()
  const options = ['--by', 'day,project,year', '--until', '2024-05-08']
  const { stdout } = await cli.run('report', '--grid', '--csv', ...options)
  expect(stdout.split('\r\n')[0]).toBe('day,project,2024,total')
})

test('a terminal and a page omit days off without an entry, by the setting working_days', async () => {
  const cli = await createReportCli()
  await cli.json('config', 'set', 'working_days', 'wednesday,saturday')
  const options = ['report', 'week', '--by', 'project,day', '--grid']
  const { stdout } = await cli.runInTerminal(120, ...options)
  expect(stdout.split('\n')[0]).toMatch(/^Project +Mon 6 +Tue 7 +Wed 8 +Sat 11 +Total$/)
  const headings = (await cli.run(...options, '--html')).stdout.matchAll(/<th [^>]*>(\w{3} \d+)<\/th>/g)
  expect([...headings].map(([, day]) => day)).toEqual(['Mon 6', 'Tue 7', 'Wed 8', 'Sat 11'])
  const weekdays = await cli.run('report', 'week', '--by', 'project,weekday', '--grid', '--html')
  expect(weekdays.stdout).toMatch(/<th [^>]*>Saturday<\/th>/)
})

test('the totals below a grid are those of its rounded groups', async () => {
  const cli = createTestCli('2024-05-08T12:00:00')
  await changeSettings(cli, { rate: '60 EUR' })
  for (const day of [6, 7])
    await cli.json(
      ...['add', 'Acme/Website/Design', '--from', `2024-05-0${day} 09:00`, '--for', '20m'],
      ...['-n', '#logo', '--create'],
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
})
