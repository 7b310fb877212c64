import { addDays, type Day, dayOf, startOfDay } from '../../../lib/calendar/day.js'
import { targetBetween, type WorkCalendar, withTargetsSince } from '../../../report/work-calendar.js'
import type { Entries } from '../../../tracking/entries/entries.js'
import type { ReportContext } from '../../report/report-query.js'

/** What the calendar is computed from: a report's context, or one that knows only the entries on this machine. */
export interface CalendarContext extends Pick<ReportContext, 'config' | 'now'> {
  entries(): Promise<Pick<Entries, 'hasEntryBefore'>>
}

/**
 * Returns the work calendar for a period from the day `first`, without a bound if undefined. Its targets count from the setting
 * `target.since`, otherwise from the first day with an entry; without any entry, from today. `earliestStart` is the start
 * of the earliest entry that overlaps the period; undefined if there is none.
 *
 * Entries before the period are searched only if the target depends on them.
 */
export async function targetCalendar(
  ctx: CalendarContext,
  { first, earliestStart }: { first: Day | undefined; earliestStart: Date | undefined },
): Promise<WorkCalendar> {
  const [{ targets, targetSince }, calendar] = [await ctx.config.settings(), await ctx.config.workCalendar()]
  if (!targets || targetSince !== undefined) return calendar
  const firstDay = dayOf(earliestStart ?? ctx.now)
  if (first !== undefined) {
    const earlierTarget = targetBetween(calendar, first, addDays(firstDay, -1))
    if (!earlierTarget || (await (await ctx.entries()).hasEntryBefore(startOfDay(first)))) return calendar
  }
  return withTargetsSince(calendar, firstDay)
}
