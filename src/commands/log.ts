import type { Predicates } from '../api-client/filter/query.js'
import type { Context } from '../cli/context.js'
import type { Input, Options } from '../cli/input.js'
import { type TimeRange, timeOf } from '../lib/calendar/interval.js'
import type { commands } from '../program/declarations/report.js'
import { chosenFilters, entryFilter } from '../program/options/entry-filters.js'
import type { Entry } from '../tracking/entries/entry.js'
import { fileExtensions as extensions } from '../ui/formats/formats.js'
import { formatFor, listWriter } from '../ui/formats/render.js'
import type { TextChunks } from '../ui/text.js'
import type { View } from '../ui/view.js'
import { cacheTimeZone, requestedPeriod } from './shared/options/period-options.js'
import { checkFilterNames } from './shared/unknown-names.js'
import { withCommits } from './views/commits.js'
import { entryTemplateFields, eventOf } from './views/entry.js'
import { inPeriod, type LoggedEntry, loggedEntryView } from './views/logged-entry.js'

type LogInput = Input<typeof commands.log>

export const allowsUnreadableSettings = true
export const fileExtensions = extensions.log
export const view = (
  ctx: Context,
  entries: LoggedEntry[],
  { options: { git } }: LogInput,
): View<LoggedEntry> => {
  const hasFooter = formatFor(ctx.options, ctx.host.stdout.isTTY === true) === 'table'
  const logged = loggedEntryView(ctx, entries, { hasFooter })
  return {
    ...(git ? withCommits(logged) : logged),
    templateFields: entryTemplateFields(ctx),
    event: (entry) => eventOf(entry, entry.uid ?? '', ctx.now),
  }
}

/** Entries that are written as they are read. */
interface StreamedEntries {
  chunks: TextChunks
}

export function text(value: LoggedEntry[] | StreamedEntries): TextChunks | undefined {
  return 'chunks' in value ? value.chunks : undefined
}

export async function run(ctx: Context, input: LogInput): Promise<LoggedEntry[] | StreamedEntries> {
  const { options } = input
  const { limit, where = {} } = options
  await cacheTimeZone(ctx, where)
  const matchesFilter = entryFilter(options, await ctx.config.settings())
  const streamed = limit === undefined && !options.git ? await streamEntries(ctx, input, where) : undefined
  if (streamed) return streamed
  const { range, entries } = await findEntries(ctx, input, where)
  const found = await withBilling(ctx, entries.filter(matchesFilter), range)
  const matching = options.git ? await addCommits(ctx, found, range, options) : found
  await checkFilterNames(ctx, options, matching.length)
  const listed = limit === undefined ? matching : matching.slice(-limit)
  if (!ctx.options.ical) return listed
  const { calendarIds } = await import('./shared/calendar-ids.js')
  const uidOf = await calendarIds(ctx, listed)
  return listed.map((entry) => ({ ...entry, uid: uidOf(entry) }))
}

/** Returns the parts of entries in the period; for programs and with `--fields`, with how they are billed. */
async function withBilling(
  ctx: Context,
  entries: readonly Entry[],
  range: TimeRange,
): Promise<LoggedEntry[]> {
  const found = entries.map((entry) => inPeriod(entry, range, ctx.now))
  const format = formatFor(ctx.options, ctx.host.stdout.isTTY === true)
  if (format === 'table' && ctx.options.fields === undefined) return found
  const { entryBilling } = await import('./report/billing-terms.js')
  const billingOf = await entryBilling(ctx, range)
  return found.map((entry) => ({ ...entry, billing: billingOf(entry) }))
}

/**
 * Returns the text of the entries in a format for programs, written while the entries are read, so that a long list is not
 * in memory as a whole; undefined for a format or a selection that needs the whole list.
 */
async function streamEntries(
  ctx: Context,
  input: LogInput,
  where: Predicates,
): Promise<StreamedEntries | undefined> {
  const isTerminal = ctx.host.stdout.isTTY === true
  const format = formatFor(ctx.options, isTerminal)
  const isStreamed = format === 'ndjson' || format === 'csv' || format === 'tsv'
  const { fields, usesValue } = ctx.options
  if (!isStreamed || isTerminal || usesValue || fields !== undefined) return undefined
  const { options } = input
  const period = requestedPeriod(ctx, input)
  if (!period) return undefined
  const range = timeOf(period)
  const [tracking, matches] = [await ctx.entries(), entryFilter(options, await ctx.config.settings())]
  const batches = tracking.orderedBatches(range, where)
  // Errors of the first batch come before any output, as those of a whole list.
  const first = await batches.next()
  const { entryBilling } = await import('./report/billing-terms.js')
  const billingOf = await entryBilling(ctx, range)
  const writer = listWriter(format, loggedEntryView(ctx, []), { raw: ctx.options.raw === true })
  async function* chunks(): AsyncGenerator<string> {
    let count = 0
    yield writer.head
    for (let batch = first; !batch.done; batch = await batches.next()) {
      const rows = batch.value
        .filter(matches)
        .map((entry) => ({ ...inPeriod(entry, range, ctx.now), billing: billingOf(entry) }))
      count += rows.length
      yield rows.map((row) => writer.row(row)).join('')
    }
    yield writer.end()
    await checkFilterNames(ctx, options, count)
  }
  return { chunks: chunks() }
}

/**
 * Returns the entries that overlap the requested period. Without a period, --running, --pending and --where on time_start
 * search all days instead of the last seven.
 */
async function findEntries(
  ctx: Context,
  input: LogInput,
  where: Predicates,
): Promise<{ range: TimeRange; entries: Entry[] }> {
  const { options } = input
  const period = requestedPeriod(ctx, input)
  const tracking = await ctx.entries()
  const conditions = Object.keys(where)
  if (!period && options.pending) return { range: {}, entries: await tracking.pending(where) }
  if (!period && options.running && conditions.length === 0)
    return { range: {}, entries: (await tracking.allRunning()).reverse() }
  const isElsewhere = options.running || conditions.some((key) => key.startsWith('time_start_'))
  const range = timeOf(period ?? (isElsewhere ? {} : input.args.period.byDefault))
  return { range, entries: await tracking.overlapping(range, where) }
}

/**
 * Adds the commits to the entries. Lists the others in a message, unless a filter omits the entries that may contain
 * them.
 */
async function addCommits(
  ctx: Context,
  entries: LoggedEntry[],
  range: TimeRange,
  options: Options<typeof commands.log>,
): Promise<LoggedEntry[]> {
  const { assignCommits, commitsIn, commitsMessage } = await import('./shared/commits.js')
  const [earliest] = entries
  if (!range.start && !earliest) return entries
  const commits = await commitsIn(ctx, { ...range, start: range.start ?? (earliest as LoggedEntry).start })
  const intervals = entries.map(({ start, end }) => ({ start, end: end ?? ctx.now }))
  const { inEach, outside } = assignCommits(commits, intervals)
  const isFiltered = chosenFilters(options).length > 0
  if (outside.length > 0 && !isFiltered)
    ctx.afterOutput.run(async () => ctx.terminal.message(commitsMessage(outside, 'in no entry')))
  return entries.map((entry, index) => ({ ...entry, commits: inEach[index] ?? [] }))
}
