import { parseRounding, type Rounding } from '../calendar/rounding.js'
import type { Context } from '../context.js'
import { TtError } from '../errors.js'
import { type Dimension, dimensions, type Report } from '../report/model.js'
import { Tally } from '../report/tally.js'
import type { Bounds, Entry } from '../tracking/entries.js'
import { type EntryFilterOptions, entryFilter } from '../tracking/filter.js'
import { predicatesOf, type WhereOptions } from './options.js'
import { boundsAsked, boundsOf, type PeriodOptions } from './period.js'
import { reportSummary } from './views/report.js'

export interface ReportOptions extends WhereOptions, PeriodOptions, EntryFilterOptions {
  by: string
  round?: string
  roundTotal?: string
}

/** A report, and whether its rounded figures were asked for. */
interface Answer {
  report: Report
  rounds: boolean
}

/** How long before the period an entry may have begun that reaches into it; days. */
const longestEntryDays = 7

export const summary = (_: Context, { report, rounds }: Answer) => reportSummary(report, rounds)

export async function run(ctx: Context, options: ReportOptions): Promise<Answer> {
  const by = dimensionsOf(options.by)
  const { rounding, roundsTotals } = roundingOf(options)
  const { weekStart, rates } = await ctx.settings()
  const days = boundsAsked(options, ctx.now, { weekStart })
  const bounds = boundsOf(days)
  const charges =
    Object.keys(rates).length === 0 ? undefined : await (await import('./charges.js')).chargesOf(ctx)
  const tally = new Tally({ by, now: ctx.now, weekStart, ...bounds, rounding, roundsTotals, charges })
  for await (const entries of entriesWithin(ctx, bounds, options))
    for (const entry of entries) tally.add(entry)
  const { totals, groups } = tally.sums()
  const report: Report = {
    since: days.first ?? null,
    until: days.last ?? null,
    by,
    ...totals,
    groups,
    workingDays: 0,
    averageSeconds: null,
    targetSeconds: null,
  }
  return { report, rounds: rounding !== undefined }
}

/** The entries that may have a part in the period: also those that begin some days before it. In batches. */
async function* entriesWithin(ctx: Context, bounds: Bounds, options: ReportOptions): AsyncGenerator<Entry[]> {
  const fits = entryFilter(options, await ctx.settings())
  const tracking = await ctx.tracking()
  const { from, to } = bounds
  const reach = from ? { from: new Date(from.getTime() - longestEntryDays * 86_400_000) } : {}
  const asked = { ...reach, ...(to ? { to } : {}) }
  for await (const entries of tracking.batches(asked, predicatesOf(options))) yield entries.filter(fits)
}

/** Reads `--by`. Throws TtError `usage` for a word that is none of them, or given twice. */
function dimensionsOf(text: string): Dimension[] {
  const words = text.split(',').map((word) => word.trim().toLowerCase())
  return words.map((word, index) => {
    const found = dimensions.find((name) => name === word)
    const flaw = !found ? 'there is no' : words.indexOf(word) < index ? 'twice' : undefined
    if (found && !flaw) return found
    throw new TtError('usage', `--by: ${flaw} "${word}".`, {
      hint: `Group by ${dimensions.join(', ')}; several between commas.`,
    })
  })
}

function roundingOf({ round, roundTotal }: ReportOptions): {
  rounding: Rounding | undefined
  roundsTotals: boolean
} {
  if (round !== undefined && roundTotal !== undefined) {
    throw new TtError('usage', '--round and --round-total cannot be given together.', {
      hint: 'Give --round to round each entry, or --round-total to round the sums.',
    })
  }
  const text = round ?? roundTotal
  return {
    rounding: text === undefined ? undefined : parseRounding(text),
    roundsTotals: roundTotal !== undefined,
  }
}
