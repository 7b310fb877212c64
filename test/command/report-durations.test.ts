import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { preparedCli } from '../support/prepared-cli.js'
import type { ReportGroup } from '../support/report-figures.js'
import { chooseSeed, SeededRandom } from '../support/seeded-random.js'
import { createTestCli } from '../support/test-cli.js'
import { changeSettings } from './report-fixtures.js'
import { createYearCli, year } from './year-fixtures.js'

/** Creates a `TestCli` with eight entries of 29m 20s on four days and two projects. */
const createEightCli = preparedCli('2024-05-08T12:00:00', async (cli) => {
  for (const day of [1, 2, 3, 4])
    for (const task of ['Acme/Website/Design', 'Acme/Shop/Design'])
      await cli.json('add', task, '--from', `2024-05-0${day} 09:00`, '--for', '29m20s', '--yes', '--create')
})

const minutesOfWords = (text: string) => {
  const [, hours = '0', minutes = '0'] = /^(?:(\d+)h )?(\d+)m$/.exec(text.replaceAll(',', '')) ?? []
  return Number(hours) * 60 + Number(minutes)
}
const hundredths = (text: string) => Math.round(Number(text.replaceAll(',', '')) * 100)

describe('displayed durations', () => {
  test('have separators of thousands on a page, in totals and entries, and none in decimals', async () => {
    const cli = createTestCli('2024-05-08T12:00:00')
    const add = ['add', 'Acme/Website/Design', '--create', '--yes']
    await cli.json(...add, '--from', '2024-03-01 00:00', '--to', '2024-05-05 10:10:10')
    const page = async (format: string) =>
      (await cli.run('report', '--since', '2024-03-01', '--hours', format, '--html')).stdout
    const hours = await page('hms')
    expect(hours.match(/\b1,5\d\d:10:10\b/g)?.length).toBeGreaterThan(3)
    expect(hours).not.toMatch(/\b\d{4}:10:10\b/)
    expect(await page('decimal')).not.toMatch(/\.\d+,\d/)
  })

  test('are exact with --hours', { tags: 'slow' }, async () => {
    const cli = await createEightCli()
    const durations = async (format: string) => {
      const { stdout } = await cli.runInTerminal(80, 'report', 'month', '--hours', format)
      return [/Website +(\S+)/.exec(stdout)?.[1], /Total +(\S+)/.exec(stdout)?.[1]]
    }
    expect(await durations('hms')).toEqual(['1:57:20', '3:54:40'])
    expect(await durations('decimal')).toEqual(['1.9555', '3.9111'])
    expect(await durations('minutes')).toEqual(['117.33', '234.67'])
    const page = await cli.run('report', 'month', '--hours', 'decimal', '--html')
    for (const duration of ['1.9555', '1.9556', '3.9111']) expect(page.stdout).toContain(`>${duration}<`)
    const csv = await cli.run('report', 'month', '--hours', 'hms', '--csv')
    expect(csv.stdout).toContain('Shop,7040,4,0.5,1.96,1:57:20,')
    const { status, stderr } = await cli.run('report', '--hours', 'hours')
    expect(status).toBe(2)
    expect(stderr).toContain('hms, decimal and minutes')
  })

  test('have the format of the setting everywhere but in JSON', async () => {
    const cli = await createEightCli()
    await changeSettings(cli, { duration_format: '1.40' })
    expect(await cli.json('report', 'month')).toMatchObject({
      seconds: 14_080,
      groups: [{ seconds: 7040 }, { seconds: 7040 }],
    })
    const output = async (...options: string[]) => (await cli.run('report', 'month', ...options)).stdout
    const csv: Record<string, string>[] = parse(await output('--csv'), { columns: true })
    expect(csv.map(({ seconds, duration }) => [seconds, duration])).toEqual([
      ['7040', '1.96'],
      ['7040', '1.95'],
    ])
    const { stdout: table } = await cli.runInTerminal(80, 'report', 'month')
    const texts = [table, await output('--markdown'), await output('--html')]
    for (const text of texts)
      for (const duration of ['1.96', '1.95', '3.91']) expect(text).toContain(duration)
    for (const chart of ['shares', 'bars']) expect(await output('--chart', chart)).toContain('1.96')
  })

  test('of a grid have the chosen format', async () => {
    const cli = await createEightCli()
    const report = ['report', '2024-05-01..2024-05-02', '--by', 'project,day', '--grid']
    const grid = async (...options: string[]) => (await cli.run(...report, ...options)).stdout
    expect(await grid('--csv', '--hours', 'decimal')).toBe(
      'project,2024-05-01,2024-05-02,total\r\nShop,0.4889,0.4889,0.9778\r\nWebsite,0.4889,0.4889,0.9778\r\n' +
        'Total,0.9778,0.9778,1.9556\r\n',
    )
    await changeSettings(cli, { duration_format: '1.40' })
    const rows = (await grid('--markdown')).split('\n').filter((line) => /Shop|Website|Total/.test(line))
    const cells = rows.map((line) => line.split('|').slice(2, 5).map(hundredths))
    const [shop = [], website = [], total = []] = cells.slice(-3)
    for (const [index, sum] of total.entries()) expect((shop[index] ?? 0) + (website[index] ?? 0)).toBe(sum)
    for (const [one = 0, two = 0, sum = 0] of [shop, website, total]) expect(one + two).toBe(sum)
    expect(total[2]).toBe(196)
  })

  test('of a grid on a page have as many decimals as its cells need', async () => {
    const cli = createTestCli('2024-05-15T12:00:00')
    for (const day of ['06', '13'])
      for (const task of ['Acme/Website/Design', 'Acme/Website/Review'])
        await cli.json('add', task, '--from', `2024-05-${day} 09:00`, '--for', '18s', '--yes', '--create')
    const options = ['month', '--by', 'task,week', '--grid', '--hours', 'decimal', '--html']
    const { stdout } = await cli.run('report', ...options)
    const [grid = ''] = /<h2>Time by task and week<\/h2>.*?<\/section>/s.exec(stdout) ?? []
    expect(grid.replaceAll(/<[^>]*>/g, ' ').match(/0\.\d+/g)).toEqual([
      ...['0.0050', '0.0050', '0.0100'],
      ...['0.0050', '0.0050', '0.0100'],
      ...['0.0100', '0.0100', '0.0200'],
    ])
  })

  test('of the entries of random months on a page add up to their day, and those of days to the total', {
    tags: 'slow',
  }, async () => {
    const cli = await createYearCli()
    const random = new SeededRandom(chooseSeed('page durations'))
    for (let round = 0; round < 3; round++) {
      const month = `${year.year}-${String(random.between(1, 12)).padStart(2, '0')}`
      const options = ['--since', month, '--until', month]
      const { seconds } = await cli.json<ReportGroup>('report', ...options)
      const { stdout } = await cli.run('report', ...options, '--html')
      const sums: Record<string, number[]> = { day: [], entry: [], total: [] }
      for (const { kind, minutes } of entryRows(stdout)) {
        if (kind === 'entry') sums.entry?.push((sums.entry.pop() ?? 0) + minutes)
        else sums[kind]?.push(minutes)
        if (kind === 'day') sums.entry?.push(0)
      }
      expect(sums.entry, month).toEqual(sums.day)
      expect(sums.total, month).toEqual([Math.floor(seconds / 60)])
      const wholeOfDays = sums.day?.reduce((whole, minutes) => whole + minutes, 0)
      expect(wholeOfDays, month).toBe(Math.floor(seconds / 60))
    }
  })
})

/** Returns the kinds and the minutes of the rows of the entries on a page. */
function entryRows(page: string): { kind: string; minutes: number }[] {
  const entries = page.slice(page.indexOf('<h2>Entries</h2>'))
  return [...entries.matchAll(/<tr(?: class="(\w+)")?>(.*?)<\/tr>/gs)].flatMap(
    ([, kind = 'entry', cells = '']) => {
      const [, duration] = /<td class="figure duration[^"]*">([^<]+)</.exec(cells) ?? []
      return duration === undefined ? [] : [{ kind, minutes: minutesOfWords(duration) }]
    },
  )
}
