import { formatTime, parseTime } from '../calendar/time.js'
import type { Context } from '../context.js'
import { TtError } from '../errors.js'
import { type Entry, labelOf } from '../tracking/entries.js'
import { entryView } from './views/entry.js'

export interface ContinueOptions {
  at?: string
  notes?: string
}

export const told = true
export const view = (ctx: Context) => entryView(ctx.now)

export async function run(
  ctx: Context,
  reference: string | undefined,
  options: ContinueOptions,
): Promise<Entry> {
  const at = parseTime(options.at ?? 'now', ctx.now)
  const tracking = await ctx.tracking()
  const before = await tracking.find(reference ?? '@1')
  if (!before.link) {
    throw new TtError(
      'usage',
      `Entry ${before.id} belongs to ${labelOf(before)}, which cannot be tracked on.`,
      {
        hint: '`tt start TASK` starts another task.',
      },
    )
  }
  const { entry, stopped } = await tracking.start(before.link, at, options.notes ?? before.notes)
  for (const running of stopped) ctx.say(`Stopped ${labelOf(running)}.`)
  ctx.say(`Started ${labelOf(entry)} again at ${formatTime(entry.start, ctx.now)}.`)
  return entry
}
