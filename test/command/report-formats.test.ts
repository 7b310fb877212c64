import { describe, expect, test } from 'vitest'
import { displayWidth } from '../../src/ui/text.js'
import type { TestCli } from '../support/test-cli.js'
import { createUnicodeCli, readGolden } from './unicode-fixtures.js'

async function createRatedCli(): Promise<TestCli> {
  const cli = await createUnicodeCli()
  cli.env.LC_ALL = 'C.UTF-8'
  await cli.json('config', 'set', 'rate', '95 EUR')
  await cli.json('config', 'set', 'rate.株式会社アクメ', '12000 JPY')
  await cli.json('config', 'set', 'target.daily', '8h')
  return cli
}

const tree = ['--by', 'day,client,task', '--round', '15m:up']

describe('tt report equals the reviewed output', () => {
  test.each([60, 80, 120])('in a terminal of %i columns', async (columns) => {
    const cli = await createRatedCli()
    for (const [name, options] of [
      ['tree', tree],
      ['bars', ['week', '--chart']],
      ['heat', ['--chart', 'heat', '--since', '2024-01-01']],
      ['shares', ['--chart', 'shares', '--by', 'notes']],
    ] as const) {
      const { stdout } = await cli.runInTerminal(columns, 'report', ...options)
      for (const line of stdout.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(columns)
      expect(stdout).toBe(readGolden(`report-${name}-${columns}.txt`))
    }
  })

  test.each([
    ['report-tsv.txt', []],
    ['report-json.txt', ['--by', 'client,task', '--json']], // This --by replaces the first one.
    ['report-ndjson.txt', ['--ndjson']],
    ['report-csv.txt', ['--csv']],
    ['report-markdown.txt', ['--markdown']],
  ])('in a file: %s', async (name, options) => {
    const cli = await createRatedCli()
    expect((await cli.run('report', ...tree, ...options)).stdout).toBe(readGolden(name))
  })
})
