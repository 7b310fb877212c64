import { addDays, dayOf } from '../../../calendar/day.js'
import { formatTime, parseTime } from '../../../calendar/time.js'
import type { Context } from '../../../cli/context.js'
import { hintText } from '../../../cli/next-step-text.js'
import { defaultSettings } from '../../../config/settings/settings.js'
import { durationOf, type Entry, labelOf } from '../../../entries/entry.js'
import type { StopResult } from '../../../entries/timer-control.js'
import { TtError } from '../../../lib/errors.js'

/** Thrown when the end of a forgotten timer is not known yet. */
class UnansweredError extends Error {
  readonly running: Entry

  constructor(running: Entry) {
    super('The end of the timer is not known.')
    this.running = running
  }
}

/**
 * Stops the running timer at `at`; prompts for the end of a timer longer than `entry_limit`. Holds no lock during the
 * prompt. Throws TtError `not_found` when another timer is running afterwards.
 */
export async function stopForgottenTimer(
  ctx: Context,
  at: Date,
  notes: string | undefined,
): Promise<StopResult> {
  const [timerControl, limit] = await Promise.all([ctx.timerControl(), limitOf(ctx)])
  const endUnlessForgotten = (running: Entry): Date => {
    if (durationOf(running, at) > limit) throw new UnansweredError(running)
    return at
  }
  try {
    return await timerControl.stop(endUnlessForgotten, notes)
  } catch (error) {
    if (!(error instanceof UnansweredError)) throw error
    const forgotten = error.running
    const end = await promptForEnd(ctx, forgotten, at, limit)
    const endOfForgotten = (running: Entry): Date => {
      if (isSameEntry(running, forgotten)) return end
      throw new TtError('not_found', `${labelOf(forgotten)} has ended, and another timer is running.`, {
        hint: `Run \`tt stop\` to stop ${labelOf(running)}.`,
      })
    }
    return timerControl.stop(endOfForgotten, notes)
  }
}

/** An entry gets another ID when it is sent, so equal starts count too. */
function isSameEntry(one: Entry, other: Entry): boolean {
  return one.id === other.id || one.start.getTime() === other.start.getTime()
}

/** Warns about an entry longer than `entry_limit`, with the command that corrects its end. */
export async function warnOfLongEntry(ctx: Context, entry: Entry): Promise<void> {
  const limit = await limitOf(ctx)
  const seconds = durationOf(entry, ctx.now)
  if (seconds <= limit) return
  ctx.terminal.warn(
    `It ran for ${ctx.durations.format(seconds)}, longer than entry_limit (${ctx.durations.format(limit)}). ` +
      'If it ended earlier, run `tt edit @1 --to TIME`.',
  )
}

/** Returns `entry_limit` in seconds. Invalid settings are only a warning, so that the timer is still stopped. */
async function limitOf(ctx: Context): Promise<number> {
  try {
    return (await ctx.config.settings()).entryLimitSeconds
  } catch (error) {
    if (!(error instanceof TtError)) throw error
    ctx.afterOutput.warn(`${error.message} ${hintText(error) ?? ''}`.trimEnd())
    return defaultSettings.entryLimitSeconds
  }
}

async function promptForEnd(ctx: Context, running: Entry, at: Date, limit: number): Promise<Date> {
  const prompts = await ctx.terminal.prompts()
  if (!prompts) return at
  ctx.terminal.warn(
    `${labelOf(running)} has run for ${ctx.durations.format(durationOf(running, at))}, since ` +
      `${formatTime(running.start, ctx.now)}: longer than entry_limit (${ctx.durations.format(limit)}).`,
  )
  const answer = await prompts.text('When did it end?', {
    suggestion: 'now',
    findProblem(text) {
      try {
        parseEnd(text, running.start, ctx.now)
        return undefined
      } catch (error) {
        if (error instanceof TtError) return error.message
        throw error
      }
    },
  })
  return parseEnd(answer, running.start, ctx.now)
}

/**
 * Parses the end of a timer that began at `start`. A time of day is the first one after the start: on that day, the
 * next day, or today.
 */
function parseEnd(text: string, start: Date, now: Date): Date {
  const startDay = dayOf(start)
  for (const day of [startDay, addDays(startDay, 1), dayOf(now)]) {
    const end = parseTime(text, now, day)
    if (end >= start && end <= now) return end
  }
  throw new TtError('usage', `"${text}" is not between ${formatTime(start, now)} and now.`)
}
