import type { Context } from '../cli/context.js'
import type { Input, Options } from '../cli/input.js'
import type { Settings } from '../config/settings/settings.js'
import { addDays, type Day, dayOf, endOfDay, startOfDay } from '../lib/calendar/day.js'
import { type Interval, intervalsOn } from '../lib/calendar/interval.js'
import { formatTime } from '../lib/calendar/time.js'
import type { commands } from '../program/declarations/entries.js'
import { type Entry, type EntryBounds, labelOf } from '../tracking/entries/entry.js'
import type { EntryLookup } from '../tracking/entries/entry-writer.js'
import { fill } from '../tracking/entries/rearrange.js'
import { lengthAndTimes } from './adjust/times.js'
import { type EntryDisplay, entryView } from './views/entry.js'

export const messageReplacesValue = true
export const canQueue = true
export const view = (ctx: Context) => entryView(ctx)

/** Extensions beyond this many seconds require confirmation. */
const maxUnconfirmedSeconds = 3600

/** Thrown when an extension requires confirmation. */
class UnconfirmedError extends Error {
  readonly entry: Entry
  readonly filled: EntryBounds

  constructor(entry: Entry, filled: EntryBounds) {
    super('The user has not confirmed how far the entry is extended.')
    this.entry = entry
    this.filled = filled
  }
}

/** Returns the extended entry; undefined when the user declines. */
export async function run(
  ctx: Context,
  { args: { entry: reference }, options }: Input<typeof commands.fill>,
): Promise<Entry | undefined> {
  const writer = await ctx.entryWriter()
  const findBounds = await createBoundsFinder(ctx, options)
  let confirmed: EntryBounds | undefined
  const boundsOf = async (entry: Entry, lookup: EntryLookup) => {
    const filled = await findBounds(entry, lookup)
    const isKnown = confirmed !== undefined && isSameBounds(filled, confirmed)
    if (addedSeconds(entry, filled) > maxUnconfirmedSeconds && !isKnown)
      throw new UnconfirmedError(entry, filled)
    return filled
  }
  for (;;) {
    try {
      const { before, after } = await fill(writer, reference, boundsOf)
      ctx.terminal.message(resultText(ctx, before, after))
      return after
    } catch (error) {
      if (!(error instanceof UnconfirmedError)) throw error
      // Other processes can change entries during the prompt, so the bounds are computed again.
      const { entry, filled } = error
      const length = ctx.durations.format(addedSeconds(entry, filled))
      const parts = describeParts(ctx, entry, filled).join(' and ')
      const question = `Extend entry ${entry.id}, ${labelOf(entry)}, by ${length}: ${parts}?`
      if (!(await ctx.terminal.confirm(question))) return undefined
      confirmed = filled
    }
  }
}

/** Returns a function that finds the free time around an entry, limited to working hours unless an option is given. */
async function createBoundsFinder(ctx: Context, options: Options<typeof commands.fill>) {
  const [{ workingHours }, work] = await Promise.all([ctx.config.settings(), ctx.config.workCalendar()])
  const { now } = ctx
  const isBoundToHours = !options.before && !options.after
  return async (entry: Entry, { within }: EntryLookup): Promise<EntryBounds> => {
    const tracked = await within(daysAround(entry, now))
    const others = tracked.filter(({ id }) => String(id) !== String(entry.id))
    const isWorkingDay = (day: string) => work.isWorkingDay(day)
    const around = { others, workingHours, isWorkingDay, now, isBoundToHours }
    const start = isBoundToHours || options.before ? earliestStart(entry, around) : entry.start
    if (!entry.end) return { start, end: null }
    return { start, end: isBoundToHours || options.after ? latestEnd(entry.end, entry, around) : entry.end }
  }
}

function isSameBounds(one: EntryBounds, other: EntryBounds): boolean {
  return one.start.getTime() === other.start.getTime() && one.end?.getTime() === other.end?.getTime()
}

function addedSeconds(before: EntryBounds, after: EntryBounds): number {
  const afterMs = after.end && before.end ? after.end.getTime() - before.end.getTime() : 0
  return Math.floor((before.start.getTime() - after.start.getTime() + afterMs) / 1000)
}

function resultText(shown: EntryDisplay, before: Entry, after: Entry): string {
  const parts = describeParts(shown, before, after)
  const entryText = `entry ${after.id}, ${labelOf(after)}`
  if (parts.length === 0) return `Nothing to fill around ${entryText}: ${lengthAndTimes(shown, after)}.`
  return `Filled ${parts.join(' and ')} ${entryText}: ${lengthAndTimes(shown, after)}.`
}

/** Returns the extensions as text: "30m before (09:00–09:30)", "1h 00m after (10:00–11:00)". */
function describeParts(shown: EntryDisplay, before: EntryBounds, after: EntryBounds): string[] {
  const parts = [
    describePart(shown, after.start, before.start, 'before'),
    before.end && after.end ? describePart(shown, before.end, after.end, 'after') : undefined,
  ]
  return parts.filter((part) => part !== undefined)
}

/** Returns "30m before (09:00–09:30)"; undefined for no extension. */
function describePart(
  { now, durations }: EntryDisplay,
  from: Date,
  to: Date,
  side: string,
): string | undefined {
  const seconds = Math.floor((to.getTime() - from.getTime()) / 1000)
  return seconds > 0
    ? `${durations.format(seconds)} ${side} (${formatTime(from, now)}–${formatTime(to, from)})`
    : undefined
}

interface FreeTimeContext {
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
function earliestStart(entry: Entry, around: FreeTimeContext): Date {
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
function latestEnd(end: Date, entry: Entry, around: FreeTimeContext): Date {
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
function daysAround(entry: Entry, now: Date): Interval {
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
