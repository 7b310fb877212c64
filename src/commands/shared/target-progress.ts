import { addDays, dayOf, endOfDay, startOfDay } from '../../calendar/day.js'
import type { Context } from '../../cli/context.js'
import { type Entry, longestEntryMs } from '../../entries/entry.js'
import { progressOf, progressWords } from '../../report/target-progress.js'

/** The sentence about today and this week, with what runs counted to now; undefined where no target is set. */
export async function progressNow(ctx: Context, running: Entry | undefined): Promise<string | undefined> {
  const [{ weekStart }, calendar, tracking] = await Promise.all([ctx.settings(), ctx.work(), ctx.tracking()])
  const today = dayOf(ctx.now)
  const week = startOfDay(addDays(today, -6))
  const bounds = { from: new Date(week.getTime() - longestEntryMs), to: endOfDay(today) }
  const entries = await tracking.list(bounds, {})
  // It may have begun before that.
  if (running && !entries.some(({ id }) => id === running.id)) entries.push(running)
  const tracked = entries.map(({ start, end }) => ({ start, end: end ?? ctx.now }))
  const progress = progressOf(tracked, calendar, { now: ctx.now, weekStart })
  return progress && progressWords(progress)
}
