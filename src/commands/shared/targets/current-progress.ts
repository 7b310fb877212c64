import { addDays, dayOf } from '../../../calendar/day.js'
import { timeOf } from '../../../calendar/interval.js'
import { startOfWeek } from '../../../calendar/week.js'
import type { Context } from '../../../cli/context.js'
import type { Entry } from '../../../entries/entry.js'
import { formatTargetProgress, targetProgress } from '../../../report/target-progress.js'
import { targetCalendar } from './target-calendar.js'

/** Returns the progress of today and this week as a sentence, the running entry included; undefined without a target. */
export async function currentProgress(ctx: Context, running: Entry | undefined): Promise<string | undefined> {
  const [{ weekStart }, tracking] = await Promise.all([ctx.config.settings(), ctx.entries()])
  const today = dayOf(ctx.now)
  const lastDays = { first: addDays(today, -6), last: today }
  const entries = await tracking.overlapping(timeOf(lastDays))
  // The running entry may be older than those that a service is searched for.
  if (running && !entries.some(({ id }) => id === running.id)) entries.push(running)
  const tracked = entries.map(({ start, end }) => ({ start, end: end ?? ctx.now }))
  const [earliest] = [...tracked].sort((a, b) => a.start.getTime() - b.start.getTime())
  const calendar = await targetCalendar(ctx, {
    first: startOfWeek(today, weekStart),
    earliestStart: earliest?.start,
  })
  const progress = targetProgress(tracked, calendar, { now: ctx.now, weekStart })
  return progress && formatTargetProgress(progress, ctx.durations)
}
