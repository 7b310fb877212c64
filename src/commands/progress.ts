import { addDays, dayOf, endOfDay, startOfDay } from '../calendar/day.js'
import type { Context } from '../context.js'
import { progressOf, progressWords } from '../report/progress.js'
import type { Entry } from '../tracking/entries.js'

/** The entries of the week may have begun some days before it. */
const longestEntryDays = 7

/** The sentence about today and this week, with what runs counted to now; undefined where no target is set. */
export async function progressNow(ctx: Context, running: Entry | undefined): Promise<string | undefined> {
  const [{ weekStart }, calendar, tracking] = await Promise.all([ctx.settings(), ctx.work(), ctx.tracking()])
  const today = dayOf(ctx.now)
  const bounds = { from: startOfDay(addDays(today, -6 - longestEntryDays)), to: endOfDay(today) }
  const entries = await tracking.list(bounds, {})
  // It may have begun before that.
  if (running && !entries.some(({ id }) => id === running.id)) entries.push(running)
  const tracked = entries.map(({ start, end }) => ({ start, end: end ?? ctx.now }))
  const progress = progressOf(tracked, calendar, { now: ctx.now, weekStart })
  return progress && progressWords(progress)
}
