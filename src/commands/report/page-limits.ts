import type { Weekday } from '../../lib/calendar/day.js'
import type { ComparedGroup } from '../../report/comparison.js'
import type { Grid } from '../../report/grid/grid.js'
import { limitComparedGroups, limitGroups } from '../../report/limits/limit-groups.js'
import { limitRows } from '../../report/limits/limit-rows.js'
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
