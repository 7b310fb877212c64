import type { DurationDisplay } from '../../lib/calendar/duration-display.js'
import type { Period } from '../../lib/calendar/period.js'
import { TtError } from '../../lib/errors.js'
import { type Comparison, compareReports } from '../../report/comparison.js'
import type { Report } from '../../report/report-model.js'
import type { Summary } from '../../ui/view.js'
import { checkFilterNames } from '../shared/unknown-names.js'
import { comparisonSummary } from '../views/reports/report-comparison.js'
import { type ReportContext, type ReportInput, ReportQuery } from './report-query.js'

type CompareOptions = ReportInput['options'] & { compare: Partial<Period> }

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
  const durations = query.durations([current, compared])
  return comparisonSummary(compareWith(current, compared, query, durations.display), durations)
}

/**
 * Returns the same query on the period of `--compare`.
 *
 * Throws TtError `usage` for a period without a first day.
 */
export async function comparedQuery(
  ctx: ReportContext,
  query: ReportQuery,
  options: CompareOptions,
): Promise<ReportQuery> {
  if (query.days.first === undefined || options.compare.first === undefined) throw openPeriodError()
  return ReportQuery.create(ctx, options, options.compare)
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

/** Compares reports of the query. Throws TtError `usage` for one without a first day. */
export function compareWith(
  current: Report,
  compared: Report,
  { weekStart }: ReportQuery,
  display: DurationDisplay,
): Comparison {
  const withFirstDay = (report: Report) => {
    if (report.since === null) throw openPeriodError()
    return { ...report, since: report.since }
  }
  return compareReports(
    { current: withFirstDay(current), compared: withFirstDay(compared) },
    weekStart,
    display,
  )
}
