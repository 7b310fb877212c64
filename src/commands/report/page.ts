import { formatDateTime } from '../../calendar/time.js'
import type { Entry } from '../../entries/entry.js'
import { heatMaps } from '../../report/charts/heat.js'
import { shares } from '../../report/charts/shares.js'
import { type Comparison, compareReports } from '../../report/comparison.js'
import { decimalHours } from '../../report/decimal-hours.js'
import { displayedReport } from '../../report/displayed-report.js'
import { billableParts, type Report, targetBalance } from '../../report/report-model.js'
import { checkFilterNames } from '../shared/unknown-names.js'
import { barsOf, seriesDimension } from './charts.js'
import { readReport, withFirstDay } from './compare.js'
import { pageComparison } from './comparison-page.js'
import { hasOverlappingGroups, overlapNote, roundingNote } from './footer.js'
import { pageTables } from './grid/grid-page.js'
import { createGridTally, displayedGrid } from './grid/grid-report.js'
import { entryDetails } from './page-entries.js'
import { type HeaderOptions, headerOf } from './page-header.js'
import { gridWithinLimit, reportWithinLimit } from './page-limits.js'
import type { ReportContext } from './report-context.js'
import type { ReportQuery } from './report-query.js'

export interface PageOptions extends HeaderOptions {
  /** Which entries the page lists; as many as fit by default. */
  entries?: string
  /** Whether the page has a grid. */
  grid?: boolean
}

export interface PageQueries {
  query: ReportQuery
  /** The same query on the period to compare with; undefined for a page without a comparison. */
  compared: ReportQuery | undefined
}

/** Yields a self-contained HTML page in chunks. */
export async function* reportPageText(
  ctx: ReportContext,
  { query, compared }: PageQueries,
  options: PageOptions,
): AsyncGenerator<string> {
  const grid = options.grid ? createGridTally(query, ctx.now) : undefined
  const [main, days, series] = [
    query.tally(),
    query.tally(['day', seriesDimension(query)]),
    query.tally([seriesDimension(query)]),
  ]
  const entries: Entry[] = []
  for await (const batch of query.entries()) {
    for (const entry of batch) {
      for (const tally of [main, days, series, grid]) tally?.add(entry)
      entries.push(entry)
    }
  }
  const [byDay, whole] = [query.report(days), query.report(series)]
  const { grid: completeGrid, rowReport } = grid?.result() ?? {}
  // Beside a grid, the page shows the totals of the rows; without rows, the columns are its groups.
  const complete = rowReport && rowReport.by.length > 0 ? rowReport : query.report(main)
  const limited = reportWithinLimit(complete)
  const { report } = limited
  const limitedGrid = completeGrid && gridWithinLimit(completeGrid, query.weekStart)
  const exactGrid = limitedGrid?.grid
  const comparison = compared && (await compareWith(compared, complete))
  await checkFilterNames(ctx, options, entries.length + (comparison?.compared.count ?? 0))
  const reports = [report, byDay, whole, ...(comparison ? [comparison.compared] : [])]
  const { display, isDecimalHours } = query.durations(reports, exactGrid)
  const displayed = displayedReport(report, display)
  const { days: details, ...entryTable } = entryDetails(entries, query, ctx.now, {
    display,
    hasHours: !isDecimalHours,
  })
  const { reportPage } = await import('../../ui/page/page.js')
  yield* reportPage({
    ...(await headerOf(ctx, options, { query, report, entries })),
    createdAt: formatDateTime(ctx.now),
    // The average of a filter says nothing about a working day.
    report: query.isFiltered ? { ...displayed, averageSeconds: null } : displayed,
    billableParts: report.isBilled ? billableParts(displayed) : undefined,
    targetBalance: targetBalance(displayed),
    roundingNote:
      [roundingNote(report), hasOverlappingGroups(report) && overlapNote].filter(Boolean).join(' ') ||
      undefined,
    omittedGroups: limited.omission,
    comparison: comparison && pageComparison(comparison, display),
    grid: exactGrid && pageTables(displayedGrid(exactGrid, query.settings, display), query.weekStart),
    omittedRows: limitedGrid?.omission,
    bars: barsOf(query, byDay, whole, display),
    heatMaps: heatMaps(byDay, query.weekStart, display),
    shares: shares(whole.groups, display),
    sharesBy: seriesDimension(query),
    hasDecimalDurations: isDecimalHours,
    ...entryTable,
    days: options.entries === 'none' ? undefined : details,
    hasAllEntries: options.entries === 'all',
    duration: (seconds) => display.format(seconds),
    hours: (seconds) => (isDecimalHours ? display.format(seconds) : decimalHours(seconds)),
  })
}

async function compareWith(query: ReportQuery, current: Report): Promise<Comparison> {
  const compared = await readReport(query)
  return compareReports(withFirstDay(current), withFirstDay(compared), query.weekStart)
}
