import type { Settings } from '../../config/settings/settings.js'
import { addDays, type Day, dayOf, endOfDay, startOfDay } from '../../lib/calendar/day.js'
import { type Interval, intervalsOn } from '../../lib/calendar/interval.js'
import type { Entry } from '../../tracking/entries/entry.js'

export interface FreeTimeContext {
  /** The other entries that overlap the days of the entry. */
  others: readonly Entry[]
  workingHours: Settings['workingHours']
  isWorkingDay(day: Day): boolean
  now: Date
  /** Whether only working hours count as free time. */
  isBoundToHours: boolean
}

/**
 * Returns the earliest start of an entry: the end of the previous entry on the same day, or the start of the working
 * hours around it, whichever is later. Not after the current start.
 */
export function earliestStart(entry: Entry, around: FreeTimeContext): Date {
  const { start } = entry
  const day = dayOf(start)
  const endsMs = around.others
    .filter((other) => other.start < start)
    .map((other) => (other.end ?? around.now).getTime())
  const previousEnd = endsMs.length > 0 ? new Date(Math.max(...endsMs)) : undefined
  const hours = hoursOf(day, around).find((hours) => hours.start < start && start <= hours.end)
  if (around.isBoundToHours && !hours) return start
  const limits = [previousEnd && previousEnd > startOfDay(day) ? previousEnd : undefined, hours?.start]
  const latest = latestOf(limits)
  // Only entries that end on this day limit the start.
  return latest && latest < start ? latest : start
}

/**
 * Returns the latest end of an entry: the start of the next entry on the same day, now, or the end of the working hours
 * around it, whichever is earlier. Not before the current end.
 */
export function latestEnd(end: Date, entry: Entry, around: FreeTimeContext): Date {
  const { others, now } = around
  // An entry that ends at midnight belongs to the day before.
  const day = dayOf(new Date(Math.max(end.getTime() - 1, entry.start.getTime())))
  const isCovered = others.some((other) => other.start < end && (other.end ?? now) > end)
  if (isCovered || end >= now) return end
  const startsMs = others.filter((other) => other.start >= end).map(({ start }) => start.getTime())
  const next = startsMs.length > 0 ? new Date(Math.min(...startsMs)) : undefined
  const hours = hoursOf(day, around).find((hours) => hours.start <= end && end < hours.end)
  if (around.isBoundToHours && !hours) return end
  const midnight = endOfDay(day)
  const nextToday = next && next < midnight ? next : undefined
  const nowToday = now <= midnight ? new Date(Math.floor(now.getTime() / 1000) * 1000) : undefined
  const limits = [nextToday, nowToday, hours?.end].flatMap((limit) => limit?.getTime() ?? [])
  const earliest = limits.length > 0 ? new Date(Math.min(...limits)) : end
  return earliest > end ? earliest : end
}

/** Returns the period whose entries limit the free time around an entry. It begins a week earlier, for long entries. */
export function daysAround(entry: Entry, now: Date): Interval {
  const last = dayOf(entry.end ?? now)
  return { start: startOfDay(addDays(dayOf(entry.start), -7)), end: endOfDay(last) }
}

function latestOf(limits: readonly (Date | undefined)[]): Date | undefined {
  const known = limits.flatMap((limit) => limit?.getTime() ?? [])
  return known.length > 0 ? new Date(Math.max(...known)) : undefined
}

function hoursOf(day: Day, { workingHours, isWorkingDay }: FreeTimeContext): Interval[] {
  return isWorkingDay(day) ? intervalsOn(day, workingHours) : []
}
