import { shortWeekdayName } from '../../../lib/calendar/calendar-names.js'
import { countDays, parts, weekday } from '../../../lib/calendar/day.js'
import type { CalendarDimension } from '../../../records/report-names.js'
import type { Grid, GridColumn, GridRow } from '../../../report/grid/grid.js'
import type { Column, View } from '../../../ui/view.js'
import { columnsOf, labelColumn } from '../../views/reports/group-table.js'

/** How a grid is displayed to people. */
export interface GridDisplay {
  heading(column: GridColumn): string
  duration(seconds: number): string
}

/** Returns the view of the rows and the total of a grid, for tables and Markdown. */
export function gridView(
  grid: Grid,
  { heading, duration }: GridDisplay,
): Pick<View<GridRow>, 'columns' | 'json'> {
  const figure = (
    key: string,
    title: string,
    secondsOf: (row: GridRow) => number | null,
  ): Column<GridRow> => ({
    key,
    title,
    align: 'right',
    text(row, style) {
      const seconds = secondsOf(row)
      const text = seconds === null ? '' : duration(seconds)
      return isTotal(row) ? style.bold(text) : text
    },
  })
  return {
    columns: [
      labelColumn(grid.by),
      ...grid.columns.map((column, index) =>
        figure(column.key, heading(column), ({ cells }) => cells[index] ?? null),
      ),
      figure('total', 'Total', ({ seconds }) => seconds),
    ],
    json: (row) => ({ key: row.label, ...figuresOf(grid, row) }),
  }
}

/** Returns the rows followed by the total; none without an entry. */
export function rowsWithTotal({ rows, total, isEmpty }: Grid): GridRow[] {
  return isEmpty ? [] : [...rows, total]
}

/** Returns the view for CSV and TSV: a column for each key of the groups. Figures are seconds unless they are formatted. */
export function flatGridView(
  grid: Grid,
  format: (seconds: number) => string | number = (seconds) => seconds,
): Pick<View<GridRow>, 'columns' | 'json'> {
  const { by, columns } = grid
  return {
    columns: columnsOf([...by, ...columns.map(({ key }) => key), 'total']),
    json: (row) => ({
      ...Object.fromEntries(by.map((dimension, level) => [dimension, row.path[level] ?? null])),
      ...Object.fromEntries(
        Object.entries(figuresOf(grid, row)).map(([key, seconds]) => [key, format(seconds)]),
      ),
    }),
  }
}

/** Returns the innermost rows followed by the total, whose first key is "Total"; none without an entry. */
export function flatGridRows(grid: Grid): GridRow[] {
  return rowsWithTotal(grid)
    .filter((row) => !row.isParent || isTotal(row))
    .map((row) => (isTotal(row) ? { ...row, path: [row.label] } : row))
}

function figuresOf({ columns }: Grid, { cells, seconds }: GridRow): Record<string, number> {
  return {
    ...Object.fromEntries(columns.map(({ key }, index) => [key, cells[index] ?? 0])),
    total: seconds,
  }
}

function isTotal({ path }: GridRow): boolean {
  return path.length === 0
}

/** Returns a heading for a terminal: "Wed 1", "2024-W18", "2024-05", "Wed". */
export function shortHeading(dimension: CalendarDimension, { key, label, first }: GridColumn): string {
  if (dimension === 'day') return `${shortWeekdayName(weekday(first))} ${parts(first).date}`
  if (dimension === 'week') return /^\d{4}-W\d\d/.exec(label)?.[0] ?? key
  return dimension === 'weekday' ? key.slice(0, 3) : key
}

/** Returns a function for the shortest headings: "Wed", or "1" if there are several Wednesdays; "W18". */
export function narrowHeadings({ columnsBy, columns }: Grid): (column: GridColumn) => string {
  const [first, last] = [columns[0]?.first, columns.at(-1)?.last]
  const isWithinWeek = first !== undefined && last !== undefined && countDays(first, last) <= 7
  return (column) => {
    const heading = shortHeading(columnsBy, column)
    if (columnsBy === 'week') return heading.replace(/^\d{4}-/, '')
    if (columnsBy !== 'day') return heading
    const [name = '', date = ''] = heading.split(' ')
    return isWithinWeek ? name : date
  }
}

/** Formats seconds in few cells: "1:24", below one minute "45s". */
export function narrowDuration(seconds: number): string {
  if (seconds > 0 && seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`
}
