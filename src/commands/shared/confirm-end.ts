import type { Context } from '../../cli/context.js'
import { minEntryLimitSeconds, minSleepLimitSeconds } from '../../config/settings/settings.js'
import { durationOf, type Entry } from '../../tracking/entries/entry.js'

/** The end of the running timer that a new one ends. */
interface ConfirmedEnd {
  /** Returns the end that the user gave; undefined if it is the start of the new timer. */
  endOf: ((running: Entry) => Date) | undefined
  /** Warns, without a prompt, that one of these entries may have ended earlier. */
  warn(stopped: readonly Entry[]): Promise<void>
}

/**
 * Prompts for the end of the running timer if this machine slept while it ran, or if it started after `at`. Returns
 * undefined if there is nothing to ask.
 */
export async function confirmEnd(ctx: Context, at: Date): Promise<ConfirmedEnd | undefined> {
  const { timer, sleptSeconds, isSleepOrClockInDoubt } = await knownTimer(ctx, at)
  if (!timer || !isSleepOrClockInDoubt) return undefined
  const { endOfForgottenTimer, warnOfForgottenTimer } = await import('./prompts/forgotten-timer.js')
  const endOf = await endOfForgottenTimer(ctx, timer, at)
  return {
    endOf,
    async warn([stopped]) {
      const isUnasked = endOf === undefined && !ctx.terminal.isInteractive
      if (stopped && (isUnasked || ctx.options.yes)) await warnOfForgottenTimer(ctx, stopped, sleptSeconds)
    },
  }
}

/** The known timer, and whether its end may be in doubt, whatever the settings are: they are loaded only then. */
interface KnownTimer {
  timer: Entry | undefined
  /** For how many seconds this machine slept while it ran. */
  sleptSeconds: number
  /** Whether it may exceed `sleep_limit`, or started after `at`. */
  isSleepOrClockInDoubt: boolean
  /** Whether it may exceed `entry_limit`, too; true for an unknown timer. */
  isInDoubt: boolean
}

/** Returns the seconds that this machine slept during a running entry, if they exceed `sleep_limit`; otherwise undefined. */
export async function longSleepSeconds(ctx: Context, running: Entry): Promise<number | undefined> {
  const seconds = (await ctx.tracker()).timer.sleptSeconds(running)
  if (seconds < minSleepLimitSeconds) return undefined
  return seconds > (await ctx.config.settings()).sleepLimitSeconds ? seconds : undefined
}

/** Returns the timer that is known on this machine, at `at`. */
export async function knownTimer(ctx: Context, at: Date): Promise<KnownTimer> {
  const { timer: runningTimer } = await ctx.tracker()
  const timer = runningTimer.known
  const sleptSeconds = timer ? runningTimer.sleptSeconds(timer) : 0
  const isSleepOrClockInDoubt =
    timer !== undefined && (timer.start > at || sleptSeconds >= minSleepLimitSeconds)
  const isLong = timer === undefined || durationOf(timer, at) >= minEntryLimitSeconds
  return { timer, sleptSeconds, isSleepOrClockInDoubt, isInDoubt: isLong || isSleepOrClockInDoubt }
}
