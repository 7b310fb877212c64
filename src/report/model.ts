import type { Id } from '../api/types.js'
import type { Day } from '../calendar/day.js'
import type { Dimension } from './dimensions.js'

/** A sum of money. Sums of different currencies are never added up. */
export interface Money {
  /** ISO 4217. */
  currency: string
  /** A decimal string with the digits of the currency, such as "1234.50". */
  amount: string
}

/** What was summed up of some entries. */
export interface Totals {
  /** Exact, whole seconds. */
  seconds: number
  /** With the rounding that was asked for; the same as `seconds` without any. */
  roundedSeconds: number
  /** How many entries have a part in it. */
  count: number
  /** One of them runs: it is counted to the moment of the report. */
  running: boolean
  /** By currency; none where no rate is set for any of it. */
  amounts: Money[]
}

export interface Group extends Totals {
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
  /** Of the seconds of the whole report, 0 to 1. */
  share: number
  /** By the next dimension; empty at the last one. */
  groups: Group[]
}

/** Where time went within a period. */
export interface Report extends Totals {
  /** The first and the last day, both included; null where the period has no such bound. */
  since: Day | null
  until: Day | null
  by: Dimension[]
  groups: Group[]
  /** The working days of the period so far, by the settings. */
  workingDays: number
  /** Seconds tracked for each of them; null where there is none. */
  averageSeconds: number | null
  /** What was to be worked in the period so far; null where no target is set. */
  targetSeconds: number | null
}
