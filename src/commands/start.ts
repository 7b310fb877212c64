import { formatDuration } from '../calendar/duration.js'
import { formatTime, parseTime } from '../calendar/time.js'
import type { Context } from '../context.js'
import { TtError } from '../errors.js'
import type { Link } from '../tracking/catalog.js'
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
  const link = await linkOf(ctx, task, options)
  const tracking = await ctx.tracking()
  const { entry, stopped } = await tracking.start(link, at, options.notes ?? ctx.directory?.notes)
  for (const before of stopped) {
    ctx.say(`Stopped ${labelOf(before)}: ${formatDuration(durationOf(before, at))}.`)
  }
  ctx.say(`Started ${labelOf(entry)} at ${formatTime(entry.start, ctx.now)}.`)
  return entry
}

/** What was typed, otherwise what the directory file names, otherwise what somebody picks. */
async function linkOf(ctx: Context, typed: string | undefined, options: StartOptions): Promise<Link> {
  const catalog = await ctx.catalog()
  if (typed !== undefined) return catalog.find(typed, options)
  const { task, path } = ctx.directory ?? {}
  if (task === undefined) return catalog.pick()
  return catalog.find(task, options).catch((error: unknown) => {
    if (!(error instanceof TtError) || error.code !== 'usage') throw error
    throw new TtError('usage', `${error.message} It is the task of ${path}.`, {
      hint: error.hint,
      cause: error,
    })
  })
}
