import type { Predicates } from '../../../api-client/filter/query.js'
import type { Settings } from '../../../config/settings/settings.js'
import { addDays, dayOf } from '../../../lib/calendar/day.js'
import { type Period, parsePeriod } from '../../../lib/calendar/period.js'
import { TtError } from '../../../lib/errors.js'
import type { PeriodInput, PeriodOptions } from '../../../program/options/shared-options.js'

/**
 * Returns the days that the argument, or `--since` and `--until`, select; undefined without any.
 *
 * Throws TtError `usage` for an invalid period, and a first day after the last.
 */
export function requestedPeriod(
  { args: { period: words }, options }: PeriodInput,
  now: Date,
  settings: Pick<Settings, 'weekStart'>,
): Partial<Period> | undefined {
  if (words.length > 0) return parsePeriod(words.join(' '), now, settings.weekStart)
  return (options.since ?? options.until) === undefined ? undefined : periodOf(options)
}

/** Returns the days of `--since` and `--until`. Throws TtError `usage` when the first day is after the last. */
export function periodOf({ since: first, until: last }: PeriodOptions): Partial<Period> {
  if (first !== undefined && last !== undefined && first > last) {
    throw new TtError('usage', `--since (${first}) is after --until (${last}).`, {
      hint: 'Use the earlier day for --since.',
    })
  }
  return { ...(first === undefined ? {} : { first }), ...(last === undefined ? {} : { last }) }
}

/** Returns the last 7 days, which reports and lists show by default. */
export function lastSevenDays(now: Date): Period {
  const today = dayOf(now)
  return { first: addDays(today, -6), last: today }
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
