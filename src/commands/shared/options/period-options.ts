import type { Predicates } from '../../../api-client/filter/query.js'
import type { Context } from '../../../cli/context.js'
import type { Period } from '../../../lib/calendar/period.js'
import { TtError } from '../../../lib/errors.js'
import type { DayOptions, PeriodInput } from '../../../program/options/shared-options.js'

type OptionNames = Pick<Context, 'nameOption'>

/** Returns the requested days, otherwise the default of the command. Throws like `requestedPeriod`. */
export function periodOf(ctx: OptionNames, input: PeriodInput): Partial<Period> {
  return requestedPeriod(ctx, input) ?? input.args.period.byDefault
}

/** Returns the days that the argument, or `--since` and `--until`, select; undefined without any. Throws like `daysBetween`. */
export function requestedPeriod(
  ctx: OptionNames,
  { args: { period }, options }: PeriodInput,
): Partial<Period> | undefined {
  const hasDays = (options.since ?? options.until) !== undefined
  return period.typed ?? (hasDays ? daysBetween(ctx, options) : undefined)
}

/** Returns the days of `--since` and `--until`. Throws TtError `usage` when the first day is after the last. */
export function daysBetween(
  { nameOption }: OptionNames,
  { since: first, until: last }: DayOptions,
): Partial<Period> {
  if (first !== undefined && last !== undefined && first > last) {
    const since = nameOption('--since')
    throw new TtError('usage', `${since} (${first}) is after ${nameOption('--until')} (${last}).`, {
      hint: `Use the earlier day for ${since}.`,
    })
  }
  return { ...(first === undefined ? {} : { first }), ...(last === undefined ? {} : { last }) }
}

/**
 * Caches the company of a service if its time zone is needed to apply these filters offline or to pending changes. A
 * company that cannot be read is ignored: the filters then use the time zone of this process.
 */
export async function cacheTimeZone(
  ctx: { reference(): Promise<{ recent(kind: 'company'): Promise<unknown> }> },
  predicates: Predicates,
): Promise<void> {
  if (Object.keys(predicates).length === 0) return
  const { hasZonelessTimes } = await import('../../../api-client/filter/conditions.js')
  if (!hasZonelessTimes(predicates)) return
  try {
    await (await ctx.reference()).recent('company')
  } catch (error) {
    if (!(error instanceof TtError)) throw error
  }
}
