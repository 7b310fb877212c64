import type { Context } from '../../cli/context.js'
import { entryFilterFlags } from '../../cli/filter-flags.js'
import { TtError } from '../../lib/errors.js'
import { chartKinds, entryLists } from '../../report/dimensions.js'
import type { FindingKind } from '../../report/health/finding.js'
import type { Report } from '../../report/report-model.js'
import { listFormats } from '../../ui/formats/formats.js'
import type { Summary } from '../../ui/summary.js'
import type { TextChunks } from '../../ui/text.js'
import type { CommandInput } from '../shared/command.js'
import type { EntryFilterOptions } from '../shared/options/parse-options.js'
import { lastSevenDays, type PeriodArgs, requestedPeriod } from '../shared/options/period-options.js'
import { warnOfUnknownNames } from '../shared/unknown-names.js'
import { findingView, type NumberedFinding, numberFindings } from '../views/reports/finding.js'
import { type ReportDurations, reportSummary } from '../views/reports/report-summary.js'
import type { CompareOptions } from './compare.js'
import type { ReportContext } from './report-context.js'
import { ReportQuery, type ReportQueryOptions } from './report-query.js'

/** Options that only lists and sums take. */
const listOptions = [...listFormats, 'fields', 'raw'] as const

export interface ReportOptions
  extends ReportQueryOptions,
    Partial<Record<(typeof listOptions)[number], unknown>> {
  grid?: boolean
  chart?: string | true
  html?: boolean
  output?: string
  title?: string
  entries?: string
  gaps?: boolean
  git?: boolean
  overlaps?: boolean
  long?: boolean
  withoutNotes?: boolean
  compare?: string
}

/** Totals, findings or plain text. */
type ReportResult = Totals | ComparedTotals | NumberedFinding[] | TextOutput

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

export const view = (ctx: Context, value: unknown) =>
  findingView(Array.isArray(value) ? (value as NumberedFinding[]) : [], ctx.durations)

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
  const kinds = kindsOf(options)
  checkOptions(input, kinds)
  const { days, chart } = await daysAndChart(ctx, input)
  const query = await ReportQuery.create(ctx, options, days)
  const compared = compare === undefined ? undefined : await queryOf(ctx, query, { ...options, compare })
  if (kinds.length > 0) return findProblems(ctx, query, kinds, options.git === true)
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
  await warnOfUnknownNames(ctx, options, report.count)
  return { report, durations: query.durations([report]) }
}

type ReportInput = CommandInput<ReportOptions, PeriodArgs>

/** Returns the requested days. `--chart` takes an optional kind: any other word after it begins the period. */
async function daysAndChart(ctx: ReportContext, { args, options }: ReportInput) {
  const settings = await ctx.config.settings()
  const daysOf = (period: string[]) =>
    requestedPeriod({ args: { period }, options }, ctx.now, settings) ?? lastSevenDays(ctx.now)
  const { chart } = options
  if (typeof chart !== 'string' || chartKinds.some((kind) => kind === chart))
    return { days: daysOf(args.period), chart }
  try {
    return { days: daysOf([chart, ...args.period]), chart: chartKinds[0] }
  } catch {
    // Throws the error of an unknown chart.
    return { days: daysOf(args.period), chart: (await import('./charts.js')).chartKind(chart) }
  }
}

async function findProblems(
  ctx: ReportContext,
  query: ReportQuery,
  kinds: FindingKind[],
  usesGit: boolean,
): Promise<NumberedFinding[]> {
  const filter = query.firstFilter
  if (filter !== undefined && kinds.includes('gap')) {
    const option = entryFilterFlags[filter]
    throw new TtError(
      'usage',
      `--gaps cannot be used together with ${option}: entries outside the filter may fill the gaps.`,
      {
        hint: `Omit ${option} or --gaps.`,
      },
    )
  }
  const { findings } = await import('../../report/health/findings.js')
  const { days: period, settings, work } = query
  const entries = query.entries({ isUnlimited: kinds.includes('long') })
  const { now, durations } = ctx
  const options = { kinds, period, settings, work, now, durations }
  if (!usesGit) return numberFindings(await findings(entries, options), durations)
  const { withProposals } = await import('./proposals.js')
  return withProposals(ctx, query.period, entries, async (batches) =>
    numberFindings(await findings(batches, options), durations),
  )
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

async function queryOf(
  ctx: ReportContext,
  query: ReportQuery,
  options: CompareOptions,
): Promise<ReportQuery> {
  const { comparedQuery } = await import('./compare.js')
  return comparedQuery(ctx, query, options)
}

function kindsOf({ gaps, overlaps, long, withoutNotes }: ReportOptions): FindingKind[] {
  const requested: Record<FindingKind, boolean | undefined> = {
    gap: gaps,
    overlap: overlaps,
    long,
    no_notes: withoutNotes,
  }
  return (Object.keys(requested) as FindingKind[]).filter((kind) => requested[kind])
}

function checkOptions({ args, options }: ReportInput, kinds: readonly FindingKind[]) {
  const outputs = [
    kinds.length > 0 && 'a list of problems (--gaps, --overlaps, --long, --without-notes)',
    options.chart !== undefined && '--chart',
    options.html && '--html',
  ].filter((shape) => typeof shape === 'string')
  const [first, second] = outputs
  checkPageOptions(options, args)
  if (options.git && !options.gaps)
    throw new TtError('usage', '--git requires --gaps.', { hint: 'Add --gaps, or use `tt log --git`.' })
  if (kinds.length > 0) checkNoTotals(options)
  if (second !== undefined) {
    throw new TtError('usage', `A report is either ${first} or ${second}.`, {
      hint: 'Request one at a time.',
    })
  }
  const other = options.compare === undefined ? first : '--compare'
  if (options.grid && other !== undefined && (other !== first || !options.html)) {
    throw new TtError('usage', `${other} and --grid cannot be used together.`, { hint: 'Use one of them.' })
  }
  const format = listOptions.find((name) => options[name])
  if (format === undefined || kinds.length > 0 || first === undefined) return
  throw new TtError('usage', `${first} and --${format} cannot be used together.`, {
    hint: 'Use one of them.',
  })
}

/** Throws TtError `usage` for options of totals: a list of problems has exact times. */
function checkNoTotals({ round, roundTotal, hours }: ReportOptions) {
  const flags = { '--round': round, '--round-total': roundTotal, '--hours': hours }
  const given = Object.entries(flags).find(([, value]) => value !== undefined)
  if (!given) return
  throw new TtError('usage', `${given[0]} is for totals, not for a list of problems.`, {
    hint: `Omit ${given[0]}, or --gaps, --overlaps, --long and --without-notes.`,
  })
}

/** Throws TtError `usage` for invalid options of a page, options without a page, and a file name after `--html`. */
function checkPageOptions({ html, title, entries }: ReportOptions, { period }: PeriodArgs) {
  const file = html ? period.find((word) => /^-$|[/\\]|\.html?$/i.test(word)) : undefined
  if (file !== undefined) {
    const advice = file === '-' ? 'Omit "-".' : `Use \`-o ${file}\` to write a file.`
    throw new TtError('usage', `--html prints to standard output and takes no file. ${advice}`)
  }
  if (title?.trim() === '')
    throw new TtError('usage', '--title is empty.', { hint: 'Write a heading, or omit --title.' })
  if (entries !== undefined && !entryLists.some((name) => name === entries)) {
    throw new TtError('usage', `--entries cannot be "${entries}".`, {
      hint: 'Use all or none; by default, the report lists as many entries as fit.',
    })
  }
  const pageOptions = Object.entries({ title, entries })
  const [option] = pageOptions.find(([, value]) => value !== undefined) ?? []
  if (option !== undefined && !html) {
    throw new TtError('usage', `--${option} is for HTML and PDF reports.`, {
      hint: `Add -o FILE.html, -o FILE.pdf or --html, or omit --${option}.`,
    })
  }
}
