import { formatTime } from '../calendar/time.js'
import type { Context } from '../cli/context.js'
import { type Entry, entryFromJson } from '../entries/entry.js'
import type { View } from '../ui/view.js'
import type { CommandInput } from './shared/command.js'
import { printDayNotes } from './shared/day-notes.js'
import { isForTerminal, TerminalText, terminalText } from './shared/terminal-text.js'
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

export const text = terminalText

/**
 * Returns the running entry; for a terminal, the rows of the timer, today and this week. With a template it returns an
 * array, so that no timer prints nothing.
 */
export async function run(
  ctx: Context,
  { options }: CommandInput<StatusOptions>,
): Promise<Entry | Entry[] | TerminalText | null> {
  const entry = options.cached ? await cachedTimer(ctx) : await (await ctx.entries()).running()
  if (options.template !== undefined) return entry ? [entry] : []
  const { json, quiet } = ctx.options
  // These options suppress messages.
  if (!options.cached && !json && !quiet) ctx.afterOutput.run(() => printDayNotes(ctx, entry))
  if (isForTerminal(ctx)) {
    const { dayOverview } = await import('./shared/day-overview.js')
    return new TerminalText(await dayOverview(ctx, entry, { isKnown: options.cached === true }))
  }
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
