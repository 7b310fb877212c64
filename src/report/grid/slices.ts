import type { Weekday } from '../../lib/calendar/day.js'
import { calendarKey } from '../keys.js'
import { addCells, type Grid, type GridColumn, type GridRow, sumOf } from './grid.js'

/** Consecutive columns of a grid, from `start` up to but not including `end`. */
export interface Slice {
  label: string
  start: number
  end: number
}

/** Returns the columns of each week. */
export function weekSlices({ columns }: Grid, weekStart: Weekday): Slice[] {
  const slices: Slice[] = []
  let current: string | undefined
  for (const [index, { first }] of columns.entries()) {
    const { key, label } = calendarKey('week', first, weekStart)
    const slice = slices.at(-1)
    if (slice && key === current) slice.end = index + 1
    else slices.push({ label, start: index, end: index + 1 })
    current = key ?? undefined
  }
  return slices
}

/** Divides a range of columns into as few slices of about the same size as possible, with at most `size` columns each. */
export function evenSlices({ columns }: Grid, size: number, { start, end }: Omit<Slice, 'label'>): Slice[] {
  const count = Math.ceil((end - start) / size)
  return Array.from({ length: count }, (_, index) => {
    const from = start + Math.floor((index * (end - start)) / count)
    const to = start + Math.floor(((index + 1) * (end - start)) / count)
    return { label: rangeLabel(columns[from], columns[to - 1]), start: from, end: to }
  })
}

function rangeLabel(first: GridColumn | undefined, last: GridColumn | undefined): string {
  const [from, to] = [first?.key ?? '', last?.key ?? '']
  return from === to ? from : `${from} to ${to}`
}

/** Returns the columns of one slice, with the rows that have an entry in them. */
export function sliceGrid(grid: Grid, { start, end }: Slice): Grid {
  const cut = (row: GridRow): GridRow => {
    const cells = row.cells.slice(start, end)
    return { ...row, cells, seconds: sumOf(cells) }
  }
  return {
    ...grid,
    columns: grid.columns.slice(start, end),
    rows: grid.rows.map(cut).filter(hasEntry),
    total: cut(grid.total),
  }
}

/** Returns a grid of days with one column for each week. */
export function weekGrid(grid: Grid, weekStart: Weekday): Grid {
  const slices = weekSlices(grid, weekStart)
  const merge = (row: GridRow): GridRow => ({
    ...row,
    cells: slices.flatMap(({ start, end }) => {
      const days = row.cells.slice(start, end).map((cell) => [cell])
      return addCells(days, 1)
    }),
  })
  const columns = slices.flatMap(({ start, end }) => {
    const [first, last] = [grid.columns[start], grid.columns[end - 1]]
    if (!first || !last) return []
    const { key, identity, label } = calendarKey('week', first.first, weekStart)
    return [{ key: key ?? identity, label, first: first.first, last: last.last }]
  })
  return { ...grid, columnsBy: 'week', columns, rows: grid.rows.map(merge), total: merge(grid.total) }
}

/** Returns the grid without columns: each row has its sum only. */
export function withoutColumns(grid: Grid): Grid {
  const cut = (row: GridRow): GridRow => ({ ...row, cells: [] })
  return { ...grid, columns: [], rows: grid.rows.map(cut), total: cut(grid.total) }
}

/** Returns the grid without the columns for which `isOptional` holds and no row has an entry. */
export function withoutEmptyColumns(grid: Grid, isOptional: (column: GridColumn) => boolean): Grid {
  const isShown = grid.columns.map((column, index) => grid.total.cells[index] !== null || !isOptional(column))
  const keep = <Item>(items: readonly Item[]) => items.filter((_, index) => isShown[index])
  const cut = (row: GridRow): GridRow => ({ ...row, cells: keep(row.cells) })
  return { ...grid, columns: keep(grid.columns), rows: grid.rows.map(cut), total: cut(grid.total) }
}

/** Returns a grid of days of one month without those that have no entry; any other grid unchanged. */
export function compactGrid(grid: Grid): Grid {
  const [first = '', last = ''] = [grid.columns[0]?.first, grid.columns.at(-1)?.last]
  const isOneMonth = grid.columnsBy === 'day' && first.slice(0, 7) === last.slice(0, 7)
  return isOneMonth ? withoutEmptyColumns(grid, () => true) : grid
}

export function hasEntry({ cells }: GridRow): boolean {
  return cells.some((cell) => cell !== null)
}
