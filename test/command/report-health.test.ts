import { describe, expect, test } from 'vitest'
import { createReportCli, type Row } from './report-fixtures.js'

describe('the list of findings', () => {
  test('has the command that resolves each', async () => {
    const cli = await createReportCli()
    const kinds = async (...options: string[]) =>
      (await cli.json<Row[]>('report', '--since', '2024-05-06', '--until', '2024-05-07', ...options)).map(
        ({ kind, seconds, entries, mend }) => [kind, seconds, entries, mend],
      )
    expect(await kinds('--overlaps')).toEqual([['overlap', 1200, [1, 2], expect.stringContaining('tt edit')]])
    expect(await kinds('--long')).toEqual([['long', 43_200, [4], 'tt edit 4 --to TIME']])
    expect(await kinds('--without-notes')).toEqual([
      ['no_notes', 1200, [2], 'tt edit 2 --notes TEXT'],
      ['no_notes', 3600, [3], 'tt edit 3 --notes TEXT'],
    ])
    expect(await kinds('--gaps')).toEqual([
      ['gap', 23_400, [], 'tt add TASK --from "2024-05-06 10:30" --to "2024-05-06 17:00"'],
      ['gap', 3600, [], 'tt add TASK --from "2024-05-07 09:00" --to "2024-05-07 10:00"'],
    ])
    expect(await kinds('--gaps', '--long')).toHaveLength(3)
  })

  test('is empty without findings', async () => {
    const cli = await createReportCli()
    expect(
      await cli.json('report', '--since', '2024-05-04', '--until', '2024-05-05', '--gaps', '--overlaps'),
    ).toEqual([])
    const { status, stdout, stderr } = await cli.runInTerminal(
      80,
      'report',
      '--project',
      'Shop',
      '--overlaps',
    )
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: 'No findings.\n' })
  })

  test.each(['--round', '--round-total', '--hours'])('cannot be used with %s', async (flag) => {
    const cli = await createReportCli()
    const { status, stderr } = await cli.run('report', '--gaps', flag, flag === '--hours' ? 'hms' : '15m')
    expect(status).toBe(2)
    expect(stderr).toContain(`${flag} is for totals, not for a list of problems.`)
  })
})
