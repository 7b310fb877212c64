import { describe, expect, test } from 'vitest'
import { pageTables } from '../../../../../src/commands/report/grid/grid-page.js'
import { type GridTableOptions, gridTables } from '../../../../../src/commands/report/grid/grid-tables.js'
import { narrowDuration } from '../../../../../src/commands/report/grid/grid-view.js'
import { DurationDisplay } from '../../../../../src/lib/calendar/duration-display.js'
import { roundGrid } from '../../../../../src/report/grid/controlled-rounding.js'
import type { Grid } from '../../../../../src/report/grid/grid.js'
import { tableText } from '../../../../../src/ui/formats/table.js'
import { displayWidth } from '../../../../../src/ui/text.js'
import { plainStyle } from '../../../../../src/ui/view.js'
import { entry, link } from '../../../report/fixtures.js'
import { gridOfEntries } from '../../../report/grid/grids.js'
import { joinChunks } from '../../../ui/special-texts.js'

const words = DurationDisplay.of('1h 24m')
const options: GridTableOptions = {
  width: undefined,
  weekStart: 1,
  duration: (seconds) => words.format(seconds),
  narrowDuration,
  footer: () => 'the footer\n',
  empty: 'No entries.',
}

const shop = link('Acme', 'Shop', 'Design')
/** Eight entries of 29m 20s from Monday to Thursday. */
const eight = ['06', '07', '08', '09'].flatMap((day) => [
  entry(`2024-05-${day}T09:00:00`, `2024-05-${day}T09:29:20`),
  entry(`2024-05-${day}T10:00:00`, `2024-05-${day}T10:29:20`, { link: shop }),
])
const week = { first: '2024-05-06', last: '2024-05-12' }
const inMinutes = (grid: Grid) => roundGrid(grid, 60, Math.floor(grid.total.seconds / 60) * 60)

/** Returns the lines of each table of a grid, after its heading. */
async function linesOf(grid: Grid, more: Partial<GridTableOptions> = {}): Promise<string[][]> {
  const tables = gridTables(grid, { ...options, ...more })
  return Promise.all(
    tables.map(async ({ heading, view, rows }) => {
      const text = await joinChunks(tableText(view, rows, { style: plainStyle, width: more.width }))
      return [...(heading ? [heading] : []), ...text.split('\n').filter((line) => line !== '')]
    }),
  )
}

describe('the tables of a grid in a terminal', () => {
  test('are one without rows if there are no entries', () => {
    const tables = gridTables(gridOfEntries([], week), { ...options, width: 20 })
    expect(tables.map(({ rows, view }) => [rows, view.empty])).toEqual([[[], 'No entries.']])
  })

  test('show exact hours in any width, which have no shorter format', async () => {
    const display = DurationDisplay.exact('decimal', [1760])
    const grid = gridOfEntries(eight, week)
    const exact = roundGrid(grid, display.stepsPerHour, display.rounded(grid.total.seconds))
    const more = { duration: (seconds: number) => display.format(seconds), narrowDuration: undefined }
    const [lines = []] = await linesOf(exact, more)
    expect(lines.at(-2)).toMatch(/^Total +0\.977[78] +0\.977[78] +0\.977[78] +0\.977[78] +3\.9111$/)
    const narrow = await linesOf(exact, { ...more, width: 40 })
    expect(narrow.at(-1)?.at(-2)).toMatch(/^Total +3\.9111 +3\.9111$/)
    for (const line of narrow.flat()) expect(displayWidth(line)).toBeLessThanOrEqual(40)
  })

  test('are one as long as it fits, then use shorter numbers, then are divided', async () => {
    const grid = inMinutes(gridOfEntries(eight, week))
    const whole = (await linesOf(grid)).flat()
    const width = Math.max(...whole.map(displayWidth))
    expect(await linesOf(grid, { width })).toEqual([whole])
    const [shorter = [], ...others] = await linesOf(grid, { width: width - 1 })
    expect(others).toEqual([])
    expect(shorter[0]).toMatch(/^Project +Mon +Tue +Wed +Thu +Fri +Sat +Sun +Total$/)
    expect(shorter.at(-2)).toMatch(/^Total +0:5[89] +.*3:54$/)
    const divided = await linesOf(grid, { width: 30 })
    expect(divided.length).toBeGreaterThan(2)
    expect(divided.map((lines) => lines.at(-1) === 'the footer')).toEqual([
      ...divided.slice(1).map(() => false),
      true,
    ])
    for (const line of divided.flat()) expect(displayWidth(line)).toBeLessThanOrEqual(30)
  })

  test('have seconds below one minute, also as shorter numbers', async () => {
    const short = [
      entry('2024-05-06T09:00:00', '2024-05-06T09:00:20'),
      entry('2024-05-07T09:00:00', '2024-05-07T09:00:25'),
    ]
    const grid = gridOfEntries(short, week)
    expect((await linesOf(grid))[0]?.[1]).toMatch(/^Website +20s +25s +45s$/)
    expect((await linesOf(grid, { width: 52 }))[0]?.[1]).toMatch(/^Website +20s +25s +45s$/)
  })

  test.each([
    [1, ['2024-W19 from 2024-05-06', '2024-W21 from 2024-05-20', 'Total']],
    [0, ['week of 2024-05-05', 'week of 2024-05-19', 'Total']],
  ] as const)(
    'are divided by weeks from day %i, without those that have no entry',
    async (weekStart, headings) => {
      const entries = [...eight, entry('2024-05-21T09:00', '2024-05-21T10:00')]
      const grid = gridOfEntries(entries, { first: '2024-04-20', last: '2024-05-31' }, { weekStart })
      const tables = gridTables(inMinutes(grid), { ...options, width: 75, weekStart })
      expect(tables.map(({ heading }) => heading)).toEqual(headings)
      expect(new Set(tables.map(({ view }) => view.columns[0]?.minWidth)).size).toBe(1)
      const totals = (await linesOf(inMinutes(grid), { width: 75, weekStart })).at(-1)
      expect(totals?.at(-2)).toMatch(/^Total .* 4:54$/)
    },
  )

  test('omit the days of a month without an entry if only then one table fits', async () => {
    const grid = gridOfEntries(eight, { first: '2024-05-01', last: '2024-05-31' })
    const [lines = [], ...others] = await linesOf(inMinutes(grid), { width: 75 })
    expect(others).toEqual([])
    expect(lines[0]).toMatch(/^Project +Mon 6 +Tue 7 +Wed 8 +Thu 9 +Total$/)
  })

  test('shorten names instead of figures', async () => {
    const long = link('Acme', 'A project with a name that is longer than any terminal', 'Design')
    const grid = gridOfEntries([entry('2024-05-06T09:00', '2024-05-06T10:00', { link: long })], {
      first: '2024-05-06',
      last: '2024-05-07',
    })
    const [lines = []] = await linesOf(grid, { width: 40 })
    expect(lines[1]).toMatch(/^A project .*… +1h 00m +1h 00m$/)
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(40)
  })
})

describe('the tables of a grid on a page', () => {
  const headings = (grid: Grid, weekStart: 0 | 1 = 1) =>
    pageTables(grid, weekStart).map(({ name, headings }) => [name, headings.join(' ')])

  test('are one of up to ten columns', () => {
    expect(headings(gridOfEntries([], week))).toEqual([
      [null, 'Mon 6 Tue 7 Wed 8 Thu 9 Fri 10 Sat 11 Sun 12'],
    ])
    expect(headings(gridOfEntries(eight, { first: '2024-05-01', last: '2024-05-10' }))).toHaveLength(1)
  })

  test('are divided by the weeks of the user, with totals by week', () => {
    const grid = gridOfEntries(eight, { first: '2024-04-30', last: '2024-05-12' }, { weekStart: 0 })
    expect(headings(grid, 0)).toEqual([
      ['5 to 11 May 2024', 'Sun 5 Mon 6 Tue 7 Wed 8 Thu 9 Fri 10 Sat 11'],
      ['Total', '30 April 2024 5 May 2024 12 May 2024'],
    ])
  })

  test('of a month have only the days with an entry if they are at most ten', () => {
    const grid = gridOfEntries(eight, { first: '2024-05-01', last: '2024-05-31' })
    expect(headings(grid)).toEqual([[null, 'Mon 6 Tue 7 Wed 8 Thu 9']])
  })

  test('have totals without columns where the weeks are too many, and for other units', () => {
    const ofYear = { first: '2024-01-01', last: '2024-12-31' }
    expect(headings(gridOfEntries(eight, ofYear)).at(-1)).toEqual(['Total', ''])
    expect(headings(gridOfEntries(eight, ofYear, { columns: 'month' }))).toEqual([
      ['January to June 2024', 'January 2024 February 2024 March 2024 April 2024 May 2024 June 2024'],
      ['Total', ''],
    ])
  })

  test('are one total without an entry', () => {
    expect(headings(gridOfEntries([], { first: '2024-01-01', last: '2024-03-31' }))).toEqual([['Total', '']])
  })
})
