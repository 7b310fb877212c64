import type { Context } from '../cli/context.js'
import type { Input } from '../cli/input.js'
import { hostOf } from '../config/profile.js'
import { formatTime } from '../lib/calendar/time.js'
import type { commands } from '../program/declarations/timer.js'
import { type Entry, entryFromJson } from '../tracking/entries/entry.js'
import { wrapText } from '../ui/text.js'
import type { View } from '../ui/view.js'
import { isForTerminal, printDayNotes, TerminalText, terminalText } from './shared/day-notes.js'
import { entryTemplateFields, entryView } from './views/entry.js'

const noTimerText = 'No timer is running.'

export const allowsUnreadableSettings = true
export const view = (ctx: Context): View<Entry> => ({
  ...entryView(ctx),
  templateFields: entryTemplateFields(ctx),
  empty: noTimerText,
})

export const text = terminalText

/** How long a person waits for the service before cached data is shown, in milliseconds. */
const patienceMs = 1000

/**
 * Returns the running entry; for a terminal, the rows of the timer, today and this week. With a template it returns an
 * array, so that no timer prints nothing.
 */
export async function run(
  ctx: Context,
  { options }: Input<typeof commands.status>,
): Promise<Entry | Entry[] | TerminalText | null> {
  if (!options.cached && isForTerminal(ctx) && (await ctx.sendMode()) === 'background')
    return new TerminalText([...(await overviewInTime(ctx)), ...(await problemLines(ctx))])
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

/** Returns the lines about changes that the service does not have. */
async function problemLines(ctx: Context): Promise<string[]> {
  const { changeLines } = await import('./shared/change-lines.js')
  const { style, width = Number.POSITIVE_INFINITY } = await ctx.terminal.renderOptions()
  return (await changeLines(ctx)).flatMap((line) => wrapText(line, width).map(style.yellow))
}

/** Returns the rows of the day from the service, or the cached ones with their age if it does not respond in time. */
async function overviewInTime(ctx: Context): Promise<string[]> {
  const [entries, state, { dayOverview }] = await Promise.all([
    ctx.entries(),
    ctx.state(),
    import('./shared/day-overview.js'),
  ])
  const known = state.snapshot('timer')
  const requested = entries.running()
  const overview = dayOverview(ctx, requested, { isKnown: false })
  const isInTime = await Promise.race([
    overview.then(() => true),
    known ? ctx.host.pause(patienceMs).then(() => false) : overview.then(() => true),
  ])
  if (isInTime) {
    const timer = await requested
    if (!ctx.options.quiet) ctx.afterOutput.run(() => printDayNotes(ctx, timer))
    return overview
  }
  // The command ends before their responses.
  for (const request of [requested, overview]) request.catch(() => {})
  ctx.terminal.endProgress()
  const host = hostOf(ctx.config.profile)
  const staleness = await ctx.staleness()
  const at = known?.at
  staleness.note(new Error(`${host} has not responded for ${patienceMs / 1000} s.`), { at, complete: true })
  return dayOverview(ctx, await entries.known.running(), { isKnown: true })
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
