import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { createYearCli, runYearReport, year, zone } from '../command/year-fixtures.js'
import {
  calendarDimensions,
  calendarKeys,
  dimensions,
  type ExpectedPart,
  expectedParts,
  sumParts,
} from '../support/expected-figures.js'
import { chooseSeed, SeededRandom } from '../support/seeded-random.js'
import { localDays } from '../support/year.js'

describe('the figures of grids', () => {
  const period = ['--since', String(year.year), '--until', String(year.year)]

  test('equal those of an independent calculation in random grids', async () => {
    const cli = await createYearCli()
    const random = new SeededRandom(chooseSeed('report grid'))
    const days = [year.year - 1, year.year, year.year + 1].flatMap((one) => localDays(one, zone))
    for (let round = 0; round < 15; round++) {
      const { by, column, keys } = randomGroupings(random)
      const from = random.between(0, days.length - 1)
      const length = random.between(1, column === 'day' ? 60 : 400)
      const period = days.slice(from, from + length).map(({ day }) => day)
      const weekStart = random.pick(['monday', 'sunday'] as const)
      const step = random.pick([1, 900])
      const options = ['--since', period.at(0) ?? '', '--until', period.at(-1) ?? '', '--round', `${step}s`]
      await cli.json('config', 'set', 'week_start', weekStart)
      const { stdout } = await cli.run('report', ...options, '--by', keys.join(','), '--grid', '--csv')

      const label = `--by ${keys} ${options.join(' ')}, week_start ${weekStart}`
      const { columns, figures } = readCsv(stdout, by.length)
      expect(new Set(columns), label).toEqual(
        new Set(period.map((day) => calendarKeys(day, weekStart)[column])),
      )
      const rounding = { step, direction: 'nearest' } as const
      const parts = expectedParts(year, days, { rounding, weekStart })
      const inPeriod = parts.filter(({ day }) => period.includes(day))
      expect(figures, label).toEqual(expectedFigures(inPeriod, by, column))
    }
  })

  test('add up in displayed minutes, in rows and columns', async () => {
    const cli = await createYearCli()
    const { seconds } = await runYearReport(cli, ['client'])
    for (const by of ['client,project,month', 'notes,week', 'task,weekday', 'month,client,project,day']) {
      const { stdout } = await cli.run('report', ...period, '--by', by, '--grid', '--markdown')
      const rows = stdout.trimEnd().split('\n').slice(2).map(markdownRow)
      const total = rows.pop()
      expect(total?.cells.at(-1)).toBe(Math.floor(seconds / 60))
      for (const { cells } of rows) expect(cells.at(-1)).toBe(sum(cells.slice(0, -1)))
      for (const [index, row] of [{ depth: -1, cells: total?.cells ?? [] }, ...rows].entries()) {
        const rest = rows.slice(index)
        const end = rest.findIndex(({ depth }) => depth <= row.depth)
        const below = rest.slice(0, end < 0 ? undefined : end).filter(({ depth }) => depth === row.depth + 1)
        if (below.length > 0)
          expect(row.cells).toEqual(
            row.cells.map((_, column) => sum(below.map(({ cells }) => cells[column] ?? 0))),
          )
      }
    }
  })
})

/** Picks up to three groupings of the rows and one of the columns; `keys` has all of them, the columns at any place. */
function randomGroupings(random: SeededRandom): { by: string[]; column: string; keys: string[] } {
  const column = random.pick(calendarDimensions)
  const others = dimensions.filter((dimension) => !calendarDimensions.includes(dimension))
  const by = others.toSorted(() => random.next() - 0.5).slice(0, random.between(0, 3))
  return { by, column, keys: by.toSpliced(random.between(0, by.length), 0, column) }
}

/** Returns the figures above 0 of the CSV of a grid, by the keys of row and column; those of equal keys are added up. */
function readCsv(text: string, levels: number): { columns: string[]; figures: Map<string, number> } {
  const [header = [], ...rows] = parse(text) as string[][]
  const columns = header.slice(levels)
  const figures = new Map<string, number>()
  for (const row of rows) {
    const path = row.slice(0, levels).map((key) => (key === '' ? null : key))
    for (const [index, column] of columns.entries()) {
      const name = JSON.stringify([...path, column])
      const seconds = Number(row[levels + index])
      if (seconds > 0) figures.set(name, (figures.get(name) ?? 0) + seconds)
    }
  }
  return { columns: columns.slice(0, -1), figures }
}

/** Returns the figures above 0 of a grid and its totals, by the keys of row and column. */
function expectedFigures(
  parts: readonly ExpectedPart[],
  by: readonly string[],
  column: string,
): Map<string, number> {
  const figures = new Map<string, number>()
  const add = (dimensions: readonly string[], nameOf: (path: (string | null)[]) => (string | null)[]) => {
    for (const [path, { rounded }] of sumParts(parts, dimensions))
      if (rounded > 0) figures.set(JSON.stringify(nameOf(JSON.parse(path))), rounded)
  }
  const total = by.map((_, index) => (index === 0 ? 'Total' : null))
  add([...by, column], (path) => path)
  add(by, (path) => [...path, 'total'])
  add([column], (path) => [...total, ...path])
  add([], () => [...total, 'total'])
  return figures
}

/** Returns the depth and the minutes of a row of a Markdown table. */
function markdownRow(line: string): { depth: number; cells: number[] } {
  const [label = '', ...cells] = line.slice(2, -2).split(/(?<!\\) \| /)
  const minutes = cells.map((text) => minutesOf(text.trim()))
  return { depth: (label.match(/&nbsp;/g)?.length ?? 0) / 2, cells: minutes }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/** Parses a duration such as "1h 24m"; an empty cell has none. */
function minutesOf(text: string): number {
  const [isDuration, hours = '0', minutes = '0'] = /^(?:(?:([\d,]+)h )?(\d+)m)?$/.exec(text) ?? []
  if (isDuration === undefined) throw new Error(`"${text}" is not a duration.`)
  return Number(hours.replaceAll(',', '')) * 60 + Number(minutes)
}
