import { weekdayNames } from '../lib/calendar/calendar-names.js'
import { addDays, type Day, type Weekday } from '../lib/calendar/day.js'
import type { DurationDisplay } from '../lib/calendar/duration-display.js'
import type { Period } from '../lib/calendar/period.js'
import { subtractDecimals } from '../lib/decimals.js'
import type { Dimension } from '../records/report-names.js'
import { displayedReport } from './displayed-report.js'
import { addUnits, calendarKey, firstDayOf, isCalendarUnit, unitsBetween } from './keys.js'
import {
  type BillableDurations,
  type DisplayedGroup,
  type DisplayedReport,
  type Money,
  periodOf,
  type Report,
  type Totals,
} from './report-model.js'

/** A report and the same report on another period, with durations as displayed. */
export interface Comparison {
  current: DisplayedReport
  compared: DisplayedReport
  groups: ComparedGroup[]
}

/**
 * A group in both periods; without entries in one of them, its totals there are 0. Its key is null and its label "none" for
 * a unit of the calendar after the end of the current period.
 */
export interface ComparedGroup extends Pick<DisplayedGroup, 'by' | 'key' | 'id' | 'label'> {
  /** Key and label in the compared period; only days and longer units differ. null for one after the end of the period. */
  comparedKey: string | null
  comparedLabel: string | null
  /** Whether an entry of either period is running. */
  running: boolean
  current: PeriodTotals
  compared: PeriodTotals
  groups: ComparedGroup[]
}

/** The totals of a group in a period, with its share of the seconds of the period, 0 to 1. */
export type PeriodTotals = Pick<DisplayedGroup, keyof Totals | 'rate' | 'share' | 'displayed'>

/** A period, or the part of it in a group; it may have no end. */
type StartedPeriod = Partial<Period> & Pick<Period, 'first'>

/** Both periods; undefined where one of them has no such days. */
type Periods = Record<'current' | 'compared', StartedPeriod | undefined>

/** A group in each period; at least one of them. */
type Pair = Partial<Record<'current' | 'compared', DisplayedGroup>>

/**
 * Matches the groups of two reports with the same dimensions. Days, weeks and longer units match by their position in the
 * period, or in the longer unit that contains them: the first day of one month with the first day of the other. All other
 * groups match by ID or name.
 */
export function compareReports(
  exact: Record<'current' | 'compared', Report & { since: Day }>,
  weekStart: Weekday,
  display: DurationDisplay,
): Comparison {
  // By the settings, the entries of one period can be rounded, and those of the other not.
  const rounding = exact.current.rounding ?? exact.compared.rounding
  const current = displayedReport({ ...exact.current, rounding }, display)
  const compared = displayedReport({ ...exact.compared, rounding }, display)
  const groups = new Matcher(weekStart).match(current, compared, {
    current: { ...periodOf(current), first: exact.current.since },
    compared: { ...periodOf(compared), first: exact.compared.since },
  })
  return { current, compared, groups }
}

class Matcher {
  readonly #weekStart: Weekday

  constructor(weekStart: Weekday) {
    this.#weekStart = weekStart
  }

  match(
    current: { groups: DisplayedGroup[] } | undefined,
    compared: { groups: DisplayedGroup[] } | undefined,
    periods: Periods,
  ): ComparedGroup[] {
    const pairs = new Map<string | number, Pair>()
    for (const [side, groups] of [
      ['current', current?.groups],
      ['compared', compared?.groups],
    ] as const) {
      for (const group of groups ?? []) {
        const identity = this.#identityOf(group, periods[side])
        pairs.set(identity, { ...pairs.get(identity), [side]: group })
      }
    }
    return [...pairs]
      .map(([identity, pair]) => ({ identity, group: this.#groupOf(pair, periods) }))
      .sort((a, b) => {
        const areInCalendar = typeof a.identity === 'number' && typeof b.identity === 'number'
        return areInCalendar ? Number(a.identity) - Number(b.identity) : bySeconds(a.group, b.group)
      })
      .map(({ group }) => group)
  }

  /** Returns the position of a weekday or unit of the calendar, otherwise a unique text. */
  #identityOf({ by, key, id, label }: DisplayedGroup, period: StartedPeriod | undefined): string | number {
    if (by === 'weekday') {
      return ((weekdayNames as readonly string[]).indexOf(key ?? '') - this.#weekStart + 7) % 7
    }
    if (isCalendarUnit(by) && key !== null && period) {
      return unitsBetween(by, period.first, firstDayOf(by, key), this.#weekStart)
    }
    return id === null ? JSON.stringify([key, key === null ? label : '']) : `id ${id}`
  }

  #groupOf({ current, compared }: Pair, periods: Periods): ComparedGroup {
    const existing = current ?? compared
    if (!existing) throw new RangeError('A group exists in neither period.')
    const { by, id } = existing
    const key = current ? current.key : this.#counterpart(existing, periods.compared, periods.current)
    const comparedKey = compared
      ? compared.key
      : this.#counterpart(existing, periods.current, periods.compared)
    return {
      ...{ by, key, id, label: this.#labelOf(existing, key) ?? 'none' },
      ...{ comparedKey, comparedLabel: this.#labelOf(existing, comparedKey) },
      running: Boolean(current?.running || compared?.running),
      current: current ?? noTotals(existing),
      compared: compared ?? noTotals(existing),
      groups: this.match(current, compared, {
        current: this.#partOf(by, key, periods.current),
        compared: this.#partOf(by, comparedKey, periods.compared),
      }),
    }
  }

  /** Returns the key in the days `to` of a group that exists only in `from`; null for a unit after them. */
  #counterpart(
    { by, key }: DisplayedGroup,
    from: StartedPeriod | undefined,
    to: StartedPeriod | undefined,
  ): string | null {
    if (!isCalendarUnit(by) || key === null) return key
    if (!from || !to) return null
    const position = unitsBetween(by, from.first, firstDayOf(by, key), this.#weekStart)
    const day = addUnits(by, to.first, position, this.#weekStart)
    return to.last !== undefined && day > to.last ? null : calendarKey(by, day, this.#weekStart).key
  }

  /** Returns the label of a group in the period in which it has this key; null for a unit after the period. */
  #labelOf({ by, label }: DisplayedGroup, key: string | null): string | null {
    if (!isCalendarUnit(by)) return label
    return key === null ? null : calendarKey(by, firstDayOf(by, key), this.#weekStart).label
  }

  /** Returns the days within a unit of the calendar; all days for other groups. */
  #partOf(by: Dimension, key: string | null, period: StartedPeriod | undefined): StartedPeriod | undefined {
    if (!isCalendarUnit(by) || !period) return period
    if (key === null) return undefined
    const first = firstDayOf(by, key)
    const last = addDays(addUnits(by, first, 1, this.#weekStart), -1)
    return {
      first: first > period.first ? first : period.first,
      last: period.last !== undefined && period.last < last ? period.last : last,
    }
  }
}

function bySeconds(a: ComparedGroup, b: ComparedGroup): number {
  return b.current.seconds - a.current.seconds || b.compared.seconds - a.compared.seconds
}

/** Returns totals of 0, in the currencies of the other period. */
function noTotals(other: Totals): PeriodTotals {
  const displayed = subtractDurations(other, other)
  return { ...differenceOf(other, other), displayed, rate: null, share: 0, running: false }
}

/** Returns the totals of the current period less those of the compared one. Amounts have a sign: "-12.50". */
export function differenceOf(current: Totals, compared: Totals): Omit<Totals, 'running'> {
  return {
    ...subtractDurations(current, compared),
    count: current.count - compared.count,
    amounts: subtractAmounts(current.amounts, compared.amounts),
  }
}

/** Returns the durations of the current period less those of the compared one. */
export function subtractDurations(
  current: BillableDurations,
  compared: BillableDurations,
): BillableDurations {
  return {
    seconds: current.seconds - compared.seconds,
    roundedSeconds: current.roundedSeconds - compared.roundedSeconds,
    billableSeconds: current.billableSeconds - compared.billableSeconds,
    billableRoundedSeconds: current.billableRoundedSeconds - compared.billableRoundedSeconds,
  }
}

function subtractAmounts(current: readonly Money[], compared: readonly Money[]): Money[] {
  const currencies = new Set([...current, ...compared].map(({ currency }) => currency))
  return [...currencies].sort().map((currency) => {
    const [from = '0', less = '0'] = [current, compared].map(
      (amounts) => amounts.find((money) => money.currency === currency)?.amount,
    )
    return { currency, amount: subtractDecimals(from, less) }
  })
}
