import { formatTime } from '../calendar/time.js'
import type { Context } from '../cli/context.js'
import { hintText } from '../cli/next-step-text.js'
import { type Entry, entryFromJson } from '../entries/entry.js'
import { TtError } from '../lib/errors.js'
import type { View } from '../ui/view.js'
import type { CommandInput } from './shared/command.js'
import { longSleepSeconds } from './shared/running-timer-doubt.js'
import { entryView } from './views/entry.js'
import { entryTemplateFields } from './views/entry-template-fields.js'

export interface StatusOptions {
  cached?: boolean
  /** The template of a line for a shell prompt: see `templateLines`. */
  template?: string
}

const noTimerText = 'No timer is running.'

export const allowsUnreadableSettings = true
export const view = (ctx: Context): View<Entry> => ({
  ...entryView(ctx),
  templateFields: entryTemplateFields(ctx),
  empty: noTimerText,
})

/** Returns the running entry. With a template it returns an array, so that no timer prints nothing. */
export async function run(
  ctx: Context,
  { options }: CommandInput<StatusOptions>,
): Promise<Entry | Entry[] | null> {
  const entry = options.cached ? await cachedTimer(ctx) : await runningTimer(ctx)
  if (options.template !== undefined) return entry ? [entry] : []
  if (!entry) ctx.terminal.message(noTimerText)
  return entry ?? null
}

/** Returns the cached timer, without a request. */
async function cachedTimer(ctx: Context): Promise<Entry | undefined> {
  const timer = (await ctx.state()).snapshot('timer')
  if (ctx.options.template !== undefined) {
    // Messages on stderr would break the shell prompt.
  } else if (!timer) ctx.terminal.message('No timer is cached yet: run `tt status` to request it.')
  else if (ctx.options.debug) ctx.terminal.warn(`Cached at ${formatTime(timer.at, ctx.now)}.`)
  return timer?.value ? entryFromJson(timer.value) : undefined
}

async function runningTimer(ctx: Context): Promise<Entry | undefined> {
  const entry = await (await ctx.entries()).running()
  const { json, quiet, template } = ctx.options
  // These options suppress messages.
  if (!json && !quiet && template === undefined) ctx.afterOutput.run(() => printNotes(ctx, entry))
  return entry
}

/**
 * Prints for how long this machine slept, and the progress toward the target, if one is set. Errors are warnings: the
 * timer has been printed already.
 */
async function printNotes(ctx: Context, entry: Entry | undefined): Promise<void> {
  try {
    const slept = entry && (await longSleepSeconds(ctx, entry))
    if (slept) ctx.terminal.warn(`This machine slept for ${ctx.durations.format(slept)} while the timer ran.`)
    if (!(await ctx.config.settings()).targets) return
    const { currentProgress } = await import('./shared/targets/current-progress.js')
    const text = await currentProgress(ctx, entry)
    if (text) ctx.terminal.message(text)
  } catch (error) {
    if (!(error instanceof TtError)) throw error
    ctx.terminal.warn(
      `The progress toward the target cannot be shown. ${error.message} ${hintText(error) ?? ''}`.trimEnd(),
    )
  }
}
