import { type Day, eachDay, type Weekday } from '../../lib/calendar/day.js'
import type { Period } from '../../lib/calendar/period.js'
import type { CalendarDimension, Dimension } from '../../records/report-names.js'
import { calendarKey, isOfCalendar } from '../keys.js'
import type { Group, Report } from '../report-model.js'

/** A day, week, month or other unit of the calendar. */
export interface GridColumn {
  /** See `Group`. */
  key: string
  label: string
  /** The first and the last day of the column within the period; for weekdays, the first and last such day. */
  first: Day
  last: Day
}

/** The time of one group, or of all groups, in each column. */
export interface GridRow {
  label: string
  /** From 0 for the outermost groups. */
  depth: number
  isParent: boolean
  running: boolean
  /** The keys of the groups from the outermost to this one. */
  path: readonly (string | null)[]
  /** The time in each column in seconds; null without an entry. */
  cells: readonly (number | null)[]
  /** The sum of the cells in seconds. */
  seconds: number
}

/**
 * A table of time: groups by units of the calendar. Each parent row is the sum of the rows below it, and `total` is the
 * sum of the outermost rows; except above tags, whose rows overlap.
 */
export interface Grid {
  /** The groupings of the rows, from the outermost. */
  by: readonly Dimension[]
  columnsBy: CalendarDimension
  columns: readonly GridColumn[]
  /** Parents precede their subgroups. */
  rows: readonly GridRow[]
  total: GridRow
  /** Whether it has no entry at all. */
  isEmpty: boolean
}

/** Returns the last calendar dimension, which becomes the columns, and the others; undefined without one. */
export function splitDimensions(
  by: readonly Dimension[],
): { rows: Dimension[]; columns: CalendarDimension } | undefined {
  const columns = by.filter(isOfCalendar).at(-1)
  return columns && { rows: by.filter((dimension) => dimension !== columns), columns }
}

/** Returns the columns of all days of a period, in the order of the calendar. */
export function gridColumns(
  dimension: CalendarDimension,
  { first, last }: Period,
  weekStart: Weekday,
): GridColumn[] {
  const columns = new Map<string, GridColumn>()
  for (const day of eachDay(first, last)) {
    const { identity, key, label } = calendarKey(dimension, day, weekStart)
    const column = columns.get(identity)
    if (column) column.last = day
    else columns.set(identity, { key: key ?? identity, label, first: day, last: day })
  }
  return [...columns].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, column]) => column)
}

/** Returns the depth of the rows of tags, which overlap; undefined without such rows. */
export function overlapDepth({ by }: Pick<Grid, 'by'>): number | undefined {
  const depth = by.indexOf('tag')
  return depth < 0 ? undefined : depth
}

/**
 * Returns the grid of a report whose innermost groups are the columns. `base` is the report without tags and the
 * groupings below them, if the report has tags. Without rounding, the rounded durations of a report
 * equal the exact ones, so a grid always shows the rounded ones.
 */
export function gridOf(report: Report, columns: readonly GridColumn[], base?: Report): Grid {
  const by = report.by.slice(0, -1)
  const columnsBy = report.by.at(-1)
  if (!columnsBy || !isOfCalendar(columnsBy)) throw new Error('The innermost groups are not of the calendar.')
  const indexByKey = new Map(columns.map(({ key }, index) => [key, index]))
  const depthOfTags = overlapDepth({ by })
  type Head = Omit<GridRow, 'cells' | 'seconds'>
  const rowOf = (groups: readonly Group[], row: Head, own: readonly Group[] = []): GridRow[] => {
    const isLeaf = row.path.length === by.length
    const below = (isLeaf ? [] : groups).map((group) =>
      rowOf(group.groups, rowHead(group, row.path, by.length), sameGroup(own, group)),
    )
    const children = below.map(([child]) => child?.cells ?? [])
    const isAboveTags = row.path.length === depthOfTags
    const cells =
      isLeaf || isAboveTags
        ? leafCells(isLeaf ? groups : own, indexByKey)
        : addCells(children, columns.length)
    return [{ ...row, cells, seconds: sumOf(cells) }, ...below.flat()]
  }
  const head = { label: 'Total', depth: 0, isParent: true, running: false, path: [] }
  const [total, ...rows] = rowOf(report.groups, head, base?.groups)
  if (!total) throw new Error('A grid has a total.')
  return { by, columnsBy, columns, rows, total, isEmpty: report.count === 0 }
}

/** Returns the subgroups of the group with the same key and ID. */
function sameGroup(groups: readonly Group[], { key, id }: Group): readonly Group[] | undefined {
  return groups.find((group) => group.key === key && group.id === id)?.groups
}

function rowHead({ label, running, key }: Group, parents: GridRow['path'], levels: number) {
  const path = [...parents, key]
  return { label, depth: parents.length, isParent: path.length < levels, running, path }
}

function leafCells(groups: readonly Group[], indexByKey: ReadonlyMap<string, number>): GridRow['cells'] {
  const cells: (number | null)[] = new Array(indexByKey.size).fill(null)
  for (const { key, roundedSeconds } of groups) {
    const index = indexByKey.get(key ?? '')
    if (index === undefined) throw new Error(`The grid has no column for ${key}.`)
    cells[index] = roundedSeconds
  }
  return cells
}

/** Adds up rows column by column; null only where all are null. */
export function addCells(rows: readonly GridRow['cells'][], length: number): (number | null)[] {
  const sums: (number | null)[] = new Array(length).fill(null)
  for (const cells of rows)
    for (const [index, cell] of cells.entries()) if (cell !== null) sums[index] = (sums[index] ?? 0) + cell
  return sums
}

/** Returns the durations of a grid, to choose the decimal places of exact ones. */
export function durationsOfGrid({ rows, total }: Grid): number[] {
  return [...rows, total].flatMap(({ cells, seconds }) => [seconds, ...cells.filter((cell) => cell !== null)])
}

export function sumOf(cells: GridRow['cells']): number {
  return cells.reduce<number>((sum, cell) => sum + (cell ?? 0), 0)
}
