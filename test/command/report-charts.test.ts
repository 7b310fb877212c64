import { describe, expect, test } from 'vitest'
import { createTestCli } from '../support/test-cli.js'
import { createReportCli } from './report-fixtures.js'

describe('charts', () => {
  test('are printed to a terminal and to a pipe', async () => {
    const cli = await createReportCli()
    for (const shown of [
      await cli.runInTerminal(60, 'report', 'week', '--chart'),
      await cli.run('report', 'week', '--chart'),
    ]) {
      expect(shown).toMatchObject({ status: 0, stderr: '' })
      expect(shown.stdout).toMatch(/^2024-05-07 Tue {2}█+.* 12h 30m$/m)
      expect(shown.stdout).toContain('█ Shop 12h 00m')
    }
    expect((await cli.run('report', 'week', '--chart', 'shares')).stdout).toMatch(/^Shop .* 81%$/m)
    expect((await cli.run('report', 'year', '--chart', 'heat')).stdout).toMatch(/^Tue .*█/m)
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

  test('are replaced by a message for a period without time', async () => {
    const cli = await createReportCli()
    for (const kind of ['bars', 'heat', 'shares'])
      expect(await cli.run('report', '--since', '2100', '--chart', kind)).toMatchObject({
        status: 0,
        stdout: 'No time in this period.\n',
      })
  })

  test('are in the HTML report, with the totals and entries of the period', async () => {
    const cli = await createReportCli()
    const options = ['report', '--since', '2024-05-07', '--by', 'client']
    const { stdout: page } = await cli.run(...options, '--html')
    expect(page).toMatch(/^<!doctype html>/)
    expect(page).toContain('From 7 May 2024')
    expect(page).toContain('12h 30m')
    expect(page).not.toContain('<b>first')
    const fullReport = (await cli.run('report', '--html')).stdout
    expect(fullReport).toContain('&lt;b&gt;first&lt;/b&gt; page')
  })
})

test.each([
  ['--chart', 'pie'],
  ['--chart', '--json'],
  ['--chart', '--html'],
  ['--title', 'Hours'],
  ['--entries', 'some', '--html'],
  ['--entries', 'all'],
])('tt report %s %s exits with 2 and a hint', async (...options) => {
  const { status, stdout, stderr } = await createTestCli().run('report', ...options)
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toContain(options.includes('--json') ? '"hint"' : '\n')
})
