import type { Context } from '../cli/context.js'
import type { Input } from '../cli/input.js'
import type { TimeOn } from '../cli/option-values.js'
import { formatTime } from '../lib/calendar/time.js'
import { TtError } from '../lib/errors.js'
import type { commands } from '../program/declarations/entries.js'
import { type Entry, labelOf } from '../tracking/entries/entry.js'
import { split } from '../tracking/entries/rearrange.js'
import { lengthAndTimes, timeWithin } from './adjust/times.js'
import { entryView } from './views/entry.js'

export const messageReplacesValue = true
export const canQueue = true
export const view = (ctx: Context) => entryView(ctx)

/** Returns the parts in order. */
export async function run(
  ctx: Context,
  { args: { entry: reference }, options: { at } }: Input<typeof commands.split>,
): Promise<Entry[]> {
  const pieces = await split(await ctx.entryWriter(), reference, (entry) => cutsOf(entry, at, ctx.now))
  const [first] = pieces
  if (first) ctx.terminal.message(`Split ${labelOf(first)} into ${pieces.length} entries:`)
  for (const piece of pieces) ctx.terminal.message(`  entry ${piece.id}: ${lengthAndTimes(ctx, piece)}`)
  return pieces
}

/** Returns the split times, sorted and without duplicates. Throws TtError `usage` for a time outside of the entry. */
function cutsOf(entry: Entry, typed: readonly TimeOn[], now: Date): Date[] {
  const cuts = typed.map((time) => timeWithin(time, entry, now))
  const outside = cuts.find((cut) => cut <= entry.start || cut >= (entry.end ?? now))
  if (outside) throw outsideError(entry, outside, now)
  const moments = [...new Set(cuts.map((cut) => cut.getTime()))].sort((a, b) => a - b)
  return moments.map((ms) => new Date(ms))
}

function outsideError(entry: Entry, cut: Date, now: Date): TtError {
  const { id, start, end } = entry
  const span = `${formatTime(start, now)}–${end ? formatTime(end, start) : 'now'}`
  return new TtError('usage', `${formatTime(cut, now)} is not within entry ${id} (${span}).`, {
    hint: 'A time without a date is on the day of the entry, or on the next day if the entry crosses midnight.',
  })
}
