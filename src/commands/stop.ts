import { formatDuration } from '../calendar/duration.js'
import { formatTime, parseTime } from '../calendar/time.js'
import type { Context } from '../context.js'
import { durationOf, type Entry, labelOf } from '../tracking/entries.js'
import { entryView } from './views/entry.js'

export interface StopOptions {
  notes?: string
  at?: string
}

export const told = true
export const view = (ctx: Context) => entryView(ctx.now)

export async function run(ctx: Context, options: StopOptions): Promise<Entry> {
  const at = parseTime(options.at ?? 'now', ctx.now)
  const tracking = await ctx.tracking()
  const { entry, stillRunning } = await tracking.stop(at, options.notes)
  const duration = formatDuration(durationOf(entry, at))
  const times = `${formatTime(entry.start, ctx.now)}–${formatTime(entry.end ?? at, entry.start)}`
  ctx.say(`Stopped ${labelOf(entry)}: ${duration} (${times}).`)
  for (const other of stillRunning) {
    ctx.warn(
      `${labelOf(other)} is still running since ${formatTime(other.start, ctx.now)}. \`tt stop\` stops it.`,
    )
  }
  return entry
}
