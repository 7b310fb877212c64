import type { Context } from '../../cli/context.js'
import type { Entry } from '../../entries/entry.js'
import { canDrawUnicode } from '../../ui/charts/chart-options.js'
import { plainStyle } from '../../ui/view.js'
import { dayRows, totalRows } from '../views/day-rows.js'
import { progressWarning } from './day-notes.js'
import { currentTotals } from './targets/current-progress.js'

/**
 * Returns the rows of the timer, today and this week for a terminal; only that of the timer, with a warning, if the settings
 * or the holidays cannot be read. With `isKnown`, sends no request to a service.
 */
export async function dayOverview(
  ctx: Context,
  timer: Entry | undefined,
  { isKnown }: { isKnown: boolean },
): Promise<string[]> {
  const totals = await currentTotals(ctx, timer, { isKnown }).catch((error: unknown) => {
    ctx.afterOutput.warn(progressWarning(error))
    return undefined
  })
  const options = { ...(await ctx.terminal.renderOptions()), unicode: canDrawUnicode(ctx.host.env) }
  return dayRows(timer, totals, ctx, options)
}

/** Returns the rows of today and this week as plain text. */
export async function totalLines(ctx: Context, timer: Entry | undefined): Promise<string[]> {
  const options = { style: plainStyle, width: undefined, unicode: false }
  return totalRows(await currentTotals(ctx, timer), ctx.durations, options)
}
