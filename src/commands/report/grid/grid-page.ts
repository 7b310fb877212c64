import type { Weekday } from '../../../lib/calendar/day.js'
import { dateText, periodText } from '../../../lib/calendar/period-text.js'
import type { Grid, GridColumn } from '../../../report/grid/grid.js'
import {
  compactGrid,
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
  if (columns.length <= maxColumns) return [tableOf(grid, null)]
  const tracked = compactGrid(grid)
  if (tracked.columns.length <= maxColumns) return [tableOf(tracked, null)]
  const range = { start: 0, end: columns.length }
  const slices = columnsBy === 'day' ? weekSlices(grid, weekStart) : evenSlices(grid, maxColumns, range)
  const parts = slices.flatMap((slice) => {
    const part = sliceGrid(grid, slice)
    return hasEntry(part.total) ? [tableOf(part, columnsText(part, slice.label))] : []
  })
  const weeks = columnsBy === 'day' ? weekGrid(grid, weekStart) : grid
  const totals = weeks.columns.length <= maxColumns ? weeks : withoutColumns(grid)
  return [...parts, tableOf(totals, 'Total')]
}

/** Returns the days of the columns in words; `label` for columns that are weekdays. */
function columnsText({ columns, columnsBy }: Grid, label: string): string {
  const [first, last] = [columns[0]?.first, columns.at(-1)?.last]
  return first === undefined || last === undefined || columnsBy === 'weekday'
    ? label
    : periodText({ first, last })
}

/** Returns the heading of a column: "Wed 1", "29 April 2024" for a week, "May 2024", "Monday". */
function headingOf(columnsBy: Grid['columnsBy'], column: GridColumn): string {
  const { first, last, key } = column
  if (columnsBy === 'day') return shortHeading(columnsBy, column)
  if (columnsBy === 'weekday') return key
  return columnsBy === 'week' ? dateText(first) : periodText({ first, last })
}

function tableOf(grid: Grid, name: string | null): GridTable {
  return {
    grid,
    name,
    headings: grid.columns.map((column) => headingOf(grid.columnsBy, column)),
  }
}
