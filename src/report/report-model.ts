import type { Id } from '../api-client/types.js'
import type { Day } from '../lib/calendar/day.js'
import type { Period } from '../lib/calendar/period.js'
import type { Rounding } from '../lib/calendar/rounding.js'
import type { Dimension } from '../records/report-names.js'

/** A sum of money. Sums of different currencies are never added up. */
export interface Money {
  /** ISO 4217. */
  currency: string
  /** A decimal string with the digits of the currency, such as "1234.50". */
  amount: string
}

/** Durations in whole seconds. */
export interface Durations {
  seconds: number
  /** The rounded seconds; the same as `seconds` without rounding. */
  roundedSeconds: number
}

/** Durations with their billable part; the rest is not billable. */
export interface BillableDurations extends Durations {
  /** The billable part of `seconds`. */
  billableSeconds: number
  /** The billable part of `roundedSeconds`. */
  billableRoundedSeconds: number
}

/** The totals of a group of entries, with exact durations. */
export interface Totals extends BillableDurations {
  /** The number of entries, including partial ones. */
  count: number
  /** Whether an entry is running; it counts up to the time of the report. */
  running: boolean
  /** The amounts of the billable time by currency; empty without rates. */
  amounts: Money[]
}

/** Totals with the rate of the entries. */
export interface RatedTotals extends Totals {
  /** The hourly rate of all time; null if some of it has another one, has none or is not billable. */
  rate: Money | null
}

export interface Group extends RatedTotals {
  by: Dimension
  /**
   * The name, null where there is none; the day, or the first day of the week (YYYY-MM-DD); the month (2024-05), quarter
   * (2024-Q2) or year (2024); the weekday ("Monday").
   */
  key: string | null
  /** Of a client, project or task. */
  id: Id | null
  /** The key as people read it: "2024-05-01 Wed", "Website (Acme)" where two projects share a name, "no client". */
  label: string
  /** The share of the total seconds, 0 to 1. */
  share: number
  /** By the next dimension; empty at the last one. */
  groups: Group[]
}

/** How the durations of a report are rounded. */
export interface ReportRounding {
  /** The only rounding; null if entries have different ones by the settings. */
  single: Rounding | null
  /** Whether each entry is rounded, or the sum of each innermost group; then totals depend on the groups. */
  of: 'entries' | 'groups'
}

/** A report on the time of a period. */
export interface Report extends RatedTotals {
  /** The first and the last day, both included; null where the period has no such bound. */
  since: Day | null
  until: Day | null
  by: Dimension[]
  groups: Group[]
  /** null without rounding. */
  rounding: ReportRounding | null
  /** Whether rates or patterns of billable time are set, so that the report shows what is billable. */
  isBilled: boolean
  /** Whether filters exclude entries. */
  isFiltered: boolean
  /** The billable seconds without a rate, which have no amount; 0 if no rates are set. */
  unratedSeconds: number
  /** Whether the last day of the period is over. */
  isOver: boolean
  /** The working days of the period so far, by the settings. */
  workingDays: number
  /** Average seconds per working day; null without working days. */
  averageSeconds: number | null
  /** The target for the period so far in seconds; null without a target. */
  targetSeconds: number | null
  /** The day from which the target counts; null without a target, and where it counts on all days of the period. */
  targetSince: Day | null
  /** The part of `seconds` before `targetSince`, which does not count towards the target. */
  secondsBeforeTarget: number
  /** The days whose time includes entries that began on an earlier day, with these seconds; none unless grouped by day. */
  sinceEarlierDay: readonly { day: Day; seconds: number }[]
}

/** A group with its durations as displayed (`displayedReport`). */
export interface DisplayedGroup extends Group {
  displayed: BillableDurations
  groups: DisplayedGroup[]
}

/** A report with its durations as displayed. */
export interface DisplayedReport extends Report {
  displayed: BillableDurations &
    Pick<Report, 'unratedSeconds' | 'averageSeconds' | 'targetSeconds' | 'secondsBeforeTarget'>
  groups: DisplayedGroup[]
}

/** Returns the days of a report. */
export function periodOf({ since, until }: Pick<Report, 'since' | 'until'>): Partial<Period> {
  return { ...(since === null ? {} : { first: since }), ...(until === null ? {} : { last: until }) }
}

/** Returns the seconds by which the time of a report exceeds its target, negative if it falls short; null without one. */
export function targetBalance({
  seconds,
  secondsBeforeTarget,
  targetSeconds,
}: Pick<Report, 'seconds' | 'secondsBeforeTarget' | 'targetSeconds'>): number | null {
  return targetSeconds === null ? null : seconds - secondsBeforeTarget - targetSeconds
}

/** Returns the billable and the other durations. */
export function billableParts({
  seconds,
  roundedSeconds,
  billableSeconds,
  billableRoundedSeconds,
}: BillableDurations): Record<'billable' | 'nonBillable', Durations> {
  return {
    billable: { seconds: billableSeconds, roundedSeconds: billableRoundedSeconds },
    nonBillable: {
      seconds: seconds - billableSeconds,
      roundedSeconds: roundedSeconds - billableRoundedSeconds,
    },
  }
}
