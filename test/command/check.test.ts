import { describe, expect, test } from 'vitest'
import { displayWidth } from '../../src/ui/text.js'
import { rejection } from '../support/rejection.js'
import { createTestCli } from '../support/test-cli.js'
import { createReportCli, type Row } from './report-fixtures.js'
import { setUpService } from './service-fixtures.js'
import { readGolden } from './unicode-fixtures.js'

const twoDays = ['--since', '2024-05-06', '--until', '2024-05-07']

describe('tt check', () => {
  test('takes a period, and checks the last 7 days without one', async () => {
    const cli = await createReportCli()
    const from = async (...words: string[]) =>
      (await cli.json<Row[]>('check', '--gaps', ...words)).map(({ from }) => String(from).slice(0, 10))
    expect(await from('yesterday')).toEqual(['2024-05-07'])
    expect(await from('monday..tuesday')).toEqual(await from(...twoDays))
    cli.setTime('2024-05-12T12:00:00')
    expect(new Set(await from())).toEqual(
      new Set(['2024-05-06', '2024-05-07', '2024-05-08', '2024-05-09', '2024-05-10']),
    )
    cli.setTime('2024-05-14T12:00:00')
    expect((await from())[0]).toBe('2024-05-08')
  })

  test.each(['in the local workspace', 'at a service'])(
    'finds no gaps before the first entry unless a period names them %s',
    async (place) => {
      const cli = place === 'at a service' ? (await setUpService()).cli : createTestCli('2024-05-08T12:00:00')
      cli.setTime('2024-05-08T12:00:00')
      expect(await cli.json('check')).toEqual([])
      await cli.json('add', 'Website/Review', '--from', '9:30', '--for', '2h30m', '-n', 'first')
      const gaps = async (...words: string[]) =>
        (await cli.json<Row[]>('check', ...words)).map(({ from }) => String(from).slice(0, 16))
      expect(await gaps()).toEqual(['2024-05-08T09:00'])
      expect(await gaps('monday..today')).toEqual([
        '2024-05-06T09:00',
        '2024-05-07T09:00',
        '2024-05-08T09:00',
      ])
      await cli.json('add', 'Website/Review', '--from', '2024-04-22 9:00', '--for', '1h', '-n', 'before')
      expect((await gaps())[0]).toBe('2024-05-02T09:00')
    },
  )

  test('finds the requested kinds, and with a filter everything but gaps', async () => {
    const cli = await createReportCli()
    const kinds = async (...filter: string[]) =>
      (await cli.json<Row[]>('check', ...twoDays, ...filter)).map(({ kind }) => kind)
    expect(await kinds('--overlaps')).toEqual(['overlap'])
    expect(await kinds('--long')).toEqual(['long'])
    expect(await kinds('--without-notes')).toEqual(['no_notes', 'no_notes'])
    expect(await kinds('--gaps')).toEqual(['gap', 'gap'])
    expect(await kinds('--gaps', '--long')).toHaveLength(3)
    expect(await kinds('--project', 'Website')).toEqual(['overlap', 'no_notes'])
    const { stderr } = await cli.run('check', ...twoDays, '--project', 'Webiste')
    expect(stderr).toBe('"Webiste" matches no project. Did you mean Website?\n')
    for (const option of ['--gaps', '--git'])
      expect(await cli.run('check', option, '--project', 'Website')).toMatchObject({
        status: 2,
        stderr: `error: ${option} cannot be used together with --project: entries outside the filter may fill the gaps.\nOmit --project or ${option}.\n`,
      })
    for (const filter of [['--project', 'Website'], ['--where', 'notes_cont=call'], ['--billable']]) {
      const message = `--gaps cannot be used together with ${filter[0]}`
      expect(await cli.run('check', '--gaps', ...filter)).toMatchObject(rejection(2, message))
      expect(await cli.run('check', '--overlaps', ...filter)).toMatchObject({ status: 0 })
    }
  })

  test('says only in a terminal that there is nothing to correct', async () => {
    const cli = await createReportCli()
    const weekend = ['--since', '2024-05-04', '--until', '2024-05-05']
    expect(await cli.json('check', ...weekend)).toEqual([])
    const { status, stdout, stderr } = await cli.runInTerminal(80, 'check', ...weekend)
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: 'Nothing to correct.\n' })
    expect(await cli.run('check', ...weekend)).toMatchObject({
      status: 0,
      stdout: '',
      stderr: '',
    })
  })

  test.each([40, 60, 80, 120])('equals the reviewed output in a terminal of %i columns', async (columns) => {
    const cli = await createReportCli()
    const { stdout } = await cli.runInTerminal(columns, 'check', ...twoDays)
    // A command stays on one line, so that it can be copied whole.
    const table = stdout.split('\n').filter((line) => !line.startsWith('   tt '))
    for (const line of table) expect(displayWidth(line)).toBeLessThanOrEqual(columns)
    expect(table[0]).toContain('Entries')
    expect(stdout).toContain('\n   tt edit')
    expect(stdout).toBe(readGolden(`check-${columns}.txt`))
  })
})
