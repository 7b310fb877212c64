import { addDays, dayOf } from '../../../calendar/day.js'
import { type Period, parseDate } from '../../../calendar/period.js'
import type { Settings } from '../../../config/settings/settings.js'
import { TtError } from '../../../lib/errors.js'
import { type DayOptions, periodOf } from './parse-options.js'

/** The options of `periodOptions` in src/program/options/shared-options.ts. */
export interface PeriodOptions extends DayOptions {
  today?: boolean
  yesterday?: boolean
  week?: boolean
  month?: boolean
  quarter?: boolean
  year?: boolean
}

/** The period that options select. */
export interface RequestedPeriod {
  period: Partial<Period>
  /** No period was given: these are the last 7 days. */
  isDefault: boolean
}

const words = ['today', 'yesterday', 'week', 'month', 'quarter', 'year'] as const

/** Whether the options select a period. */
export function hasPeriod(options: PeriodOptions): boolean {
  return [...words, 'since' as const, 'until' as const].some((name) => options[name] !== undefined)
}

/**
 * Returns the days that the options select; without options, the last 7 days.
 *
 * Throws TtError `usage` for an invalid date, a first day after the last, and several periods at once.
 */
export function requestedPeriod(
  options: PeriodOptions,
  now: Date,
  settings: Pick<Settings, 'weekStart'>,
): RequestedPeriod {
  const requested = words.filter((word) => options[word])
  const [word, second] = requested
  const bounds = (['since', 'until'] as const).filter((name) => options[name] !== undefined)
  if (second !== undefined || (word !== undefined && bounds.length > 0)) {
    const named = [...requested, ...bounds].map((name) => `--${name}`)
    throw new TtError('usage', `${named.join(' and ')} cannot be used together.`, {
      hint: `Use one of ${words.map((name) => `--${name}`).join(', ')}, or --since and --until.`,
    })
  }
  if (word !== undefined) return { period: parseDate(word, now, settings.weekStart), isDefault: false }
  if (bounds.length > 0) return { period: periodOf(options, now, settings), isDefault: false }
  const today = dayOf(now)
  return { period: { first: addDays(today, -6), last: today }, isDefault: true }
}

/** Returns the days that the options select; without options, all. */
export function requestedDays(...input: Parameters<typeof requestedPeriod>): Partial<Period> {
  const { period, isDefault } = requestedPeriod(...input)
  return isDefault ? {} : period
}
