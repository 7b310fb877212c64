import { formatDuration } from '../calendar/duration.js'
import { formatTime } from '../calendar/time.js'
import type { Context } from '../context.js'
import { type Entry, labelOf } from '../tracking/entries.js'
import { stretch } from '../tracking/mending.js'
import { daysAround, freeSince, freeUntil } from './mending/free-time.js'
import { lengthAndTimes } from './mending/times.js'
import { entryView } from './views/entry.js'

export interface FillOptions {
  before?: boolean
  after?: boolean
}

export const told = true
export const canQueue = true
export const view = (ctx: Context) => entryView(ctx.now)

/** Answers the entry as it is now. */
export async function run(ctx: Context, reference: string, options: FillOptions): Promise<Entry> {
  const [tracking, { workingHours }, work] = await Promise.all([ctx.tracking(), ctx.settings(), ctx.work()])
  const both = !options.before && !options.after
  const { now } = ctx
  const { before, after } = await stretch(tracking, reference, async (entry, { within }) => {
    const tracked = await within(daysAround(entry, now))
    const others = tracked.filter(({ id }) => String(id) !== String(entry.id))
    const around = { others, workingHours, isWorkingDay: (day: string) => work.isWorkingDay(day), now }
    const from = both || options.before ? freeSince(entry, around) : entry.start
    if (!entry.end) return { from, to: null }
    return { from, to: both || options.after ? freeUntil(entry.end, entry, around) : entry.end }
  })
  ctx.say(outcome(before, after, now))
  return after
}

function outcome(before: Entry, after: Entry, now: Date): string {
  const parts = [
    added(after.start, before.start, 'before', now),
    before.end && after.end ? added(before.end, after.end, 'after', now) : undefined,
  ].filter((part) => part !== undefined)
  const what = `entry ${after.id}, ${labelOf(after)}`
  if (parts.length === 0) return `Nothing to fill around ${what}: ${lengthAndTimes(after, now)}.`
  return `Filled ${parts.join(' and ')} ${what}: ${lengthAndTimes(after, now)}.`
}

/** "30m before (09:00–09:30)"; undefined where nothing was. */
function added(from: Date, to: Date, side: string, now: Date): string | undefined {
  const seconds = Math.floor((to.getTime() - from.getTime()) / 1000)
  return seconds > 0
    ? `${formatDuration(seconds)} ${side} (${formatTime(from, now)}–${formatTime(to, from)})`
    : undefined
}
