import { addDays, dayOf } from '../../calendar/day.js'
import { formatDuration } from '../../calendar/duration.js'
import { formatTime, parseTime } from '../../calendar/time.js'
import type { Context } from '../../cli/context.js'
import { hintText } from '../../cli/next-step.js'
import { defaultSettings } from '../../config/settings/settings.js'
import type { StopResult } from '../../entries/entries.js'
import { durationOf, type Entry, labelOf } from '../../entries/entry.js'
import { TtError } from '../../lib/errors.js'

/** It was not asked yet when that timer ended. */
class UnansweredError extends Error {
  readonly running: Entry

  constructor(running: Entry) {
    super('Nobody has said when the timer ended.')
    this.running = running
  }
}

/**
 * Stops the running timer at `at`; one that has run for longer than `entry_limit` when the person at the terminal says.
 * Nothing is kept from other processes while the question is open. Throws TtError `not_found` when another timer runs by
 * the time of the answer.
 */
export async function stopForgottenTimer(
  ctx: Context,
  at: Date,
  notes: string | undefined,
): Promise<StopResult> {
  const [tracking, limit] = await Promise.all([ctx.entries(), limitOf(ctx)])
  const endUnlessForgotten = (running: Entry): Date => {
    if (durationOf(running, at) > limit) throw new UnansweredError(running)
    return at
  }
  try {
    return await tracking.stop(endUnlessForgotten, notes)
  } catch (error) {
    if (!(error instanceof UnansweredError)) throw error
    const forgotten = error.running
    const end = await promptForEnd(ctx, forgotten, at, limit)
    const endOfForgotten = (running: Entry): Date => {
      if (isSameEntry(running, forgotten)) return end
      throw new TtError('not_found', `${labelOf(forgotten)} has ended meanwhile, and another timer runs.`, {
        hint: `\`tt stop\` stops that one, ${labelOf(running)}.`,
      })
    }
    return tracking.stop(endOfForgotten, notes)
  }
}

/** What was delivered meanwhile has another id now. */
function isSameEntry(one: Entry, other: Entry): boolean {
  return one.id === other.id || one.start.getTime() === other.start.getTime()
}

/** Says of an entry that ran for longer than `entry_limit` how to set when it really ended. */
export async function warnOfLongEntry(ctx: Context, entry: Entry): Promise<void> {
  const limit = await limitOf(ctx)
  const seconds = durationOf(entry, ctx.now)
  if (seconds <= limit) return
  ctx.warn(
    `It ran for ${formatDuration(seconds)}, longer than entry_limit (${formatDuration(limit)}). ` +
      'If it ended earlier: `tt edit @1 --to TIME`.',
  )
}

/** Settings that cannot be read are told when the timer has been stopped: that is never lost for them. */
async function limitOf(ctx: Context): Promise<number> {
  try {
    return (await ctx.settings()).longestEntrySeconds
  } catch (error) {
    if (!(error instanceof TtError)) throw error
    ctx.warnAfterOutput(`${error.message} ${hintText(error) ?? ''}`.trimEnd())
    return defaultSettings.longestEntrySeconds
  }
}

async function promptForEnd(ctx: Context, running: Entry, at: Date, limit: number): Promise<Date> {
  const prompts = await ctx.prompts()
  if (!prompts) return at
  ctx.warn(
    `${labelOf(running)} has run for ${formatDuration(durationOf(running, at))}, since ` +
      `${formatTime(running.start, ctx.now)}: longer than entry_limit (${formatDuration(limit)}).`,
  )
  const answer = await prompts.text('When did it end?', {
    suggestion: 'now',
    problemWith(text) {
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
 * When the timer that began at `start` ended, as it was typed. A time of day alone is the first after the start: of that
 * day, the next one, or today.
 */
function parseEnd(text: string, start: Date, now: Date): Date {
  const startDay = dayOf(start)
  for (const day of [startDay, addDays(startDay, 1), dayOf(now)]) {
    const end = parseTime(text, now, day)
    if (end >= start && end <= now) return end
  }
  throw new TtError('usage', `"${text}" is not between ${formatTime(start, now)} and now.`)
}
