import { TtError } from '../../lib/errors.js'
import type { EntryFilterOptions } from '../../program/options/entry-filters.js'
import type { ChartKind } from '../../records/report-names.js'
import type { Report } from '../../report/report-model.js'
import type { TextChunks } from '../../ui/text.js'
import type { Summary } from '../../ui/view.js'
import { periodOf } from '../shared/options/period-options.js'
import { checkFilterNames } from '../shared/unknown-names.js'
import { type ReportDurations, reportSummary } from '../views/reports/report-summary.js'
import { type ReportContext, type ReportInput, ReportQuery } from './report-query.js'

/** Totals or plain text. */
type ReportResult = Totals | ComparedTotals | TextOutput

interface Totals {
  report: Report
  durations: ReportDurations
  /** With `--grid`. */
  summary?: Summary
}

interface ComparedTotals {
  summary: Summary
}

interface TextOutput {
  chunks: TextChunks
}

export function summary(value: ReportResult) {
  if ('summary' in value && value.summary) return value.summary
  return 'report' in value ? reportSummary(value.report, value.durations) : undefined
}

export function text(value: ReportResult) {
  return 'chunks' in value ? value.chunks : undefined
}

export async function run(ctx: ReportContext, input: ReportInput): Promise<ReportResult> {
  const { options } = input
  const { compare } = options
  if (options.title?.trim() === '')
    throw new TtError('usage', '--title is empty.', { hint: 'Write a heading, or omit --title.' })
  const query = await ReportQuery.create(ctx, options, periodOf(ctx, input))
  const compared =
    compare === undefined
      ? undefined
      : await (await import('./compare.js')).comparedQuery(ctx, query, { ...options, compare })
  if (options.html) {
    const { reportPageText } = await import('./page.js')
    return { chunks: reportPageText(ctx, { query, compared }, options) }
  }
  if (compared && compare !== undefined) {
    const { compareTotals } = await import('./compare.js')
    return { summary: await compareTotals(ctx, query, compared, { ...options, compare }) }
  }
  if (options.chart !== undefined) return renderChart(ctx, query, options.chart, options)
  if (options.grid) {
    const { gridReport } = await import('./grid/grid-report.js')
    return gridReport(ctx, query, options)
  }
  const tally = query.tally()
  for await (const entries of query.entries({ forTotals: true }))
    for (const entry of entries) tally.add(entry)
  const report = query.report(tally)
  await checkFilterNames(ctx, options, report.count)
  return { report, durations: query.durations([report]) }
}

async function renderChart(
  ctx: ReportContext,
  query: ReportQuery,
  chart: ChartKind,
  filters: EntryFilterOptions,
): Promise<TextOutput> {
  const { chartText } = await import('./charts.js')
  return { chunks: [await chartText(ctx, query, chart, filters)] }
}
