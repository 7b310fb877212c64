import { TtError } from '../../lib/errors.js'
import type { EntryFilterOptions } from '../../program/options/entry-filters.js'
import { chartKinds } from '../../records/report-names.js'
import type { Report } from '../../report/report-model.js'
import type { TextChunks } from '../../ui/text.js'
import type { Summary } from '../../ui/view.js'
import { lastSevenDays, requestedPeriod } from '../shared/options/period-options.js'
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
  checkPageOptions(input)
  const { days, chart } = await daysAndChart(ctx, input)
  const query = await ReportQuery.create(ctx, options, days)
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
  if (chart !== undefined) return renderChart(ctx, query, chart, options)
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

/** Returns the requested days. `--chart` takes an optional kind: any other word after it begins the period. */
async function daysAndChart(ctx: ReportContext, { args, options }: ReportInput) {
  const settings = await ctx.config.settings()
  const daysOf = (period: string[]) =>
    requestedPeriod({ args: { period }, options }, ctx.now, settings) ?? lastSevenDays(ctx.now)
  const { chart, since, until } = options
  if (typeof chart !== 'string' || chartKinds.some((kind) => kind === chart))
    return { days: daysOf(args.period), chart }
  try {
    if ((since ?? until) === undefined) return { days: daysOf([chart, ...args.period]), chart: chartKinds[0] }
  } catch {
    // It is neither a chart nor the beginning of a period.
  }
  return { days: daysOf(args.period), chart: (await import('./charts.js')).chartKind(chart) }
}

async function renderChart(
  ctx: ReportContext,
  query: ReportQuery,
  chart: string | true,
  filters: EntryFilterOptions,
): Promise<TextOutput> {
  const { chartKind, chartText } = await import('./charts.js')
  return { chunks: [await chartText(ctx, query, chartKind(chart), filters)] }
}

/** Throws TtError `usage` for an empty title, and for a file name after `--html`. */
function checkPageOptions({ args: { period }, options: { html, title } }: ReportInput) {
  const file = html ? period.find((word) => /^-$|[/\\]|\.html?$/i.test(word)) : undefined
  if (file !== undefined) {
    const advice = file === '-' ? 'Omit "-".' : `Use \`-o ${file}\` to write a file.`
    throw new TtError('usage', `--html prints to standard output and takes no file. ${advice}`)
  }
  if (title?.trim() === '')
    throw new TtError('usage', '--title is empty.', { hint: 'Write a heading, or omit --title.' })
}
