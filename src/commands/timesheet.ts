import type { Context } from '../cli/context.js'
import type { Input } from '../cli/input.js'
import type { commands } from '../program/declarations/report.js'
import { fileExtensions as extensions } from '../ui/formats/formats.js'
import type { Summary } from '../ui/view.js'
import { gridReport } from './report/grid/grid-report.js'
import { ReportQuery } from './report/report-query.js'
import { periodOf } from './shared/options/period-options.js'

export const allowsUnreadableSettings = true
export const fileExtensions = extensions.grid

export function summary(value: { summary: Summary }) {
  return value.summary
}

/** Returns the grid of the requested period, or of this week. */
export async function run(ctx: Context, input: Input<typeof commands.timesheet>) {
  return gridReport(ctx, await ReportQuery.create(ctx, input.options, periodOf(ctx, input)), input.options)
}
