import { type Day, dayOf, weekday } from '../../../lib/calendar/day.js'
import type { DurationDisplay } from '../../../lib/calendar/duration-display.js'
import type { Period } from '../../../lib/calendar/period.js'
import { TtError } from '../../../lib/errors.js'
import { once } from '../../../lib/once.js'
import type { EntryFilterOptions } from '../../../program/options/entry-filters.js'
import { calendarDimensions, type Dimension } from '../../../records/report-names.js'
import { displayedReport } from '../../../report/displayed-report.js'
import { roundGrid } from '../../../report/grid/controlled-rounding.js'
import { type Grid, gridColumns, gridOf, splitDimensions } from '../../../report/grid/grid.js'
import { withoutEmptyColumns } from '../../../report/grid/slices.js'
import type { Group, Report } from '../../../report/report-model.js'
import type { Entry } from '../../../tracking/entries/entry.js'
import type { Style, Summary } from '../../../ui/view.js'
import { checkFilterNames } from '../../shared/unknown-names.js'
import { emptyText, type ReportDurations, reportSummary } from '../../views/reports/report-summary.js'
import { reportFooter } from '../footer.js'
import type { ReportContext, ReportQuery } from '../report-query.js'
import { gridTables } from './grid-tables.js'
import { flatGridRows, flatGridView, gridView, narrowDuration, rowsWithTotal } from './grid-view.js'

/** A grid in exact seconds. */
interface GridResult {
  grid: Grid
  /** The report by the groupings of the rows. Its totals are those of the grid, also where groups are rounded. */
  rowReport: Report
}

/** A grid and the report with all groupings of the query, in their order. */
interface ReportGrid extends GridResult {
  report: Report
}

/** Runs a query and returns its grid in all formats. Throws TtError `usage` like `readGrid`. */
export async function gridReport(
  ctx: ReportContext,
  query: ReportQuery,
  filters: EntryFilterOptions,
): Promise<{ report: Report; durations: ReportDurations; summary: Summary }> {
  const result = await readGrid(ctx, query)
  await checkFilterNames(ctx, filters, result.report.count)
  const durations = query.durations([result.report], result.grid)
  return { report: result.report, durations, summary: gridSummary(result, query, durations) }
}

/** Reads the entries of a query. Throws TtError `usage` like `createGridTally`. */
async function readGrid(ctx: ReportContext, query: ReportQuery): Promise<ReportGrid> {
  const [tally, gridTally] = [query.tally(), createGridTally(query, ctx.now)]
  for await (const entries of query.entries({ forTotals: true }))
    for (const entry of entries) for (const one of [tally, gridTally]) one.add(entry)
  return { report: query.report(tally), ...gridTally.result() }
}

/** Sums up entries as a grid. */
interface GridTally {
  /** The groupings of the rows. */
  by: readonly Dimension[]
  add(entry: Entry): void
  /** Throws TtError `usage` for a grid with too many cells. */
  result(): GridResult
}

/** Upper bound for the cells of a grid, which are in memory at once. */
const maxCells = 5_000_000

/** Creates an empty tally. Throws TtError `usage` if no grouping of the query can become the columns. */
export function createGridTally(query: ReportQuery, now: Date): GridTally {
  const dimensions = splitDimensions(query.by)
  if (!dimensions) {
    throw new TtError('usage', 'A grid requires a unit of the calendar in --by, which becomes the columns.', {
      hint: `Add one of ${calendarDimensions.join(', ')}, such as --by ${[...query.by, 'day'].join(',')}.`,
    })
  }
  const { rows, columns } = dimensions
  const tally = query.tally([...rows, columns])
  const base = rows.includes('tag')
    ? query.tally([...rows.slice(0, rows.indexOf('tag')), columns])
    : undefined
  const days = new DayExtent(query, now)
  return {
    by: rows,
    add(entry) {
      for (const one of [tally, days, base]) one?.add(entry)
    },
    result() {
      const allColumns = gridColumns(columns, days, query.weekStart)
      const report = query.report(tally)
      checkSize(countRows(report.groups, rows.length), allColumns.length)
      const above = base && query.report(base)
      const rowReport = { ...(above ?? report), by: rows, groups: outerGroups(report.groups, rows.length) }
      return { grid: gridOf(report, allColumns, above), rowReport }
    },
  }
}

/** Returns groups without those below this number of levels. */
function outerGroups(groups: readonly Group[], levels: number): Group[] {
  if (levels === 0) return []
  return groups.map((group) => ({ ...group, groups: outerGroups(group.groups, levels - 1) }))
}

function countRows(groups: readonly Group[], levels: number): number {
  if (levels === 0) return 0
  return groups.reduce((sum, { groups }) => sum + 1 + countRows(groups, levels - 1), 0)
}

function checkSize(rows: number, columns: number) {
  if (rows * columns <= maxCells) return
  const [rowsText, columnsText] = [rows, columns].map((count) => count.toLocaleString('en'))
  throw new TtError('usage', `The grid is too large: ${rowsText} rows and ${columnsText} columns.`, {
    hint: 'Choose a shorter period, a longer unit such as month for the columns, or fewer groups.',
  })
}

/** The days from the first to the last of a period; where it has no bound, those of the entries. */
class DayExtent implements Period {
  readonly #now: Date
  readonly #period: Partial<Period>
  first: Day
  last: Day

  constructor({ days: { first, last }, days }: ReportQuery, now: Date) {
    this.#now = now
    this.#period = days
    const today = dayOf(now)
    this.first = first ?? (last !== undefined && last < today ? last : today)
    this.last = last ?? (first !== undefined && first > today ? first : today)
  }

  add({ start, end }: Entry) {
    const period = this.#period
    const lastMs = Math.max(start.getTime(), (end ?? this.#now).getTime() - 1)
    const [first, last] = [dayOf(start), dayOf(new Date(lastMs))]
    if (period.first === undefined && first < this.first) this.first = first
    if (period.last === undefined && last > this.last) this.last = last
  }
}

/** Returns the forms of a grid, each created when it is read. JSON and NDJSON are those of the report. */
function gridSummary(
  { report, rowReport, grid: exact }: ReportGrid,
  { weekStart, settings }: Pick<ReportQuery, 'weekStart' | 'settings'>,
  durations: ReportDurations,
): Summary {
  const { display, isChosen } = durations
  const ofReport = once(() => reportSummary(report, durations))
  const shown = once(() => displayedGrid(exact, settings, display))
  const empty = emptyText(report)
  const duration = (seconds: number) => display.format(seconds)
  const footer = (style: Style) => reportFooter(displayedReport(rowReport, display), display, style)
  return {
    get record() {
      return ofReport().record
    },
    get tree() {
      const view = gridView(shown(), { heading: ({ label }) => label, duration })
      return {
        view: { ...view, footer: (_: unknown, style: Style) => footer(style), empty },
        rows: rowsWithTotal(shown()),
      }
    },
    tables: (width) => {
      const narrow = isChosen ? {} : { narrowDuration }
      return gridTables(shown(), { width, weekStart, duration, ...narrow, footer, empty })
    },
    get flat() {
      return { view: { ...flatGridView(exact), empty }, rows: flatGridRows(exact) }
    },
    get csv() {
      if (!isChosen) return this.flat
      const grid = roundedGrid(exact, display)
      const view = flatGridView(grid, (seconds) => display.formatPlain(seconds))
      return { view: { ...view, empty }, rows: flatGridRows(grid) }
    },
    get ndjson() {
      return ofReport().flat
    },
  }
}

/** Returns a grid in displayed minutes, without days off that have no entry. */
export function displayedGrid(
  exact: Grid,
  { workingDays }: ReportQuery['settings'],
  display: DurationDisplay,
): Grid {
  const grid = roundedGrid(exact, display)
  const isDayOff = ({ first }: { first: Day }) => !workingDays.includes(weekday(first))
  return grid.columnsBy === 'day' ? withoutEmptyColumns(grid, isDayOff) : grid
}

/** Returns a grid in steps of the display that add up in rows and columns; seconds below a minute are not rounded. */
function roundedGrid(exact: Grid, display: DurationDisplay): Grid {
  return roundGrid(exact, display.stepsPerHour, display.rounded(exact.total.seconds))
}
