import type { Day } from '../../lib/calendar/day.js'
import { parsePeriod } from '../../lib/calendar/period.js'
import { TtError } from '../../lib/errors.js'
import { compareReports } from '../../report/comparison.js'
import type { Report } from '../../report/report-model.js'
import type { Summary } from '../../ui/summary.js'
import { checkFilterNames } from '../shared/unknown-names.js'
import { comparisonSummary } from '../views/reports/report-comparison.js'
import type { ReportContext, ReportInput } from './report-context.js'
import { ReportQuery } from './report-query.js'

type CompareOptions = ReportInput['options'] & { compare: string }

/** Returns the report of a query compared with that of another one, created by `comparedQuery`. */
export async function compareTotals(
  ctx: ReportContext,
  query: ReportQuery,
  other: ReportQuery,
  options: CompareOptions,
): Promise<Summary> {
  const current = await readReport(query)
  const compared = await readReport(other)
  await checkFilterNames(ctx, options, current.count + compared.count)
  const comparison = compareReports(withFirstDay(current), withFirstDay(compared), query.weekStart)
  return comparisonSummary(comparison, query.durations([current, compared]))
}

/**
 * Returns the same query on the period of `--compare`.
 *
 * Throws TtError `usage` for an invalid period, and for a report without a first day.
 */
export async function comparedQuery(
  ctx: ReportContext,
  query: ReportQuery,
  options: CompareOptions,
): Promise<ReportQuery> {
  const compared = parsePeriod(options.compare, ctx.now, query.weekStart)
  if (query.days.first === undefined || compared.first === undefined) throw openPeriodError()
  return ReportQuery.create(ctx, options, compared)
}

function openPeriodError(): TtError {
  return new TtError('usage', '--compare needs periods with a first day.', {
    hint: 'Give both periods a first day: tt report week --compare last-week',
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
