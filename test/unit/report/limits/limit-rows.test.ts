import { expect, test } from 'vitest'
import { limitRows } from '../../../../src/commands/report/page-limits.js'
import type { Grid, GridRow } from '../../../../src/report/grid/grid.js'

const row = (label: string, depth: number, cells: GridRow['cells'], isParent = false): GridRow => ({
  ...{ label, depth, cells, isParent, running: false },
  path: depth === 0 ? [label] : ['A', label],
  seconds: cells.reduce<number>((sum, cell) => sum + (cell ?? 0), 0),
})
const grid: Grid = {
  by: ['client', 'project'],
  columnsBy: 'day',
  columns: [],
  rows: [
    row('A', 0, [6, 5, null], true),
    ...[row('a', 1, [3, null, null]), row('b', 1, [2, 5, null]), row('c', 1, [1, null, null])],
    row('B', 0, [null, 1, null]),
  ],
  total: { ...row('Total', 0, [6, 6, null], true), path: [] },
  isEmpty: false,
}

test('the last rows are combined column by column, and the totals stay the same', () => {
  const { grid: limited, ...counts } = limitRows(grid, 3)
  expect(counts).toEqual({ omitted: 2, count: 5 })
  expect(limited.rows.map(({ label, depth, cells, seconds }) => [label, depth, cells, seconds])).toEqual([
    ['A', 0, [6, 5, null], 11],
    ['a', 1, [3, null, null], 3],
    ['2 others', 1, [3, 5, null], 8],
    ['B', 0, [null, 1, null], 1],
  ])
  expect(limited.total).toEqual(grid.total)
})

test('a row whose rows below do not fit is no parent', () => {
  expect(limitRows(grid, 2).grid.rows.map(({ label, isParent }) => [label, isParent])).toEqual([
    ['A', false],
    ['B', false],
  ])
})

test('a grid that fits stays the same', () => {
  expect(limitRows(grid, 5)).toEqual({ grid, omitted: 0, count: 5 })
})
