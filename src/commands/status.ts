import { formatTime } from '../calendar/time.js'
import type { Context } from '../cli/context.js'
import { hintText } from '../cli/next-step.js'
import { type Entry, entryFromJson } from '../entries/entry.js'
import { TtError } from '../lib/errors.js'
import type { View } from '../ui/view.js'
import { entryView } from './views/entry.js'
import { entryTemplateFields } from './views/entry-template-fields.js'

export interface StatusOptions {
  cached?: boolean
  /** How a line for a prompt is made: see `templateLines`. */
  template?: string
}

const noTimerText = 'No timer is running.'

export const usesDefaultSettings = true
export const view = (ctx: Context): View<Entry> => ({
  ...entryView(ctx.now),
  templateFields: entryTemplateFields(ctx.now),
  empty: noTimerText,
})

/** For a template a list of what runs: without a timer a prompt is shown nothing, and a template is read anyway. */
export async function run(ctx: Context, options: StatusOptions): Promise<Entry | Entry[] | null> {
  const entry = options.cached ? await cachedTimer(ctx) : await runningTimer(ctx)
  if (options.template !== undefined) return entry ? [entry] : []
  if (!entry) ctx.message(noTimerText)
  return entry ?? null
}

/** What this machine knows, without asking anybody. */
async function cachedTimer(ctx: Context): Promise<Entry | undefined> {
  const timer = (await ctx.state()).knownTimer()
  if (ctx.options.template !== undefined) {
    // Words on stderr would stand in the midst of a prompt.
  } else if (!timer) ctx.message('Nothing is known on this machine yet: `tt status` asks the service.')
  else if (ctx.options.debug) ctx.warn(`Known since ${formatTime(timer.at, ctx.now)}.`)
  return timer?.timer ? entryFromJson(timer.timer) : undefined
}

async function runningTimer(ctx: Context): Promise<Entry | undefined> {
  const entry = await (await ctx.entries()).running()
  const { json, quiet, template } = ctx.options
  // Under these, nobody would read it.
  if (!json && !quiet && template === undefined) ctx.afterOutput(() => printProgress(ctx, entry))
  return entry
}

/** Says how far today and this week are, where a target is set. What runs has been shown: this is not worth failing for. */
async function printProgress(ctx: Context, entry: Entry | undefined): Promise<void> {
  try {
    if (!(await ctx.settings()).targets) return
    const { currentProgress } = await import('./shared/target-progress.js')
    const words = await currentProgress(ctx, entry)
    if (words) ctx.message(words)
  } catch (error) {
    if (!(error instanceof TtError)) throw error
    ctx.warn(
      `How far today and this week are is not known. ${error.message} ${hintText(error) ?? ''}`.trimEnd(),
    )
  }
}
