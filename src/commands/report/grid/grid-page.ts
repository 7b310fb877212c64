import type { Weekday } from '../../../calendar/day.js'
import type { Grid } from '../../../report/grid/grid.js'
import {
  evenSlices,
  hasEntry,
  sliceGrid,
  weekGrid,
  weekSlices,
  withoutColumns,
} from '../../../report/grid/slices.js'
import type { GridTable } from '../../../ui/page/page-model.js'
import { shortHeading } from './grid-view.js'

/** The columns that fit beside the names on A4 paper. */
const maxColumns = 10

/** Returns the tables of a grid for a page: one if it fits on paper, otherwise one for each week or range, and the totals. */
export function pageTables(grid: Grid, weekStart: Weekday): GridTable[] {
  const { columns, columnsBy } = grid
  if (columns.length <= maxColumns) return [tableOf(grid, null, 'Total')]
  const range = { start: 0, end: columns.length }
  const slices = columnsBy === 'day' ? weekSlices(grid, weekStart) : evenSlices(grid, maxColumns, range)
  const parts = slices.flatMap((slice) => {
    const part = sliceGrid(grid, slice)
    return hasEntry(part.total) ? [tableOf(part, slice.label, 'Sum')] : []
  })
  const weeks = columnsBy === 'day' ? weekGrid(grid, weekStart) : grid
  const totals = weeks.columns.length <= maxColumns ? weeks : withoutColumns(grid)
  return [...parts, tableOf(totals, 'Total', 'Total')]
}

function tableOf(grid: Grid, name: string | null, sumTitle: string): GridTable {
  return {
    grid,
    name,
    headings: grid.columns.map((column) => shortHeading(grid.columnsBy, column)),
    sumTitle,
  }
}
