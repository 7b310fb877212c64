import type { Context } from '../../cli/context.js'
import { addDays, dayOf, startOfWeek } from '../../lib/calendar/day.js'
import { type Interval, timeOf } from '../../lib/calendar/interval.js'
import { secondsSoFar, targetProgress } from '../../report/target-progress.js'
import type { Entry } from '../../tracking/entries/entry.js'
import { canDrawUnicode } from '../../ui/charts/layout.js'
import { plainStyle } from '../../ui/view.js'
import { type DayTotals, dayRows, totalRows } from '../views/day-rows.js'
import { progressWarning } from './day-notes.js'
import { targetCalendar } from './targets/target-calendar.js'

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

/**
 * Returns what was tracked today and this week, the running entry included, with the targets if one is set. With `isKnown`,
 * uses the entries on this machine, without a request to a service. The running entry may still be requested.
 */
async function currentTotals(
  ctx: Context,
  timer: Entry | undefined | Promise<Entry | undefined>,
  { isKnown = false } = {},
): Promise<DayTotals> {
  const [{ weekStart, targets }, tracking] = await Promise.all([ctx.config.settings(), ctx.entries()])
  const today = dayOf(ctx.now)
  const lastDays = timeOf({ first: addDays(today, -6), last: today }) as Interval
  const reader = isKnown ? tracking.known : tracking
  if (isKnown) (await ctx.reference()).useOnlySnapshots()
  const [entries, running] = await Promise.all([reader.overlapping(lastDays), timer])
  // The running entry may be older than those that a service is searched for.
  if (running && !entries.some(({ id }) => id === running.id)) entries.push(running)
  const tracked = entries.map(({ start, end }) => ({ start, end: end ?? ctx.now }))
  const [earliest] = [...tracked].sort((a, b) => a.start.getTime() - b.start.getTime())
  if (targets) {
    const { config, now } = ctx
    const calendar = await targetCalendar(
      { config, now, entries: async () => reader },
      { first: startOfWeek(today, weekStart), earliestStart: earliest?.start },
    )
    const progress = targetProgress(tracked, calendar, { now, weekStart })
    if (progress) return progress
  }
  const seconds = secondsSoFar(tracked, { now: ctx.now, weekStart })
  return { today: { seconds: seconds.today }, week: { seconds: seconds.week } }
}
