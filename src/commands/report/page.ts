import { dayOf } from '../../lib/calendar/day.js'
import { dateText, periodText } from '../../lib/calendar/period-text.js'
import { formatTime } from '../../lib/calendar/time.js'
import { replaceTags } from '../../lib/text/tags.js'
import type { Dimension } from '../../records/report-names.js'
import type { BarChart } from '../../report/charts/chart-model.js'
import { heatMaps } from '../../report/charts/heat.js'
import { shares } from '../../report/charts/shares.js'
import { decimalHours } from '../../report/decimal-hours.js'
import { billedReport, displayedReport } from '../../report/displayed-report.js'
import type { Grid } from '../../report/grid/grid.js'
import { addAmounts } from '../../report/rates.js'
import { billableParts, type Report, targetBalance } from '../../report/report-model.js'
import type { Entry } from '../../tracking/entries/entry.js'
import type { PageModel } from '../../ui/page/page-model.js'
import { checkFilterNames } from '../shared/unknown-names.js'
import { barsOf, seriesDimension } from './charts.js'
import { compareWith, readReport } from './compare.js'
import { pageComparison } from './comparison-page.js'
import { hasOverlappingGroups, overlapNote, roundingNote, unratedNote } from './footer.js'
import { pageTables } from './grid/grid-page.js'
import { createGridTally, displayedGrid } from './grid/grid-report.js'
import { entryDetails } from './page-entries.js'
import { clientExpenses, namesClients, pageExpenses } from './page-expenses.js'
import { headerOf, onlyClient } from './page-header.js'
import { withPageLabels } from './page-labels.js'
import { gridWithinLimit, reportWithinLimit } from './page-limits.js'
import type { ReportContext, ReportInput, ReportQuery } from './report-query.js'

export interface PageQueries {
  query: ReportQuery
  /** The same query on the period to compare with; undefined for a page without a comparison. */
  compared: ReportQuery | undefined
}

/** Yields a self-contained HTML page in chunks. */
export async function* reportPageText(
  ctx: ReportContext,
  { query, compared }: PageQueries,
  options: ReportInput['options'],
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
  const expenses = await clientExpenses(ctx, query, options)
  const recipient = onlyClient(entries, expenses)
  const isForClient = recipient !== null || namesClients(options)
  const total = query.report(main)
  const showsBilled = showsBilledTime(options, total)
  const shown = (report: Report) => (showsBilled ? billedReport(report) : report)
  const textOf = isForClient ? withoutTagMarks : (text: string) => text
  const words = { weekStart: query.weekStart, textOf }
  const byDay = shown(query.report(days))
  const unnamed = shown(query.report(series))
  const whole = { ...unnamed, groups: withPageLabels(unnamed.groups, words) }
  const { grid: completeGrid, rowReport } = grid?.result() ?? {}
  // Beside a grid, the page shows the totals of the rows; without rows, the columns are its groups.
  const complete = shown(rowReport && rowReport.by.length > 0 ? rowReport : total)
  const limited = reportWithinLimit({ ...complete, groups: withPageLabels(complete.groups, words) })
  const { report } = limited
  const limitedGrid = completeGrid && gridWithinLimit(withTexts(completeGrid, textOf), query.weekStart)
  const exactGrid = limitedGrid?.grid
  const other = compared && shown(await readReport(compared))
  await checkFilterNames(ctx, options, entries.length + expenses.length + (other?.count ?? 0))
  const reports = [report, byDay, whole, ...(other ? [other] : [])]
  const { display, isDecimalHours } = query.durations(reports, exactGrid)
  if (isForClient) for (const note of unratedNote(total, display)) ctx.terminal.warn(note)
  // The average of a filter says nothing about a working day.
  const displayed = displayedReport(query.isFiltered ? { ...report, averageSeconds: null } : report, display)
  // Rounded groups say nothing about the billed time of single entries, days or other groups.
  const hasDetails = !showsBilled || query.roundsEntries
  const { days: details, ...entryTable } = entryDetails(entries, query, ctx.now, {
    display,
    hasHours: !isDecimalHours,
    hasBothTimes: !showsBilled && total.rounding?.of === 'entries',
    hasClockTimes: !showsBilled,
    textOf,
  })
  const bars = hasDetails ? barsOf(query, byDay, whole, display, periodText) : undefined
  const spent = pageExpenses(expenses, query, textOf)
  const { reportPage } = await import('../../ui/page/page.js')
  yield* reportPage({
    ...(await headerOf(ctx, options, { query, report: total, entries, isForClient, recipient })),
    createdAt: createdText(ctx.now, showsBilled),
    isForClient,
    report: displayed,
    expenses: spent,
    amounts: addAmounts(report.amounts, spent?.amounts ?? []),
    billableParts: report.isBilled ? billableParts(displayed.displayed) : undefined,
    targetBalance: targetBalance(displayed.displayed),
    roundingNote: isForClient ? undefined : noteOf(total),
    omittedGroups: limited.omission,
    comparison: other && pageComparison(compareWith(complete, other, query, display), display, words),
    grid: exactGrid && pageTables(displayedGrid(exactGrid, query.settings, display), query.weekStart),
    omittedRows: limitedGrid?.omission,
    bars,
    heatMaps: hasDetails ? heatMaps(byDay, query.weekStart, display) : [],
    shares: hasDetails ? shares(whole.groups, display) : [],
    sharesBy: seriesDimension(query),
    seriesOf: seriesFinder(bars, seriesDimension(query)),
    hasDecimalDurations: isDecimalHours,
    ...entryTable,
    days: options.entries === 'none' || !hasDetails ? undefined : details,
    hasAllEntries: options.entries === 'all',
    duration: (seconds) => display.format(seconds),
    hours: (seconds) => (isDecimalHours ? display.format(seconds) : decimalHours(seconds)),
  })
}

/** Whether the page shows only billed time: by `--show`, by default for the clients of `--client` if time is rounded. */
function showsBilledTime(options: ReportInput['options'], { rounding }: Report): boolean {
  if (options.show !== undefined) return options.show === 'billed'
  return rounding !== null && namesClients(options)
}

/** Returns when the page was created, without the time of day on a page without times of day. */
function createdText(now: Date, showsBilled: boolean): string {
  const date = dateText(dayOf(now))
  return showsBilled ? date : `${date}, ${formatTime(now)}`
}

function withTexts(grid: Grid, textOf: (text: string) => string): Grid {
  return { ...grid, rows: grid.rows.map((row) => ({ ...row, label: textOf(row.label) })) }
}

/** Returns text with its tags as words. */
function withoutTagMarks(text: string): string {
  return replaceTags(text, (tag) => tag.slice(1))
}

function noteOf(report: Report): string | undefined {
  const notes = [roundingNote(report), hasOverlappingGroups(report) && overlapNote]
  return notes.filter(Boolean).join(' ') || undefined
}

/** Returns a function that finds the series of a group in the bar chart; the last one has the smallest groups. */
function seriesFinder(chart: BarChart | undefined, by: Dimension): PageModel['seriesOf'] {
  const indexes = new Map(chart?.series.map(({ label }, index) => [label, index]))
  const rest = chart?.hasRest ? chart.series.length - 1 : undefined
  return (group) => (group.by === by ? (indexes.get(group.label) ?? rest) : undefined)
}
