import { addDays, type Day, dayOf, endOfDay, parts, startOfDay } from '../../calendar/day.js'
import { instantAt } from '../../calendar/wall-time.js'
import type { Settings } from '../../config/settings/settings.js'
import type { Entry } from '../../entries/entry.js'

export interface FreeTimeContext {
  /** Whatever else was tracked on the days of the entry, and what reaches into them. */
  others: readonly Entry[]
  workingHours: Settings['workingHours']
  isWorkingDay(day: Day): boolean
  now: Date
  /** Whether an entry stays as it is where it begins, or ends, outside of working hours. */
  isBoundToHours: boolean
}

interface Hours {
  from: Date
  to: Date
}

/**
 * How far back an entry can begin: where the entry before it ends on the same day. Within working hours it goes no
 * further back than those begin, and there it needs no entry before it. Never after its own start.
 */
export function freeSince(entry: Entry, around: FreeTimeContext): Date {
  const { start } = entry
  const day = dayOf(start)
  const endsMs = around.others
    .filter((other) => other.start < start)
    .map((other) => (other.end ?? around.now).getTime())
  const before = endsMs.length > 0 ? new Date(Math.max(...endsMs)) : undefined
  const hours = hoursOf(day, around).find(({ from, to }) => from < start && start <= to)
  if (around.isBoundToHours && !hours) return start
  const limits = [before && before > startOfDay(day) ? before : undefined, hours?.from]
  const latest = latestOf(limits)
  // What reaches over midnight into this day leaves what comes after it; what ended before leaves no hint.
  return latest && latest < start ? latest : start
}

/**
 * How far an entry can go on: to where the next one begins on the same day, or to now. Within working hours it goes no
 * further than those do. Never before its own end.
 */
export function freeUntil(end: Date, entry: Entry, around: FreeTimeContext): Date {
  const { others, now } = around
  // An entry that ends at midnight is of the day before.
  const day = dayOf(new Date(Math.max(end.getTime() - 1, entry.start.getTime())))
  const isCovered = others.some((other) => other.start < end && (other.end ?? now) > end)
  if (isCovered || end >= now) return end
  const startsMs = others.filter((other) => other.start >= end).map(({ start }) => start.getTime())
  const next = startsMs.length > 0 ? new Date(Math.min(...startsMs)) : undefined
  const hours = hoursOf(day, around).find(({ from, to }) => from <= end && end < to)
  if (around.isBoundToHours && !hours) return end
  const midnight = endOfDay(day)
  const nextToday = next && next < midnight ? next : undefined
  const nowToday = now <= midnight ? new Date(Math.floor(now.getTime() / 1000) * 1000) : undefined
  const limits = [nextToday, nowToday, hours?.to].flatMap((limit) => limit?.getTime() ?? [])
  const earliest = limits.length > 0 ? new Date(Math.min(...limits)) : end
  return earliest > end ? earliest : end
}

/** The days whose entries tell where an entry has free time around it; what reaches into them began days before. */
export function daysAround(entry: Entry, now: Date): Hours {
  const last = dayOf(entry.end ?? now)
  return { from: startOfDay(addDays(dayOf(entry.start), -7)), to: endOfDay(last) }
}

function latestOf(limits: readonly (Date | undefined)[]): Date | undefined {
  const known = limits.flatMap((limit) => limit?.getTime() ?? [])
  return known.length > 0 ? new Date(Math.max(...known)) : undefined
}

function hoursOf(day: Day, { workingHours, isWorkingDay }: FreeTimeContext): Hours[] {
  if (!isWorkingDay(day)) return []
  return workingHours.map(({ from, to }) => ({ from: timeOnDay(day, from), to: timeOnDay(day, to) }))
}

/** The instant of so many minutes after midnight on the wall. */
function timeOnDay(day: Day, minute: number): Date {
  const { year, month, date } = parts(day)
  return instantAt({ year, month, day: date, hour: 0, minute, second: 0, millisecond: 0 }).instant
}
