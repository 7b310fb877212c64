import type { Day, Weekday } from '../../calendar/day.js'
import { type Period, parseDate } from '../../calendar/period.js'
import { TtError } from '../../lib/errors.js'
import { compareReports } from '../../report/comparison.js'
import type { Report } from '../../report/report-model.js'
import type { Summary } from '../../ui/summary.js'
import { warnOfUnknownNames } from '../shared/unknown-names.js'
import { comparisonSummary } from '../views/reports/report-comparison.js'
import type { ReportContext } from './report-context.js'
import { ReportQuery, type ReportQueryOptions } from './report-query.js'

/** Options of `tt report` that show no totals, so that they exclude `--compare`. */
const otherOutputs = {
  gaps: '--gaps',
  overlaps: '--overlaps',
  long: '--long',
  withoutNotes: '--without-notes',
  chart: '--chart',
  grid: '--grid',
} as const

export type CompareOptions = ReportQueryOptions &
  Partial<Record<keyof typeof otherOutputs, unknown>> & { compare: string }

/** Returns the report of a query compared with that of another one, created by `comparedQuery`. */
export async function compareTotals(
  ctx: ReportContext,
  query: ReportQuery,
  other: ReportQuery,
  options: CompareOptions,
): Promise<Summary> {
  const current = await readReport(query)
  const compared = await readReport(other)
  await warnOfUnknownNames(ctx, options, current.count + compared.count)
  const comparison = compareReports(withFirstDay(current), withFirstDay(compared), query.weekStart)
  return comparisonSummary(comparison, query.durations([current, compared]))
}

/**
 * Returns the same query on the period of `--compare`.
 *
 * Throws TtError `usage` for an invalid period, for a report without a first day, and for options that show no totals.
 */
export async function comparedQuery(
  ctx: ReportContext,
  query: ReportQuery,
  options: CompareOptions,
): Promise<ReportQuery> {
  checkOtherOutputs(options)
  if (query.days.first === undefined) throw openPeriodError()
  return ReportQuery.create(ctx, options, comparedPeriod(options.compare, ctx.now, query.weekStart))
}

function checkOtherOutputs(options: CompareOptions) {
  const names = Object.keys(otherOutputs) as (keyof typeof otherOutputs)[]
  const other = names.find((name) => options[name] !== undefined && options[name] !== false)
  if (other === undefined) return
  const flag = otherOutputs[other]
  throw new TtError('usage', `--compare cannot be used together with ${flag}: it compares totals.`, {
    hint: `Omit ${flag} or --compare.`,
  })
}

/**
 * Parses a period: a date such as "last-week", or a first and a last date, `DATE..DATE`.
 *
 * Throws TtError `usage` for a date that cannot be parsed and a first date after the last.
 */
function comparedPeriod(text: string, now: Date, weekStart: Weekday): Period {
  const [from = '', to = from, ...more] = text.split('..')
  if (more.length > 0 || from.trim() === '' || to.trim() === '') {
    throw new TtError('usage', `--compare takes a date or DATE..DATE, not ${JSON.stringify(text)}.`, {
      hint: 'Examples: last-week, last-month, 2024-04-01..2024-04-15.',
    })
  }
  const { first } = parseDate(from, now, weekStart)
  const { last } = parseDate(to, now, weekStart)
  if (first > last) {
    throw new TtError('usage', `--compare: ${first} is after ${last}.`, {
      hint: 'Give the earlier date first.',
    })
  }
  return { first, last }
}

function openPeriodError(): TtError {
  return new TtError('usage', '--compare needs a period with a first day.', {
    hint: 'Add --since, or use an option such as --week or --month.',
  })
}

/** Reads the entries of a query and returns their report. */
export async function readReport(query: ReportQuery): Promise<Report> {
  const tally = query.tally()
  for await (const entries of query.entries({ forTotals: true }))
    for (const entry of entries) tally.add(entry)
  return query.report(tally)
}

/** Returns a report with its first day. Throws TtError `usage` without one. */
export function withFirstDay(report: Report): Report & { since: Day } {
  if (report.since === null) throw openPeriodError()
  return { ...report, since: report.since }
}
