import { describe, expect, test } from 'vitest'
import type { TestCli } from '../support/test-cli.js'
import { createUnicodeCli, expectGolden, readGolden } from './unicode-fixtures.js'

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
  test.each([
    ['tree', 60, tree],
    ['tree', 80, tree],
    ['bars', 60, ['week', '--chart']],
    ['heat', 60, ['--chart', 'heat', '--since', '2024-01-01']],
    ['shares', 60, ['--chart', 'shares', '--by', 'notes']],
  ])('%s in a terminal of %i columns', async (name, columns, options) => {
    await expectGolden(await createRatedCli(), `report-${name}`, columns, 'report', ...options)
  })

  test.each([
    ['report-tsv.txt', []],
    ['report-json.txt', ['--by', 'client', '--json']], // This --by replaces the first one.
    ['report-ndjson.txt', ['--ndjson']],
    ['report-csv.txt', ['--csv']],
    ['report-markdown.txt', ['--markdown']],
  ])('in a file: %s', async (name, options) => {
    const cli = await createRatedCli()
    expect((await cli.run('report', ...tree, ...options)).stdout).toBe(readGolden(name))
  })
})
