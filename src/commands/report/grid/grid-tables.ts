import type { Weekday } from '../../../lib/calendar/day.js'
import type { Grid, GridColumn, GridRow } from '../../../report/grid/grid.js'
import {
  compactGrid,
  evenSlices,
  hasEntry,
  type Slice,
  sliceGrid,
  weekGrid,
  weekSlices,
  withoutColumns,
} from '../../../report/grid/slices.js'
import { displayWidth, escapeText } from '../../../ui/text.js'
import { plainStyle, type RowsWithView, type Style, type View } from '../../../ui/view.js'
import { type GridDisplay, gridView, narrowHeadings, rowsWithTotal, shortHeading } from './grid-view.js'

export interface GridTableOptions {
  /** The width of the terminal in cells; undefined for no limit. */
  width: number | undefined
  weekStart: Weekday
  duration(seconds: number): string
  /** Formats a duration in fewer cells, if there is such a format. */
  narrowDuration?: ((seconds: number) => string) | undefined
  /** Returns the text below the last table. */
  footer(style: Style): string
  /** The message for an empty grid. */
  empty: string
}

interface Table {
  grid: Grid
  display: GridDisplay
  heading?: string
}

/** The line above the table. */
type Labels = Pick<Table, 'heading'>

const gap = 2
/** A table fits if this width in cells remains for the names, which are shortened to it. */
const readableWidth = 16

/**
 * Returns the tables of a grid for a terminal: one if it fits, with narrower figures if it fits only then; otherwise one
 * for each week or other range of columns that has an entry, and one with the totals.
 */
export function gridTables(grid: Grid, options: GridTableOptions): RowsWithView[] {
  const { width = Infinity } = options
  const whole = fittingTable(grid, options, {}) ?? fittingTable(compactGrid(grid), options, {})
  const tables = whole ? [whole] : [...slicedTables(grid, options), totalsTable(grid, options)]
  const room = Math.min(...tables.map((table) => width - figuresWidth(table)))
  const nameWidth = Math.max(1, Math.min(room, Math.max(...tables.map(namesWidth))))
  return tables.map((table, index) => {
    const isLast = index === tables.length - 1
    const footer = isLast ? { footer: (_: unknown, style: Style) => options.footer(style) } : {}
    return withView(table, nameWidth, { ...footer, empty: options.empty })
  })
}

/** Returns the table of a grid in the widest display that fits; undefined if none fits. */
function fittingTable(grid: Grid, options: GridTableOptions, labels: Labels): Table | undefined {
  const { width = Infinity } = options
  return tablesOf(grid, options, labels).find(
    (table) => figuresWidth(table) + Math.min(namesWidth(table), readableWidth) <= width,
  )
}

/** Returns the table of a grid in each display, the widest first. */
function tablesOf(
  grid: Grid,
  { duration, narrowDuration = duration }: GridTableOptions,
  labels: Labels,
): [wide: Table, narrow: Table] {
  const heading = (column: GridColumn) => shortHeading(grid.columnsBy, column)
  const wide = { grid, display: { heading, duration }, ...labels }
  const narrow = { heading: narrowHeadings(grid), duration: narrowDuration }
  return [wide, { ...wide, display: narrow }]
}

function slicedTables(grid: Grid, options: GridTableOptions): Table[] {
  if (grid.columnsBy !== 'day') return rangeTables(grid, { start: 0, end: grid.columns.length }, options)
  return weekSlices(grid, options.weekStart).flatMap((week) => {
    const part = sliceGrid(grid, week)
    if (!hasEntry(part.total)) return []
    const whole = fittingTable(part, options, { heading: week.label })
    return whole ? [whole] : rangeTables(grid, week, options)
  })
}

/** Returns as few tables of a range of columns as possible, without those that have no entry. */
function rangeTables(grid: Grid, range: Omit<Slice, 'label'>, options: GridTableOptions): Table[] {
  const { width = Infinity } = options
  const whole = tablesOf(sliceGrid(grid, { ...range, label: '' }), options, {})
  const [size, narrowSize] = whole.map(({ grid, display }) => {
    const [names = 0, ...figures] = columnWidths(grid, display)
    const room = width - Math.min(names, readableWidth) - (figures.at(-1) ?? 0) - gap
    return Math.max(1, Math.floor(room / (Math.max(...figures.slice(0, -1)) + gap)))
  })
  const [slices, narrowSlices] = [size, narrowSize].map((columns = 1) => evenSlices(grid, columns, range))
  const isNarrow = narrowSlices && slices && narrowSlices.length < slices.length
  return ((isNarrow ? narrowSlices : slices) ?? []).flatMap((slice) => {
    const part = sliceGrid(grid, slice)
    const [wide, narrow] = tablesOf(part, options, { heading: slice.label })
    return hasEntry(part.total) ? [isNarrow ? narrow : wide] : []
  })
}

/** Returns the totals of the rows; those of days with the sum of each week, if that fits. */
function totalsTable(grid: Grid, options: GridTableOptions): Table {
  const labels = { heading: 'Total' }
  const weeks = grid.columnsBy === 'day' ? weekGrid(grid, options.weekStart) : undefined
  const whole = weeks && fittingTable(weeks, options, labels)
  return whole ?? tablesOf(withoutColumns(grid), options, labels)[0]
}

function withView(
  { grid, display, heading }: Table,
  nameWidth: number,
  texts: Pick<View<GridRow>, 'footer' | 'empty'>,
): RowsWithView {
  const { columns, json } = gridView(grid, display)
  const [names, ...figures] = columns
  const view = {
    columns: names ? [{ ...names, minWidth: nameWidth }, ...figures] : figures,
    json,
    ...texts,
  }
  return { view, rows: rowsWithTotal(grid), ...(heading ? { heading } : {}) }
}

/** Returns the width of the widest name in cells. */
function namesWidth({ grid, display }: Table): number {
  return columnWidths(grid, display)[0] ?? 0
}

/** Returns the width of all columns but the first, with the gaps before them. */
function figuresWidth({ grid, display }: Table): number {
  return columnWidths(grid, display)
    .slice(1)
    .reduce((sum, width) => sum + width + gap, 0)
}

function columnWidths(grid: Grid, display: GridDisplay): number[] {
  const rows = rowsWithTotal(grid)
  return gridView(grid, display).columns.map(({ title, text }) =>
    Math.max(
      displayWidth(title),
      ...rows.map((row) => displayWidth(escapeText(text?.(row, plainStyle, false) ?? ''))),
    ),
  )
}
