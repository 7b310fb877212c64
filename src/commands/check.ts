import type { Context } from '../cli/context.js'
import type { Input, Options } from '../cli/input.js'
import { startOfDay } from '../lib/calendar/day.js'
import type { Period } from '../lib/calendar/period.js'
import { TtError } from '../lib/errors.js'
import type { commands } from '../program/declarations/report.js'
import { chosenFilters } from '../program/options/entry-filters.js'
import { type FindingKind, findingKinds } from '../records/report-names.js'
import { findings } from '../report/health/findings.js'
import type { Entry } from '../tracking/entries/entry.js'
import { ReportQuery } from './report/report-query.js'
import { requestedPeriod } from './shared/options/period-options.js'
import { checkFilterNames } from './shared/unknown-names.js'
import { findingView, type NumberedFinding, numberFindings } from './views/reports/finding.js'

export const allowsUnreadableSettings = true
export const view = (ctx: Context, found: NumberedFinding[]) => findingView(found, ctx.durations)

/** Returns the problems with the time of the requested period, or of the last seven days. */
export async function run(ctx: Context, input: Input<typeof commands.check>): Promise<NumberedFinding[]> {
  const { options } = input
  const requested = requestedPeriod(ctx, input)
  const days = requested ?? input.args.period.byDefault
  const query = await ReportQuery.create(ctx, { ...options, by: ['project'] }, days)
  const kinds = kindsOf(options, chosenFilters(options).length > 0)
  const { settings, work } = query
  const period = requested ?? (kinds.includes('gap') ? await sinceFirstEntry(ctx, days) : days)
  const { now, durations } = ctx
  let count = 0
  async function* counted(batches: AsyncIterable<Entry[]>) {
    for await (const batch of batches) {
      count += batch.length
      yield batch
    }
  }
  const find = async (batches: AsyncIterable<Entry[]>) => {
    const found = await findings(counted(batches), { kinds, period, settings, work, now, durations })
    await checkFilterNames(ctx, options, count)
    return numberFindings(found, durations)
  }
  const entries = query.entries({ isUnlimited: kinds.includes('long') })
  if (!options.git) return find(entries)
  const { withProposals } = await import('./shared/proposals.js')
  return withProposals(ctx, query.period, entries, find)
}

/** Returns the days without a first one if no entry is earlier: no gap begins before the day of the first entry. */
async function sinceFirstEntry(ctx: Context, { first, last }: Partial<Period>): Promise<Partial<Period>> {
  const isFirst = first !== undefined && !(await (await ctx.entries()).hasEntryBefore(startOfDay(first)))
  return { ...(first !== undefined && !isFirst && { first }), ...(last !== undefined && { last }) }
}

/**
 * Returns the requested kinds of problems. By default these are all, without gaps if a filter selects entries: those outside
 * of the filter may fill the gaps. Throws TtError `usage` for --git without gaps.
 */
function kindsOf(
  { gaps, overlaps, long, withoutNotes, git }: Options<typeof commands.check>,
  isFiltered: boolean,
): FindingKind[] {
  const requested = { gap: gaps, overlap: overlaps, long, no_notes: withoutNotes }
  const chosen = findingKinds.filter((kind) => requested[kind])
  if (git && chosen.length > 0 && !gaps)
    throw new TtError('usage', '--git requires --gaps.', { hint: 'Add --gaps, or use `tt log --git`.' })
  if (chosen.length > 0) return chosen
  return findingKinds.filter((kind) => kind !== 'gap' || !isFiltered)
}
