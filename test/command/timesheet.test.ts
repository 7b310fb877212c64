import { expect, test } from 'vitest'
import { createReportCli } from './report-fixtures.js'

test('tt timesheet shows this week by client, project, task and day', { tags: 'slow' }, async () => {
  const cli = await createReportCli()
  const grid = ['report', 'week', '--by', 'client,project,task,day', '--grid']
  for (const format of [['--json'], ['--ndjson'], ['--csv'], ['--markdown'], []])
    expect(await cli.run('timesheet', ...format)).toMatchObject({
      status: 0,
      stdout: (await cli.run(...grid, ...format)).stdout,
    })
  const { stdout } = await cli.runInTerminal(80, 'timesheet')
  expect(stdout).toBe((await cli.runInTerminal(80, ...grid)).stdout)
  expect(stdout.split('\n').slice(0, 8)).toEqual([
    'Client / project / task   Mon 6    Tue 7  Wed 8  Thu 9  Fri 10    Total',
    'Acme                     1h 50m  12h 00m                        13h 50m',
    '  Shop                           12h 00m                        12h 00m',
    '    Design                       12h 00m                        12h 00m',
    '  Website                1h 50m                                  1h 50m',
    '    Design               1h 30m                                  1h 30m',
    '    Review                  20m                                     20m',
    'no client                   30m      30m                         1h 00m',
  ])
})

test.each([
  ['today', 'client,project,task,2024-05-08,total'],
  ['month --by client,month', 'client,2024-05,total'],
])('tt timesheet %s has the columns of that period', async (options, header) => {
  const cli = await createReportCli()
  expect((await cli.run('timesheet', ...options.split(' '), '--csv')).stdout.split('\r\n')[0]).toBe(header)
})

test('tt timesheet takes filters and rounding', async () => {
  const cli = await createReportCli()
  const { stdout } = await cli.run('timesheet', '--project', 'Website', '--round', '1h:up', '--csv')
  expect(stdout).toBe(
    'client,project,task,2024-05-06,2024-05-07,2024-05-08,2024-05-09,2024-05-10,2024-05-11,2024-05-12,total\r\n' +
      'Acme,Website,Design,7200,0,0,0,0,0,0,7200\r\n' +
      'Acme,Website,Review,3600,0,0,0,0,0,0,3600\r\n' +
      'Total,,,10800,0,0,0,0,0,0,10800\r\n',
  )
})
