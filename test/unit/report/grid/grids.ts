import type { Weekday } from '../../../../src/lib/calendar/day.js'
import type { Period } from '../../../../src/lib/calendar/period.js'
import type { CalendarDimension, Dimension } from '../../../../src/records/report-names.js'
import { type Grid, gridColumns, gridOf } from '../../../../src/report/grid/grid.js'
import type { Entry } from '../../../../src/tracking/entries/entry.js'
import { reportOf } from '../fixtures.js'

/** Returns the grid of entries; by default of projects by days, in weeks that begin on Monday. */
export function gridOfEntries(
  entries: readonly Entry[],
  { first, last }: Period,
  { rows = ['project'] as Dimension[], columns = 'day' as CalendarDimension, weekStart = 1 as Weekday } = {},
): Grid {
  const reportBy = (by: Dimension[]) => reportOf(entries, by, { first, last }, { weekStart })
  const tagLevel = rows.indexOf('tag')
  const base = tagLevel < 0 ? undefined : reportBy([...rows.slice(0, tagLevel), columns])
  return gridOf(reportBy([...rows, columns]), gridColumns(columns, { first, last }, weekStart), base)
}

/** Returns the rows of a grid and its total as lines, such as "  Website | 3600 - | 3600"; "-" is a cell without an entry. */
export function gridLines({ rows, total }: Grid): string[] {
  return [...rows, total].map(
    ({ label, depth, cells, seconds }) =>
      `${'  '.repeat(depth)}${label} | ${cells.map((cell) => cell ?? '-').join(' ')} | ${seconds}`,
  )
}
