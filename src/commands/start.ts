import { formatDuration } from '../calendar/duration.js'
import { formatTime, parseTime } from '../calendar/time.js'
import type { Context } from '../context.js'
import { durationOf, type Entry, labelOf } from '../tracking/entries.js'
import { entryView } from './views/entry.js'

export interface StartOptions {
  notes?: string
  at?: string
  create?: boolean
}

export const told = true
export const view = (ctx: Context) => entryView(ctx.now)

export async function run(ctx: Context, task: string | undefined, options: StartOptions): Promise<Entry> {
  const at = parseTime(options.at ?? 'now', ctx.now)
  const catalog = await ctx.catalog()
  const wanted = task ?? ctx.directory?.task
  const link = wanted === undefined ? await catalog.pick() : await catalog.find(wanted, options)
  const tracking = await ctx.tracking()
  const { entry, stopped } = await tracking.start(link, at, options.notes ?? ctx.directory?.notes)
  for (const before of stopped) {
    ctx.say(`Stopped ${labelOf(before)}: ${formatDuration(durationOf(before, at))}.`)
  }
  ctx.say(`Started ${labelOf(entry)} at ${formatTime(entry.start, ctx.now)}.`)
  return entry
}
