import { formatTime } from '../calendar/time.js'
import type { Context } from '../context.js'
import { TtError } from '../errors.js'
import { type Entry, labelOf } from '../tracking/entries.js'
import { refuseCutsOutside, split } from '../tracking/mending.js'
import { lengthAndTimes, timeWithin } from './mending/times.js'
import { entryView } from './views/entry.js'

export interface SplitOptions {
  at?: string[]
}

export const told = true
export const view = (ctx: Context) => entryView(ctx.now)

/** Answers the pieces, in order. */
export async function run(ctx: Context, reference: string, { at = [] }: SplitOptions): Promise<Entry[]> {
  if (at.length === 0) {
    throw new TtError('usage', 'Where is it to be split?', {
      hint: 'Give --at TIME; several for more pieces.',
    })
  }
  const pieces = await split(await ctx.tracking(), reference, (entry) => cutsOf(entry, at, ctx.now))
  const [first] = pieces
  if (first) ctx.say(`Split ${labelOf(first)} into ${pieces.length}:`)
  for (const piece of pieces) ctx.say(`  entry ${piece.id}: ${lengthAndTimes(piece, ctx.now)}`)
  return pieces
}

function cutsOf(entry: Entry, typed: readonly string[], now: Date): Date[] {
  const cuts = typed.map((text) => timeWithin(text, entry, now))
  refuseCutsOutside(entry, cuts, now, (time) => formatTime(time, now))
  const moments = [...new Set(cuts.map((cut) => cut.getTime()))].sort((a, b) => a - b)
  return moments.map((ms) => new Date(ms))
}
