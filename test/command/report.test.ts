import { describe, expect, test } from 'vitest'
import { createTestCli } from '../support/test-cli.js'
import { createReportCli, runReport } from './report-fixtures.js'

test('--fields selects the columns of TSV, and the keys of JSON', async () => {
  const cli = await createReportCli()
  expect((await cli.run('report', '--fields', 'seconds,project')).stdout).toBe(
    '43200\tShop\n6600\tWebsite\n3600\tInternal\n',
  )
  expect(await cli.json('report', '--fields', 'seconds,count')).toEqual({ seconds: 53_400, count: 4 })
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
    const cli = await createReportCli()
    expect(await runReport(cli, ...options)).toMatchObject({ seconds: 0, count: 0, groups: [] })
    expect(await cli.run('report', ...options)).toMatchObject({ status: 0, stdout: '', stderr: '' })
    const { stdout, stderr } = await cli.runInTerminal(80, 'report', ...options)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/^No entries from \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d\. `tt add .*` adds one\.\n$/)
  })
})

describe('charts', () => {
  test('are printed to a pipe', async () => {
    const cli = await createReportCli()
    const { status, stdout, stderr } = await cli.run('report', 'week', '--chart')
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(/^2024-05-07 Tue {2}█+.* 12h 30m$/m)
    expect(stdout).toContain('█ Shop 12h 00m')
    expect((await cli.run('report', '--by', 'week,client', '--chart')).stdout).toContain('Acme')
  })

  test('take a period before or after the option', async () => {
    const cli = await createReportCli()
    const { stdout } = await cli.run('report', '2', 'weeks', '--chart')
    expect(stdout).toContain('█ Shop')
    expect((await cli.run('report', '--chart', '2', 'weeks')).stdout).toBe(stdout)
    expect(await cli.run('report', '--chart', 'shares', '2', 'weeks')).toMatchObject({ status: 0 })
    expect(await cli.run('report', '--chart', 'Shares')).toMatchObject({ status: 0 })
    expect(await cli.run('report', '--chart', 'last', 'weeek')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('"weeek" is not a period'),
    })
    expect(await cli.run('report', '--chart', 'pie', '--since', 'monday')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--chart: "pie"'),
    })
  })
})
