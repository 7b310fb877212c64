import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { createTestCli, type TestCli } from '../support/test-cli.js'
import { changeSettings } from './report-fixtures.js'

const formats = ['1h 24m', '1:24', '1.40'] as const
type Format = (typeof formats)[number]
type Texts = Record<Format, string>

/** Each format with a new `TestCli` that uses it. */
const eachFormat = (title: string, check: (cli: TestCli, format: Format) => Promise<void>) =>
  test.each(formats)(`${title}: %s`, async (format) => {
    const cli = createTestCli('2024-05-08T12:00:00')
    await changeSettings(cli, { duration_format: format })
    await check(cli, format)
  })

const add = (cli: TestCli, from: string, length: string, ...options: string[]) =>
  cli.run(...['add', 'Acme/Website/Design', '--from', from, '--for', length, '--yes', '--create'], ...options)

/** Parses a duration in a format as its smallest steps: minutes, or hundredths of an hour. */
function stepsOf(text: string, format: Format): number {
  if (format === '1.40') return Math.round(Number(text) * 100)
  const [, hours = '0', minutes = '0'] = /^(?:(\d+)(?:h |:))?(\d+)m?$/.exec(text) ?? []
  return Number(hours) * 60 + Number(minutes)
}

const duration = String.raw`(?:\d+h )?\d+m|\d+:\d\d|\d+\.\d\d`

describe('tt log', () => {
  eachFormat(
    'shows durations that add up to their days, and days that add up to the total',
    async (cli, format) => {
      for (const day of [1, 2, 3, 4])
        for (const hour of ['09:00', '10:00', '11:00']) await add(cli, `2024-05-0${day} ${hour}`, '29m20s')
      // Part of it is on the next day.
      await add(cli, '2024-05-04 23:59:30', '29m20s')
      const { stdout } = await cli.runInTerminal(100, 'log', 'month')
      const days = [...stdout.matchAll(new RegExp(`^\\w{3} 2024-05-\\d\\d {2}(${duration})$`, 'gm'))]
      const rows = [
        ...stdout.matchAll(new RegExp(`^ *\\d+ {2}\\S+ {2}.+? {2,}(${duration})\\*? +Acme`, 'gm')),
      ]
      const total = new RegExp(`^13 entries, (${duration})$`, 'm').exec(stdout)?.[1] ?? ''
      expect([days.length, rows.length]).toEqual([4, 13])
      const sum = (found: RegExpMatchArray[]) =>
        found.reduce((all, [, text = '']) => all + stepsOf(text, format), 0)
      expect(sum(rows)).toBe(stepsOf(total, format))
      // The last 28m 50s are on 5 May, on which no entry begins.
      const lastDay = { '1h 24m': [28, 29], '1:24': [28, 29], '1.40': [48, 49] }[format]
      expect(lastDay).toContain(sum(rows) - sum(days))
      expect(total).toBe({ '1h 24m': '6h 21m', '1:24': '6:21', '1.40': '6.36' }[format])
      const { stdout: markdown } = await cli.run('log', 'month', '--markdown')
      const cells = [...markdown.matchAll(new RegExp(` \\| (${duration}) \\| Acme`, 'g'))]
      expect(sum(cells)).toBe(stepsOf(total, format))
      expect(
        (await cli.json<{ duration_seconds: number }[]>('log', 'month')).map((e) => e.duration_seconds),
      ).toEqual(Array(13).fill(1760))
    },
  )

  eachFormat('shows the part in the period and the whole entry', async (cli, format) => {
    await add(cli, '2024-05-06 22:36', '3h')
    const { stdout } = await cli.runInTerminal(100, 'log', '--since', '2024-05-07')
    const expected: Record<Format, RegExp> = {
      '1h 24m': /3h 00m .* 1h 36m in the period/,
      '1:24': /3:00 .* 1:36 in the period/,
      '1.40': /3\.00 .* 1\.60 in the period/,
    }
    expect(stdout).toMatch(expected[format])
    expect(stdout).toMatch(
      new RegExp(`1 entry, ${{ '1h 24m': '1h 36m', '1:24': '1:36', '1.40': '1.60' }[format]}\\n`),
    )
  })
})

/** 84 minutes and a quarter of an hour in each format. */
const long: Texts = { '1h 24m': '1h 24m', '1:24': '1:24', '1.40': '1.40' }
const quarter: Texts = { '1h 24m': '15m', '1:24': '0:15', '1.40': '0.25' }

describe('messages', () => {
  eachFormat('of the timer show durations', async (cli, format) => {
    await add(cli, '2024-05-01 09:00', '1h')
    await cli.run('start', 'Design', '--at', '10:36')
    const running = long[format]
    expect((await cli.runInTerminal(80, 'status')).stdout).toContain(`Timer  ${running}  since 10:36  Acme`)
    expect((await cli.runInTerminal(80, 'status', '--cached')).stdout).toContain(
      `Timer  ${running}  since 10:36  Acme`,
    )
    for (const cached of [[], ['--cached']])
      expect(
        (await cli.run('status', ...cached, '--template', '{duration} {hours} {duration_seconds}')).stdout,
      ).toBe(`${running} 1.40 5040\n`)
    expect((await cli.run('start', 'Design')).stderr).toContain(
      `Stopped Acme / Website / Design: ${running}.`,
    )
    cli.setTime('2024-05-08T12:15:00')
    expect((await cli.run('cancel', '--yes')).stderr).toContain(`Design (${quarter[format]})`)
    await cli.run('start', 'Design', '--at', '12:00')
    expect((await cli.run('stop')).stderr).toContain(`Design: ${quarter[format]} (12:00–12:15).`)
  })

  eachFormat('of changes show durations', async (cli, format) => {
    const expectMessage = async (text: string, ...argv: string[]) =>
      expect((await cli.run(...argv, '--yes')).stderr, argv.join(' ')).toContain(text)
    const first = await add(cli, '2024-05-07 09:00', '84m')
    expect(first.stderr).toContain(`Design: ${long[format]} (2024-05-07 09:00–10:24).`)
    const overlap = await add(cli, '2024-05-07 10:09', '84m')
    expect(overlap.stderr).toContain(`Overlap of ${quarter[format]}, `)
    await expectMessage(
      `Design, ${quarter[format]} (2024-05-07 11:00–11:15)`,
      ...['edit', '2', '--from', '11:00', '--to', '11:15'],
    )
    await expectMessage(quarter[format], 'split', '1', '--at', '09:15')
    await expectMessage(
      `Filled ${{ '1h 24m': '36m', '1:24': '0:36', '1.40': '0.60' }[format]} before`,
      'fill',
      '2',
      '--before',
    )
    await expectMessage(`${long[format]} (2024-05-07 09:00–10:24).`, 'join', '1', '3')
    await expectMessage(`, ${long[format]}`, 'rm', '1')
  })

  eachFormat('of a forgotten timer show durations', async (cli, format) => {
    await add(cli, '2024-05-01 09:00', '1h')
    await cli.run('start', 'Design', '--at', '2024-05-07 22:36')
    const [ran, limit] = {
      '1h 24m': ['13h 24m', '10h 00m'],
      '1:24': ['13:24', '10:00'],
      '1.40': ['13.40', '10.00'],
    }[format]
    expect((await cli.run('stop')).stderr).toContain(`It ran for ${ran}, longer than entry_limit (${limit}).`)
  })

  eachFormat('of the target show durations', async (cli, format) => {
    await changeSettings(cli, { 'target.daily': '8h', 'target.since': '2024-05-06' })
    await add(cli, '2024-05-08 10:00', '84m')
    const [today, week] = {
      '1h 24m': ['8h 00m', '40h 00m'],
      '1:24': ['8:00', '40:00'],
      '1.40': ['8.00', '40.00'],
    }[format]
    expect((await cli.run('status')).stderr).toContain(
      `Today  ${long[format]} of ${today?.padStart(week?.length ?? 0)}\nWeek   ${long[format]} of ${week}  `,
    )
  })
})

describe('reports', () => {
  eachFormat('of problems show durations that add up', async (cli, format) => {
    // Gaps of 29m 20s, 1h 30m 40s and 5h 00m 20s.
    await add(cli, '2024-05-07 09:29:20', '30m')
    await add(cli, '2024-05-07 11:30:00', '29m40s')
    const { stdout } = await cli.runInTerminal(100, 'check', 'yesterday', '--gaps')
    const gaps = [...stdout.matchAll(new RegExp(`gap +\\S+ +\\S+ +(${duration}) `, 'g'))]
    const total = new RegExp(`3 gaps, (${duration})`).exec(stdout)?.[1] ?? ''
    expect(gaps.reduce((sum, [, text = '']) => sum + stepsOf(text, format), 0)).toBe(stepsOf(total, format))
    expect(total).toBe({ '1h 24m': '7h 00m', '1:24': '7:00', '1.40': '7.01' }[format])
    await add(cli, '2024-05-07 11:15', '30m')
    const overlaps = await cli.runInTerminal(200, 'check', 'yesterday', '--overlaps')
    expect(overlaps.stdout).toContain(`1 overlap, ${quarter[format]}`)
    await add(cli, '2024-05-06 00:00', '11h')
    const found = await cli.runInTerminal(200, 'check', '--since', '2024-05-06', '--long')
    expect(found.stdout).toContain(
      `took more than ${{ '1h 24m': '10h 00m', '1:24': '10:00', '1.40': '10.00' }[format]}`,
    )
  })

  eachFormat('with --compare show durations and differences that add up', async (cli, format) => {
    for (const day of ['07', '08'])
      for (const [index, task] of ['Website', 'Shop', 'App'].entries())
        await cli.run(
          ...['add', `Acme/${task}/Design`, '--from', `2024-05-${day} 0${index + 6}:00`, '--for'],
          ...[day === '07' ? '29m20s' : '50m50s', '--yes', '--create'],
        )
    const { stdout } = await cli.runInTerminal(100, 'report', 'today', '--compare', 'yesterday')
    const cell = ` +([+−]?(?:${duration}))`
    const rows = [...stdout.matchAll(new RegExp(`^(?:Website|Shop|App)${cell}${cell}${cell}( .*)?$`, 'gm'))]
    expect(rows).toHaveLength(3)
    const sums = [1, 2, 3].map((column) =>
      rows.reduce((sum, row) => sum + stepsOf(row[column]?.replace('+', '') ?? '', format), 0),
    )
    const totals: Record<Format, [string, string, string]> = {
      '1h 24m': ['2h 32m', '1h 28m', '1h 04m'],
      '1:24': ['2:32', '1:28', '1:04'],
      '1.40': ['2.54', '1.47', '1.07'],
    }
    const [current, compared, difference] = totals[format]
    expect(stdout).toContain(`Total    ${current}, compared with ${compared}: +${difference} (+73.3%)`)
    expect(sums).toEqual([current, compared, difference].map((text) => stepsOf(text, format)))
    const csv = await cli.run('report', 'today', '--compare', 'yesterday', '--csv')
    const records = parse(csv.stdout, { columns: true }) as Record<string, string>[]
    const sumOf = (key: string) =>
      records.reduce((sum, record) => sum + stepsOf(record[key] ?? '', format), 0)
    expect(['duration', 'compared_duration', 'difference_duration'].map(sumOf)).toEqual(sums)
    expect(records.map(({ seconds }) => seconds)).toEqual(['3050', '3050', '3050'])
  })

  test('with --compare show exact durations with --hours', async () => {
    const cli = createTestCli('2024-05-08T12:00:00')
    await add(cli, '2024-05-07 09:00', '29m20s')
    await add(cli, '2024-05-08 09:00', '50m50s')
    const { stdout } = await cli.runInTerminal(
      100,
      'report',
      'today',
      '--compare',
      'yesterday',
      '--hours',
      'hms',
    )
    expect(stdout).toMatch(/Website +0:50:50 +0:29:20 +\+0:21:30 +\+73.3%\n/)
  })

  eachFormat('of tags show durations', async (cli, format) => {
    await add(cli, '2024-05-07 09:00', '84m', '-n', '#logo')
    expect((await cli.runInTerminal(80, 'tags')).stdout).toMatch(
      new RegExp(`#logo +1 +${long[format]} +2024-05-07\n`),
    )
    expect(await cli.json('tags')).toMatchObject([{ tag: 'logo', count: 1, seconds: 5040 }])
  })
})

describe('a setting that cannot be read', () => {
  test.each([
    ['an unknown format', '{"duration_format": "84"}'],
    ['a file that is not JSON', '{'],
  ])('prints no message in a shell prompt: %s', async (_, text) => {
    const cli = createTestCli('2024-05-08T12:00:00')
    await add(cli, '2024-05-07 09:00', '84m')
    await cli.run('start', 'Design', '--at', '10:36')
    writeFileSync(join(cli.home, 'config.json'), text)
    expect((await cli.run('config', 'get', 'duration_format')).status).toBe(2)
    const { stdout, stderr } = await cli.run('status', '--cached', '--template', '{duration}')
    expect([stdout, stderr]).toEqual(['1h 24m\n', ''])
  })
})
