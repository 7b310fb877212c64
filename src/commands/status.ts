import { formatTime } from '../calendar/time.js'
import type { Context } from '../context.js'
import { type Entry, entryFromJson } from '../tracking/entries.js'
import { entryView } from './views/entry.js'

export interface StatusOptions {
  cached?: boolean
}

export const view = (ctx: Context) => entryView(ctx.now)

export async function run(ctx: Context, options: StatusOptions): Promise<Entry | null> {
  const entry = options.cached ? await known(ctx) : await (await ctx.tracking()).running()
  if (!entry) ctx.say('No timer is running.')
  return entry ?? null
}

/** What this machine knows, without asking anybody. */
async function known(ctx: Context): Promise<Entry | undefined> {
  const timer = (await ctx.state()).knownTimer()
  if (!timer) ctx.say('Nothing is known on this machine yet: `tt status` asks the service.')
  else if (ctx.options.debug) ctx.warn(`Known since ${formatTime(timer.at, ctx.now)}.`)
  return timer?.timer ? entryFromJson(timer.timer) : undefined
}
