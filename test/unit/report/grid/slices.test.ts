import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { weekday } from '../../../../src/lib/calendar/day.js'
import {
  evenSlices,
  hasEntry,
  sliceGrid,
  weekGrid,
  weekSlices,
  withoutColumns,
  withoutEmptyColumns,
} from '../../../../src/report/grid/slices.js'
import { entry, link } from '../fixtures.js'
import { gridLines, gridOfEntries } from './grids.js'

const shop = link('Acme', 'Shop', 'Design')
const entries = [
  entry('2024-05-03T09:00', '2024-05-03T10:00'),
  entry('2024-05-05T23:00', '2024-05-06T01:00', { link: shop }),
  entry('2024-05-07T09:00', '2024-05-07T09:00', { link: link('Acme', 'Empty', 'Design') }),
  entry('2024-05-21T09:00', '2024-05-21T09:20'),
]
/** From Wednesday to Wednesday. */
const span = { first: '2024-05-01', last: '2024-05-22' }
const grid = gridOfEntries(entries, span)

describe('weekSlices', () => {
  test('divides days at the first day of the week', () => {
    expect(weekSlices(grid, 1)).toEqual([
      { label: '2024-W18 from 2024-04-29', start: 0, end: 5 },
      { label: '2024-W19 from 2024-05-06', start: 5, end: 12 },
      { label: '2024-W20 from 2024-05-13', start: 12, end: 19 },
      { label: '2024-W21 from 2024-05-20', start: 19, end: 22 },
    ])
    expect(weekSlices(grid, 0).map(({ label, start, end }) => [label, start, end])).toEqual([
      ['week of 2024-04-28', 0, 4],
      ['week of 2024-05-05', 4, 11],
      ['week of 2024-05-12', 11, 18],
      ['week of 2024-05-19', 18, 22],
    ])
  })

  test('has no slices without columns', () => {
    expect(weekSlices(withoutColumns(grid), 1)).toEqual([])
  })

  test('divides days also where the first day of a week is omitted', () => {
    const onWorkingDays = withoutEmptyColumns(grid, ({ first }) => [0, 1, 6].includes(weekday(first)))
    expect(
      weekSlices(onWorkingDays, 1).map(({ start, end }) =>
        onWorkingDays.columns.slice(start, end).map(({ key }) => key.slice(8)),
      ),
    ).toEqual([
      ['01', '02', '03', '05'],
      ['06', '07', '08', '09', '10'],
      ['14', '15', '16', '17'],
      ['21', '22'],
    ])
  })
})

describe('evenSlices', () => {
  test('have at most the size, differ by one column at most, and cover the range', () => {
    fc.assert(
      fc.property(fc.nat(22), fc.nat(22), fc.integer({ min: 1, max: 30 }), (one, other, size) => {
        const [start, end] = [Math.min(one, other), Math.max(one, other)]
        const slices = evenSlices(grid, size, { start, end })
        expect(slices).toHaveLength(Math.ceil((end - start) / size))
        const sizes = slices.map((slice) => slice.end - slice.start)
        for (const each of sizes) expect(each).toBeLessThanOrEqual(size)
        if (sizes.length > 0) expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1)
        expect([start, ...slices.map(({ end }) => end)]).toEqual([...slices.map(({ start }) => start), end])
      }),
    )
  })

  test('are named after their first and last column', () => {
    expect(evenSlices(grid, 2, { start: 3, end: 6 }).map(({ label }) => label)).toEqual([
      '2024-05-04',
      '2024-05-05 to 2024-05-06',
    ])
  })
})

describe('sliceGrid', () => {
  test('returns the rows that have an entry in the columns, also one without duration', () => {
    const [first, second, third] = weekSlices(grid, 1).map((slice) => sliceGrid(grid, slice))
    expect(first && gridLines(first)).toEqual([
      'Shop | - - - - 3600 | 3600',
      'Website | - - 3600 - - | 3600',
      'Total | - - 3600 - 3600 | 7200',
    ])
    expect(second && gridLines(second)).toEqual([
      'Shop | 3600 - - - - - - | 3600',
      'Empty | - 0 - - - - - | 0',
      'Total | 3600 0 - - - - - | 3600',
    ])
    expect(third?.rows).toEqual([])
    expect(third && hasEntry(third.total)).toBe(false)
  })
})

describe('weekGrid', () => {
  test('equals the grid by weeks, with either first day of the week', () => {
    for (const weekStart of [0, 1] as const) {
      const byWeek = gridOfEntries(entries, span, { columns: 'week', weekStart })
      const weeks = weekGrid(gridOfEntries(entries, span, { weekStart }), weekStart)
      expect(weeks.columnsBy).toBe('week')
      expect(weeks.columns).toEqual(byWeek.columns)
      expect(gridLines(weeks)).toEqual(gridLines(byWeek))
    }
  })
})

describe('withoutEmptyColumns and withoutColumns', () => {
  test('omit optional columns without an entry, and keep all sums', () => {
    const shown = withoutEmptyColumns(grid, () => true)
    expect(shown.columns.map(({ key }) => key.slice(8))).toEqual(['03', '05', '06', '07', '21'])
    expect(gridLines(shown)).toEqual([
      'Shop | - 3600 3600 - - | 7200',
      'Website | 3600 - - - 1200 | 4800',
      'Empty | - - - 0 - | 0',
      'Total | 3600 3600 3600 0 1200 | 12000',
    ])
    expect(gridLines(withoutColumns(grid)).at(-1)).toBe('Total |  | 12000')
  })
})
