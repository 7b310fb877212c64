import { formatDuration } from '../../calendar/duration.js'
import { formatDateTime } from '../../calendar/time.js'
import type { Context } from '../../cli/context.js'
import type { Entry } from '../../entries/entry.js'
import { heatMaps } from '../../report/charts/heat.js'
import { shares } from '../../report/charts/shares.js'
import { billableParts } from '../../report/model.js'
import { barsOf, seriesDimension } from './charts.js'
import { hasOverlappingGroups, overlapNote, roundingNote } from './footer.js'
import { createGridTally, displayedGrid } from './grid.js'
import { pageTables } from './grid-page.js'
import { type DurationTexts, entryDetails } from './page-entries.js'
import { type HeaderOptions, headerOf } from './page-header.js'
import type { ReportQuery } from './report-query.js'

export interface PageOptions extends HeaderOptions {
  /** Which entries the page lists; as many as fit by default. */
  entries?: string
  /** Whether the page has a grid. */
  grid?: boolean
}

/** Yields a self-contained HTML page in chunks. */
export async function* reportPageText(
  ctx: Context,
  query: ReportQuery,
  options: PageOptions,
): AsyncGenerator<string> {
  const grid = options.grid ? createGridTally(query, ctx.now) : undefined
  const [main, days, series] = [
    query.tally(grid && grid.by.length > 0 ? grid.by : query.by),
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
  const [report, byDay, whole] = [query.report(main), query.report(days), query.report(series)]
  const display: DurationTexts = { parts: (seconds) => [...seconds], format: formatDuration }
  const hours: DurationTexts = {
    parts: (seconds) => [...seconds],
    format: (seconds) => (seconds / 3600).toFixed(2),
  }
  const { days: details, ...entryTable } = entryDetails(entries, query, ctx.now, { duration: display, hours })
  const { reportPage } = await import('../../ui/page/page.js')
  yield* reportPage({
    ...(await headerOf(ctx, options, { query, report, entries })),
    createdAt: formatDateTime(ctx.now),
    // The average of a filter says nothing about a working day.
    report: query.isFiltered ? { ...report, averageSeconds: null } : report,
    billableParts: report.isBilled ? billableParts(report) : undefined,
    roundingNote:
      [roundingNote(report), hasOverlappingGroups(report) && overlapNote].filter(Boolean).join(' ') ||
      undefined,
    grid: grid && pageTables(displayedGrid(grid.grid(), query.settings), query.weekStart),
    bars: barsOf(query, byDay, whole),
    heatMaps: heatMaps(byDay, query.weekStart),
    shares: shares(whole.groups),
    sharesBy: seriesDimension(query),
    hours: report,
    ...entryTable,
    days: options.entries === 'none' ? undefined : details,
    hasAllEntries: options.entries === 'all',
    duration: (seconds) => display.format(seconds),
    decimalHours: (seconds) => hours.format(seconds),
  })
}
