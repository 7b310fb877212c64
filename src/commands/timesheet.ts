import type { Context } from '../cli/context.js'
import type { Summary } from '../ui/summary.js'
import { gridReport } from './report/grid/grid-report.js'
import { ReportQuery, type ReportQueryOptions } from './report/report-query.js'
import type { CommandInput } from './shared/command.js'
import { hasPeriod } from './shared/options/period-options.js'

export const allowsUnreadableSettings = true

export function summary(value: { summary: Summary }) {
  return value.summary
}

/** Returns the grid of this week, or of the period of the options. */
export async function run(ctx: Context, { options }: CommandInput<ReportQueryOptions>) {
  const period = hasPeriod(options) ? {} : { week: true }
  return gridReport(ctx, await ReportQuery.create(ctx, { ...options, ...period }), options)
}
