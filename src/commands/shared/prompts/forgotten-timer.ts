import type { Context } from '../../../cli/context.js'
import { defaultSettings, type Settings } from '../../../config/settings/settings.js'
import { addDays, dayOf } from '../../../lib/calendar/day.js'
import { formatExactTime, formatTime, parseTime } from '../../../lib/calendar/time.js'
import { TtError } from '../../../lib/errors.js'
import { durationOf, type Entry, labelOf } from '../../../tracking/entries/entry.js'
import { isSameEntry } from '../../../tracking/entries/running-timer.js'
import { clockError, isClockBehind, type StopResult } from '../../../tracking/entries/timer-control.js'

type Limits = Pick<Settings, 'entryLimitSeconds' | 'sleepLimitSeconds'>

/** Why a timer may not end now. */
interface Doubt {
  kind: 'clock' | 'entry_limit' | 'sleep'
  /** A part of a sentence about the timer. */
  reason: string
  /** The end that Enter alone accepts. */
  suggestion: string
}

/** Thrown when the end of a timer is not known yet. */
class UnansweredError extends Error {
  readonly running: Entry
  readonly doubt: Doubt

  constructor(running: Entry, doubt: Doubt) {
    super('The end of the timer is not known.')
    this.running = running
    this.doubt = doubt
  }
}

/**
 * Stops the running timer at `at`; prompts for the end of a timer that is longer than `entry_limit`, during which this
 * machine slept for longer than `sleep_limit`, or which started after `at`. Holds no lock during the prompt. Throws
 * TtError `not_found` when another timer is running afterwards.
 */
export async function stopForgottenTimer(
  ctx: Context,
  at: Date,
  notes: string | undefined,
): Promise<StopResult> {
  const [timerControl, { timer }, limits] = await Promise.all([
    ctx.timerControl(),
    ctx.tracker(),
    limitsOf(ctx),
  ])
  const endUnlessForgotten = (running: Entry): Date => {
    const doubt = doubtOf(ctx, running, { at, limits, sleptSeconds: timer.sleptSeconds(running) })
    if (doubt) throw new UnansweredError(running, doubt)
    return at
  }
  try {
    return await timerControl.stop(endUnlessForgotten, notes)
  } catch (error) {
    if (!(error instanceof UnansweredError)) throw error
    const forgotten = error.running
    const end = await promptForEnd(ctx, forgotten, at, error.doubt)
    const endOfForgotten = (running: Entry): Date => {
      if (isSameEntry(running, forgotten)) return end
      throw new TtError('not_found', `${labelOf(forgotten)} has ended, and another timer is running.`, {
        nextStep: { action: 'stop_timer', name: labelOf(running) },
      })
    }
    return timerControl.stop(endOfForgotten, notes)
  }
}

/**
 * Prompts for the end of the running timer that a new one ends at `at`, if this machine slept while it ran or the clock was
 * set back. Returns undefined if `at` is the end, and without a terminal; there, throws TtError `usage` for the clock.
 */
export async function endOfForgottenTimer(
  ctx: Context,
  running: Entry,
  at: Date,
): Promise<((running: Entry) => Date) | undefined> {
  if (!ctx.terminal.isInteractive || ctx.options.yes) {
    if (isClockBehind(running, at)) throw clockError(running, at)
    return undefined
  }
  const [{ timer }, limits] = [await ctx.tracker(), await limitsOf(ctx)]
  const doubt = doubtOf(ctx, running, { at, limits, sleptSeconds: timer.sleptSeconds(running) })
  if (!doubt || doubt.kind === 'entry_limit') return undefined
  const end = await promptForEnd(ctx, running, at, doubt)
  return (other) => (isSameEntry(other, running) ? end : at)
}

function doubtOf(
  ctx: Context,
  running: Entry,
  { at, limits, sleptSeconds }: { at: Date; limits: Limits; sleptSeconds: number },
): Doubt | undefined {
  if (isClockBehind(running, at)) {
    const reason = `started at ${formatTime(running.start, at)}, but the clock shows ${formatTime(at)}: it was set back`
    return { kind: 'clock', reason, suggestion: formatExactTime(running.start) }
  }
  const duration = `has run for ${ctx.durations.format(durationOf(running, at))}, since ${formatTime(running.start, ctx.now)}`
  if (sleptSeconds > limits.sleepLimitSeconds)
    return {
      kind: 'sleep',
      reason: `${duration}, and ${sleepText(ctx, sleptSeconds, limits)}`,
      suggestion: 'now',
    }
  if (durationOf(running, at) <= limits.entryLimitSeconds) return undefined
  const reason = `${duration}: longer than entry_limit (${ctx.durations.format(limits.entryLimitSeconds)})`
  return { kind: 'entry_limit', reason, suggestion: 'now' }
}

function sleepText(ctx: Context, seconds: number, { sleepLimitSeconds }: Limits): string {
  const [slept, limit] = [seconds, sleepLimitSeconds].map((each) => ctx.durations.format(each))
  return `this machine slept for ${slept} of that time, longer than sleep_limit (${limit})`
}

/** Warns about an entry that may have ended earlier, with the command that corrects its end. */
export async function warnOfForgottenTimer(ctx: Context, entry: Entry, sleptSeconds: number): Promise<void> {
  const limits = await limitsOf(ctx)
  const seconds = durationOf(entry, ctx.now)
  const ran = ctx.durations.format(seconds)
  const limit = ctx.durations.format(limits.entryLimitSeconds)
  const problem =
    sleptSeconds > limits.sleepLimitSeconds
      ? `It ran for ${ran}, and ${sleepText(ctx, sleptSeconds, limits)}.`
      : seconds > limits.entryLimitSeconds
        ? `It ran for ${ran}, longer than entry_limit (${limit}).`
        : undefined
  if (problem) ctx.terminal.warn(problem, { action: 'correct_end' })
}

/** Returns the limits. Invalid settings are only a warning, so that the timer is still stopped. */
async function limitsOf(ctx: Context): Promise<Limits> {
  try {
    return await ctx.config.settings()
  } catch (error) {
    if (!(error instanceof TtError)) throw error
    ctx.afterOutput.warn(`${error.message} ${error.hint ?? ''}`.trimEnd(), error.nextStep)
    return defaultSettings
  }
}

async function promptForEnd(ctx: Context, running: Entry, at: Date, doubt: Doubt): Promise<Date> {
  const prompts = await ctx.terminal.prompts()
  if (!prompts) return at
  ctx.terminal.warn(`${labelOf(running)} ${doubt.reason}.`)
  const answer = await prompts.text('When did it end?', {
    suggestion: doubt.suggestion,
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
 * next day, or today. Where the clock was set back to before the start, any later time is possible.
 */
function parseEnd(text: string, start: Date, now: Date): Date {
  const startDay = dayOf(start)
  for (const day of [startDay, addDays(startDay, 1), dayOf(now)]) {
    const end = parseTime(text, now, day)
    if (end >= start && (end <= now || start > now)) return end
  }
  if (start > now) throw new TtError('usage', `"${text}" is before the start, ${formatTime(start, now)}.`)
  throw new TtError('usage', `"${text}" is not between ${formatTime(start, now)} and now.`)
}
