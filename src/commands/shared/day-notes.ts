import type { Context } from '../../cli/context.js'
import { TtError } from '../../lib/errors.js'
import type { NextStep } from '../../lib/next-step.js'
import type { Entry } from '../../tracking/entries/entry.js'
import { formatFor } from '../../ui/formats/render.js'
import { longSleepSeconds } from './confirm-end.js'

/**
 * Prints for how long this machine slept, and off a terminal the rows of today and this week if a target is set. Errors are
 * warnings: the timer has been printed already.
 */
export async function printDayNotes(ctx: Context, timer: Entry | undefined): Promise<void> {
  try {
    const slept = timer && (await longSleepSeconds(ctx, timer))
    if (slept) ctx.terminal.warn(`This machine slept for ${ctx.durations.format(slept)} while the timer ran.`)
    if (isForTerminal(ctx) || !(await ctx.config.settings()).targets) return
    const { totalLines } = await import('./day-overview.js')
    ctx.terminal.message((await totalLines(ctx, timer)).join('\n'))
  } catch (error) {
    ctx.terminal.warn(...progressWarning(error))
  }
}

/** Returns the warning that the totals cannot be shown. Throws `error` if it is unexpected. */
export function progressWarning(error: unknown): [text: string, nextStep: NextStep | undefined] {
  if (!(error instanceof TtError)) throw error
  const reason = `${error.message} ${error.hint ?? ''}`.trimEnd()
  return [`The progress toward the target cannot be shown. ${reason}`, error.nextStep]
}

/** Lines for a terminal, which a command returns instead of its records. */
export class TerminalText {
  constructor(readonly lines: readonly string[]) {}
}

/** Returns the output for a `TerminalText`; undefined for other values. */
export function terminalText(value: unknown): string[] | undefined {
  return value instanceof TerminalText ? value.lines.map((line) => `${line}\n`) : undefined
}

/** Whether the output of a command is for a person at a terminal: without a format, `--fields` and a calling program. */
export function isForTerminal({ host, options }: Context): boolean {
  if (host.stdout.isTTY !== true || options.usesValue) return false
  return formatFor(options, true) === 'table' && options.fields === undefined
}
