import type { Context } from '../cli/context.js'
import type { Input } from '../cli/input.js'
import { formatTime, parseTime } from '../lib/calendar/time.js'
import { TtError } from '../lib/errors.js'
import type { commands } from '../program/declarations/timer.js'
import { existingLink } from '../tracking/catalog/catalog.js'
import { type Entry, labelOf } from '../tracking/entries/entry.js'
import { confirmEnd } from './shared/confirm-end.js'
import { type ConfirmedStart, confirmStart } from './shared/prompts/overlap.js'
import { pickEntry } from './shared/prompts/pick-entry.js'
import { entryView } from './views/entry.js'

export const messageReplacesValue = true
export const canQueue = true
export const view = (ctx: Context) => entryView(ctx)

export async function run(
  ctx: Context,
  { args: { entry: reference }, options }: Input<typeof commands.continue>,
): Promise<Entry | undefined> {
  const at = options.at ?? parseTime('now', ctx.now)
  const { entries, timerControl } = await ctx.tracker()
  const before = options.pick
    ? await pickEntry(ctx, 'Which entry should be resumed?')
    : reference === undefined
      ? await lastBegun(ctx)
      : await entries.find(reference)
  if (!before.link) {
    throw new TtError(
      'usage',
      `Entry ${before.id} belongs to ${labelOf(before)}, which cannot be tracked on.`,
      {
        nextStep: { action: 'start_or_add' },
      },
    )
  }
  const confirmed: Partial<ConfirmedStart> | undefined =
    options.at === undefined && !options.trim
      ? {}
      : await confirmStart(ctx, { label: before.link.label, at }, options)
  if (!confirmed) return undefined
  const notes = options.notes ?? before.notes
  const ending = options.at === undefined ? await confirmEnd(ctx, at) : undefined
  const { entry, stopped, trimmed } = await timerControl.start(existingLink(before.link), at, notes, {
    trim: confirmed.trim,
    endOf: ending?.endOf,
  })
  confirmed.printTrimmed?.(trimmed)
  for (const running of stopped) ctx.terminal.message(`Stopped ${labelOf(running)}.`)
  ctx.terminal.message(`Started ${labelOf(entry)} again at ${formatTime(entry.start, ctx.now)}.`)
  await ending?.warn(stopped)
  await confirmed.warnOfOverlaps?.(entry)
  return entry
}

/** Returns the last finished entry that has begun: later ones are planned. Throws TtError `not_found` without one. */
async function lastBegun(ctx: Context): Promise<Entry> {
  const entries = await ctx.entries()
  for (let n = 1; ; n++) {
    const entry = await entries.find(`@${n}`)
    if (entry.start <= ctx.now) return entry
  }
}
