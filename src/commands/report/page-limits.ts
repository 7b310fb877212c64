import type { Weekday } from '../../lib/calendar/day.js'
import type { ComparedGroup } from '../../report/comparison.js'
import { addCells, type Grid, type GridRow } from '../../report/grid/grid.js'
import {
  type LimitedTree,
  limitComparedGroups,
  limitGroups,
  limitTree,
  othersLabel,
} from '../../report/limits.js'
import type { Report } from '../../report/report-model.js'
import type { Omission } from '../../ui/page/page-model.js'
import { pageTables } from './grid/grid-page.js'

/** Upper bound for the rows of the table of groups, and for those of a grid. */
const maxRows = 2000

/** Upper bound for the size of the table of groups, and for that of a grid. The list of entries has the rest of the page. */
const maxBytes = 1_000_000

/** About how many bytes of markup a row of groups, a row of a grid and a cell of a grid have, without their names. */
const bytesOf = { group: 360, row: 110, cell: 28 }

/** Returns the report with as many groups as a page shows; the rest are combined, so that totals stay the same. */
export function reportWithinLimit(report: Report): { report: Report; omission: Omission | undefined } {
  const limited = withinLimit((max) => {
    const { nodes, ...counts } = limitGroups(report.groups, max)
    return { value: nodes, bytes: groupsBytes(nodes), counts }
  })
  return { report: { ...report, groups: limited.value }, omission: limited.omission }
}

/** Returns the grid with as many rows as a page shows; the rest are combined, so that totals stay the same. */
export function gridWithinLimit(
  grid: Grid,
  weekStart: Weekday,
): { grid: Grid; omission: Omission | undefined } {
  const limited = withinLimit((max) => {
    const { grid: value, ...counts } = limitRows(grid, max)
    return { value, bytes: gridBytes(value, weekStart), counts }
  })
  return { grid: limited.value, omission: limited.omission }
}

/** Returns the groups of a comparison with as many as a page shows; the rest are combined. */
export function comparedGroupsWithinLimit(groups: readonly ComparedGroup[]): {
  groups: ComparedGroup[]
  omission: Omission | undefined
} {
  const limited = withinLimit((max) => {
    const { nodes, ...counts } = limitComparedGroups(groups, max)
    // A group has a row in the table of durations and one in that of amounts.
    return { value: nodes, bytes: 2 * groupsBytes(nodes), counts }
  })
  return { groups: limited.value, omission: limited.omission }
}

/** Halves the number of rows until they are small enough. */
function withinLimit<Value>(limit: (max: number) => { value: Value; bytes: number; counts: Omission }): {
  value: Value
  omission: Omission | undefined
} {
  for (let max = maxRows; ; max = Math.floor(max / 2)) {
    const { value, bytes, counts } = limit(max)
    if (bytes <= maxBytes || max === 0) return { value, omission: counts.omitted > 0 ? counts : undefined }
  }
}

interface LabelledGroup {
  label: string
  groups: readonly LabelledGroup[]
}

function groupsBytes(groups: readonly LabelledGroup[]): number {
  return groups.reduce(
    (sum, { label, groups }) => sum + bytesOf.group + Buffer.byteLength(label) + groupsBytes(groups),
    0,
  )
}

function gridBytes(grid: Grid, weekStart: Weekday): number {
  const rows = pageTables(grid, weekStart).flatMap(({ grid }) => [...grid.rows, grid.total])
  return rows.reduce(
    (sum, { label, cells }) =>
      sum + bytesOf.row + Buffer.byteLength(label) + (cells.length + 1) * bytesOf.cell,
    0,
  )
}

interface RowNode {
  row: GridRow
  groups: RowNode[]
}

/** Returns a grid with about `max` rows; the rest are combined into rows such as "98,000 others", with their sums. */
export function limitRows(grid: Grid, max: number): { grid: Grid } & Omit<LimitedTree<GridRow>, 'nodes'> {
  const { nodes, ...counts } = limitTree(nested(grid.rows), max, (others) => ({
    row: mergeRows(others.map(({ row }) => row)),
    groups: [],
  }))
  return { grid: { ...grid, rows: flat(nodes) }, ...counts }
}

function nested(rows: readonly GridRow[]): RowNode[] {
  const roots: RowNode[] = []
  const open = [roots]
  for (const row of rows) {
    const node: RowNode = { row, groups: [] }
    open[row.depth]?.push(node)
    open[row.depth + 1] = node.groups
  }
  return roots
}

function flat(nodes: readonly RowNode[]): GridRow[] {
  return nodes.flatMap(({ row, groups }) => [{ ...row, isParent: groups.length > 0 }, ...flat(groups)])
}

function mergeRows(rows: readonly GridRow[]): GridRow {
  const [first] = rows
  if (!first) throw new Error('There are no rows to combine.')
  return {
    label: othersLabel(rows.length),
    depth: first.depth,
    isParent: false,
    running: rows.some(({ running }) => running),
    path: [...first.path.slice(0, -1), null],
    cells: addCells(
      rows.map(({ cells }) => cells),
      first.cells.length,
    ),
    seconds: rows.reduce((sum, { seconds }) => sum + seconds, 0),
  }
}
