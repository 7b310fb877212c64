import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { displayWidth } from '../../src/ui/text.js'
import type { Desk } from '../support/test-cli.js'
import { busyWeek, golden } from './wide-week.js'

async function busy(): Promise<Desk> {
  const desk = await busyWeek()
  desk.env.LC_ALL = 'C.UTF-8'
  await desk.json('config', 'set', 'rate', '95 EUR')
  await desk.json('config', 'set', 'rate.株式会社アクメ', '12000 JPY')
  await desk.json('config', 'set', 'target.daily', '8h')
  return desk
}

const tree = ['--by', 'day,client,task', '--round', '15m:up']

describe('tt report is what was looked at', () => {
  test.each([60, 80, 120])('on a terminal of %i columns', async (columns) => {
    const desk = await busy()
    for (const [name, options] of [
      ['tree', tree],
      ['bars', ['--week', '--chart']],
      ['heat', ['--chart', 'heat', '--since', '2024-01-01']],
      ['shares', ['--chart', 'shares', '--by', 'notes']],
      ['health', ['--gaps', '--overlaps', '--without-notes']],
    ] as const) {
      const { stdout } = await desk.terminal(columns, 'report', ...options)
      if (name !== 'health')
        for (const line of stdout.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(columns)
      expect(stdout).toBe(golden(`report-${name}-${columns}.txt`))
    }
  })

  test.each([
    ['report-tsv.txt', []],
    ['report-json.txt', ['--json']],
    ['report-ndjson.txt', ['--ndjson']],
    ['report-csv.txt', ['--csv']],
    ['report-markdown.txt', ['--markdown']],
  ])('in a file: %s', async (name, options) => {
    const desk = await busy()
    expect((await desk.tt('report', ...tree, ...options)).stdout).toBe(golden(name))
  })
})

test('another program reads the same sums out of CSV as are in JSON', async () => {
  const desk = await busy()
  const { seconds } = await desk.json<{ seconds: number }>('report', ...tree)
  const records: Record<string, string>[] = parse((await desk.tt('report', ...tree, '--csv')).stdout, {
    columns: true,
  })
  expect(records.reduce((sum, record) => sum + Number(record.seconds), 0)).toBe(seconds)
})
