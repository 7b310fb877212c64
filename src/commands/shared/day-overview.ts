import type { Context } from '../../cli/context.js'
import type { Entry } from '../../tracking/entries/entry.js'
import { canDrawUnicode } from '../../ui/charts/chart-options.js'
import { plainStyle } from '../../ui/view.js'
import { dayRows, totalRows } from '../views/day-rows.js'
import { progressWarning } from './day-notes.js'
import { currentTotals } from './targets/current-progress.js'

/**
 * Returns the rows of the timer, today and this week for a terminal; only that of the timer, with a warning, if the settings
 * or the holidays cannot be read. With `isKnown`, sends no request to a service. The timer may still be requested: the requests run
 * at the same time then.
 */
export async function dayOverview(
  ctx: Context,
  requested: Entry | undefined | Promise<Entry | undefined>,
  { isKnown }: { isKnown: boolean },
): Promise<string[]> {
  const totals = await currentTotals(ctx, requested, { isKnown }).catch(async (error: unknown) => {
    await requested // Its own error is more important.
    ctx.afterOutput.warn(...progressWarning(error))
    return undefined
  })
  const timer = await requested
  const options = { ...(await ctx.terminal.renderOptions()), unicode: canDrawUnicode(ctx.host.env) }
  return dayRows(timer, totals, ctx, options)
}

/** Returns the rows of today and this week as plain text. */
export async function totalLines(ctx: Context, timer: Entry | undefined): Promise<string[]> {
  const options = { style: plainStyle, width: undefined, unicode: false }
  return totalRows(await currentTotals(ctx, timer), ctx.durations, options)
}
