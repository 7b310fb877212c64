import type { Context } from '../cli/context.js'
import type { Input } from '../cli/input.js'
import { minEntryLimitSeconds } from '../config/settings/settings.js'
import { formatTime, parseTime } from '../lib/calendar/time.js'
import type { commands } from '../program/declarations/timer.js'
import { durationOf, type Entry, labelOf } from '../tracking/entries/entry.js'
import { knownTimer } from './shared/confirm-end.js'
import { entryView } from './views/entry.js'

export const allowsUnreadableSettings = true
export const messageReplacesValue = true
export const canQueue = true
export const view = (ctx: Context) => entryView(ctx)

export async function run(ctx: Context, { options }: Input<typeof commands.stop>): Promise<Entry> {
  const at = options.at ?? parseTime('now', ctx.now)
  const known = options.at === undefined ? await knownTimer(ctx, at) : undefined
  const shouldPrompt = known?.isInDoubt === true && ctx.terminal.isInteractive && !ctx.options.yes
  const { entry, stillRunning } = shouldPrompt
    ? await (await import('./shared/prompts/forgotten-timer.js')).stopForgottenTimer(ctx, at, options.notes)
    : await (await ctx.timerControl()).stop(at, options.notes)
  const duration = ctx.durations.format(durationOf(entry, at))
  const times = `${formatTime(entry.start, ctx.now)}–${formatTime(entry.end ?? at, entry.start)}`
  ctx.terminal.message(`Stopped ${labelOf(entry)}: ${duration} (${times}).`)
  if (known && !shouldPrompt && (known.isInDoubt || durationOf(entry, at) >= minEntryLimitSeconds)) {
    const { warnOfForgottenTimer } = await import('./shared/prompts/forgotten-timer.js')
    await warnOfForgottenTimer(ctx, entry, known.sleptSeconds)
  }
  for (const other of stillRunning) {
    const since = formatTime(other.start, ctx.now)
    ctx.terminal.warn(`${labelOf(other)} is still running since ${since}.`, {
      action: 'stop_timer',
      name: 'it',
    })
  }
  return entry
}
