import type { Context } from '../../cli/context.js'
import type { Entry } from '../../tracking/entries/entry.js'
import { knownTimer } from './running-timer-doubt.js'

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
