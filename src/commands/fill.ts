import { formatTime } from '../calendar/time.js'
import type { Context } from '../cli/context.js'
import { type Entry, labelOf } from '../entries/entry.js'
import type { EntryLookup } from '../entries/entry-writer.js'
import { fill } from '../entries/rearrange.js'
import { daysAround, earliestStart, latestEnd } from './adjust/free-time.js'
import { lengthAndTimes } from './adjust/times.js'
import type { CommandInput } from './shared/command.js'
import { type EntryDisplay, entryView } from './views/entry.js'

export interface FillOptions {
  before?: boolean
  after?: boolean
}

export const messageReplacesValue = true
export const canQueue = true
export const view = (ctx: Context) => entryView(ctx)

/** Extensions beyond this many seconds require confirmation. */
const maxUnconfirmedSeconds = 3600

/** Thrown when an extension requires confirmation. */
class UnconfirmedError extends Error {
  readonly entry: Entry
  readonly filled: FilledBounds

  constructor(entry: Entry, filled: FilledBounds) {
    super('The user has not confirmed how far the entry is extended.')
    this.entry = entry
    this.filled = filled
  }
}

/** The new start and end of an entry; `to` is null for a running entry. */
type FilledBounds = { from: Date; to: Date } | { from: Date; to: null }

/** Returns the extended entry; undefined when the user declines. */
export async function run(
  ctx: Context,
  { args: { entry: reference }, options }: CommandInput<FillOptions, { entry: string }>,
): Promise<Entry | undefined> {
  const writer = await ctx.entryWriter()
  const findBounds = await createBoundsFinder(ctx, options)
  let confirmed: FilledBounds | undefined
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
async function createBoundsFinder(ctx: Context, options: FillOptions) {
  const [{ workingHours }, work] = await Promise.all([ctx.config.settings(), ctx.config.workCalendar()])
  const { now } = ctx
  const isBoundToHours = !options.before && !options.after
  return async (entry: Entry, { within }: EntryLookup): Promise<FilledBounds> => {
    const tracked = await within(daysAround(entry, now))
    const others = tracked.filter(({ id }) => String(id) !== String(entry.id))
    const isWorkingDay = (day: string) => work.isWorkingDay(day)
    const around = { others, workingHours, isWorkingDay, now, isBoundToHours }
    const from = isBoundToHours || options.before ? earliestStart(entry, around) : entry.start
    if (!entry.end) return { from, to: null }
    return { from, to: isBoundToHours || options.after ? latestEnd(entry.end, entry, around) : entry.end }
  }
}

function isSameBounds(one: FilledBounds, other: FilledBounds): boolean {
  return one.from.getTime() === other.from.getTime() && one.to?.getTime() === other.to?.getTime()
}

function addedSeconds({ start, end }: Entry, { from, to }: FilledBounds): number {
  const afterMs = to && end ? to.getTime() - end.getTime() : 0
  return Math.floor((start.getTime() - from.getTime() + afterMs) / 1000)
}

function resultText(shown: EntryDisplay, before: Entry, after: Entry): string {
  const parts = describeParts(shown, before, { from: after.start, to: after.end })
  const entryText = `entry ${after.id}, ${labelOf(after)}`
  if (parts.length === 0) return `Nothing to fill around ${entryText}: ${lengthAndTimes(shown, after)}.`
  return `Filled ${parts.join(' and ')} ${entryText}: ${lengthAndTimes(shown, after)}.`
}

/** Returns the extensions as text: "30m before (09:00–09:30)", "1h 00m after (10:00–11:00)". */
function describeParts(shown: EntryDisplay, { start, end }: Entry, { from, to }: FilledBounds): string[] {
  const parts = [
    describePart(shown, from, start, 'before'),
    end && to ? describePart(shown, end, to, 'after') : undefined,
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
