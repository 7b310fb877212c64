import { describe, expect, test } from 'vitest'
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
})
