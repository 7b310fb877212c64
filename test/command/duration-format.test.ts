import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { storeManyEntries } from '../support/stored-entries.js'
import { createTestCli, type TestCli } from '../support/test-cli.js'
import { changeSettings } from './report-fixtures.js'

// With one format: test/unit/lib/calendar/duration-display.test.ts has all of them.

async function createDecimalCli(): Promise<TestCli> {
  const cli = createTestCli('2024-05-08T12:00:00')
  await changeSettings(cli, { duration_format: '1.40' })
  return cli
}

const add = (cli: TestCli, from: string, length: string, ...options: string[]) =>
  cli.run(...['add', 'Acme/Website/Design', '--from', from, '--for', length, '--yes', '--create'], ...options)

const hundredths = (text = '') => Math.round(Number(text) * 100)
const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)

describe('tt log', () => {
  test('shows durations that add up to their days, and days that add up to the total', async () => {
    const cli = await createDecimalCli()
    await add(cli, '2024-05-01 09:00', '29m20s')
    const times = [1, 2, 3, 4].flatMap((day) =>
      ['09:00', '10:00', '11:00'].map((hour) => `2024-05-0${day} ${hour}`),
    )
    await storeManyEntries(
      join(cli.home, 'workspace.db'),
      times.slice(1).map((time) => ({ startMs: Date.parse(time), lengthMs: 1_760_000, notes: null })),
    )
    const { stdout } = await cli.runInTerminal(100, 'log', 'month')
    const days = [...stdout.matchAll(/^\w{3} 2024-05-\d\d {2}(\d+\.\d\d)$/gm)]
    const rows = [...stdout.matchAll(/^ *\d+ {2}\S+ {2}.+? {2,}(\d+\.\d\d)\*? +Acme/gm)]
    expect([days.length, rows.length]).toEqual([4, 12])
    for (const found of [days, rows]) expect(sum(found.map(([, text]) => hundredths(text)))).toBe(587)
    expect(stdout).toMatch(/^12 entries, 5\.87$/m)
    const { stdout: markdown } = await cli.run('log', 'month', '--markdown')
    const cells = [...markdown.matchAll(/ \| (\d+\.\d\d) \| Acme/g)]
    expect(sum(cells.map(([, text]) => hundredths(text)))).toBe(587)
    const entries = await cli.json<{ duration_seconds: number }[]>('log', 'month')
    expect(entries.map((entry) => entry.duration_seconds)).toEqual(Array(12).fill(1760))
  })

  test('shows the part in the period and the whole entry', async () => {
    const cli = await createDecimalCli()
    await add(cli, '2024-05-06 22:36', '3h')
    const { stdout } = await cli.runInTerminal(100, 'log', '--since', '2024-05-07')
    expect(stdout).toMatch(/3\.00 .* 1\.60 in the period/)
    expect(stdout).toContain('1 entry, 1.60\n')
  })
})

describe('messages', () => {
  test('of the timer show durations', async () => {
    const cli = await createDecimalCli()
    await add(cli, '2024-05-01 09:00', '1h')
    await cli.run('start', 'Design', '--at', '10:36')
    for (const cached of [[], ['--cached']]) {
      expect((await cli.runInTerminal(80, 'status', ...cached)).stdout).toContain(
        'Timer  1.40  since 10:36  Acme',
      )
      const template = ['--template', '{duration} {hours} {duration_seconds}']
      expect((await cli.run('status', ...cached, ...template)).stdout).toBe('1.40 1.40 5040\n')
    }
    expect((await cli.run('start', 'Design')).stderr).toContain('Stopped Acme / Website / Design: 1.40.')
    cli.setTime('2024-05-08T12:15:00')
    expect((await cli.run('cancel', '--yes')).stderr).toContain('Design (0.25)')
    await cli.run('start', 'Design', '--at', '12:00')
    expect((await cli.run('stop')).stderr).toContain('Design: 0.25 (12:00–12:15).')
  })

  test('of changes show durations', async () => {
    const cli = await createDecimalCli()
    const expectMessage = async (text: string, ...argv: string[]) =>
      expect((await cli.run(...argv, '--yes')).stderr, argv.join(' ')).toContain(text)
    const first = await add(cli, '2024-05-07 09:00', '84m')
    expect(first.stderr).toContain('Design: 1.40 (2024-05-07 09:00–10:24).')
    expect((await add(cli, '2024-05-07 10:09', '84m')).stderr).toContain('Overlap of 0.25, ')
    await expectMessage(
      'Design, 0.25 (2024-05-07 11:00–11:15)',
      ...['edit', '2', '--from', '11:00', '--to', '11:15'],
    )
    await expectMessage('0.25', 'split', '1', '--at', '09:15')
    await expectMessage('Filled 0.60 before', 'fill', '2', '--before')
    await expectMessage('1.40 (2024-05-07 09:00–10:24).', 'join', '1', '3')
    await expectMessage(', 1.40', 'rm', '1')
  })

  test('of a forgotten timer show durations', async () => {
    const cli = await createDecimalCli()
    await add(cli, '2024-05-01 09:00', '1h')
    await cli.run('start', 'Design', '--at', '2024-05-07 22:36')
    expect((await cli.run('stop')).stderr).toContain('It ran for 13.40, longer than entry_limit (10.00).')
  })

  test('of the target show durations', async () => {
    const cli = await createDecimalCli()
    await changeSettings(cli, { 'target.daily': '8h', 'target.since': '2024-05-06' })
    await add(cli, '2024-05-08 10:00', '84m')
    expect((await cli.run('status')).stderr).toContain('Today  1.40 of  8.00\nWeek   1.40 of 40.00  ')
  })
})

describe('reports', () => {
  test('of problems show durations that add up', async () => {
    const cli = await createDecimalCli()
    // Gaps of 29m 20s, 1h 30m 40s and 5h 00m 20s.
    await add(cli, '2024-05-07 09:29:20', '30m')
    await add(cli, '2024-05-07 11:30:00', '29m40s')
    const { stdout } = await cli.runInTerminal(100, 'check', 'yesterday', '--gaps')
    const gaps = [...stdout.matchAll(/gap +\S+ +\S+ +(\d+\.\d\d) /g)]
    expect(sum(gaps.map(([, text]) => hundredths(text)))).toBe(701)
    expect(stdout).toContain('3 gaps, 7.01')
    await add(cli, '2024-05-07 11:15', '30m')
    const overlaps = await cli.runInTerminal(200, 'check', 'yesterday', '--overlaps')
    expect(overlaps.stdout).toContain('1 overlap, 0.25')
    await add(cli, '2024-05-06 00:00', '11h')
    const found = await cli.runInTerminal(200, 'check', '--since', '2024-05-06', '--long')
    expect(found.stdout).toContain('took more than 10.00')
  })

  test('of tags show durations', async () => {
    const cli = await createDecimalCli()
    await add(cli, '2024-05-07 09:00', '84m', '-n', '#logo')
    expect((await cli.runInTerminal(80, 'tags')).stdout).toMatch(/#logo +1 +1\.40 +2024-05-07\n/)
    expect(await cli.json('tags')).toMatchObject([{ tag: 'logo', count: 1, seconds: 5040 }])
  })
})

test('an unknown format and a file that is not JSON print no message in a shell prompt', async () => {
  const cli = await createDecimalCli()
  await cli.run('start', 'Website/Design', '--at', '10:36')
  for (const text of ['{"duration_format": "84"}', '{']) {
    writeFileSync(join(cli.home, 'config.json'), text)
    expect((await cli.run('config', 'get', 'duration_format')).status).toBe(2)
    const { stdout, stderr } = await cli.run('status', '--cached', '--template', '{duration}')
    expect([stdout, stderr]).toEqual(['1h 24m\n', ''])
  }
})
