import { describe, expect, test } from 'vitest'
import { preparedCli } from '../support/prepared-cli.js'
import { createTestCli } from '../support/test-cli.js'
import { runReport } from './report-fixtures.js'

/** Creates a `TestCli` with entries on three days; its clock is Wednesday noon. */
const createWeekCli = preparedCli('2024-05-08T12:00:00', async (cli) => {
  const add = (task: string, from: string, length: string, ...more: string[]) =>
    cli.json('add', task, '--from', from, '--for', length, ...more)
  await add('Acme/Website/Design', '2024-05-06 09:00', '1h30m', '-n', 'first page')
  await add('Acme/Website/Review', '2024-05-06 11:00', '20m')
  await add('Internal/Meetings', '2024-05-06 23:30', '1h')
  await add('Acme/Shop/Design', '2024-05-07 10:00', '2h', '-n', 'first page')
  await add('Acme/Website/Design', '2024-04-30 10:00', '4h')
})

test('--fields selects the columns of TSV, and the keys of JSON', async () => {
  const cli = await createWeekCli()
  expect((await cli.run('report', '--fields', 'seconds,project')).stdout).toBe(
    '7200\tShop\n6600\tWebsite\n3600\tInternal\n',
  )
  expect(await cli.json('report', '--fields', 'seconds,count')).toEqual({ seconds: 17_400, count: 4 })
})

test.each([
  ['--by', 'colour'],
  ['--round', 'often'],
  ['--round', '15m', '--round-total', '15m'],
  ['--since', 'today', '--until', 'yesterday'],
  ['--chart', '--json'],
  ['--chart', '--html'],
  ['--title', 'Hours'],
  ['--entries', 'all'],
])('tt report %s %s exits with 2 and a hint', async (...options) => {
  const { status, stdout, stderr } = await createTestCli().run('report', ...options)
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toMatch(/^error: .*\n.+|"hint":"/s)
})

describe('a report of', () => {
  test.each([
    ['a period without entries', ['--since', '2024-05-03', '--until', '2024-05-04']],
    ['the year 2100', ['--since', '2100', '--until', '2100', '--by', 'month,task']],
  ])('%s has no groups, exits with 0 and prints a message', async (_, options) => {
    const cli = await createWeekCli()
    expect(await runReport(cli, ...options)).toMatchObject({ seconds: 0, count: 0, groups: [] })
    expect(await cli.run('report', ...options)).toMatchObject({ status: 0, stdout: '', stderr: '' })
    const { stdout, stderr } = await cli.runInTerminal(80, 'report', ...options)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/^No entries from \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d\. `tt add .*` adds one\.\n$/)
  })
})
