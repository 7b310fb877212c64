import type { Day } from '../../lib/calendar/day.js'
import type { Dimension } from '../../records/report-names.js'

/** The calendar unit of a bar. */
export type BarUnit = Extract<Dimension, 'day' | 'week' | 'month' | 'quarter' | 'year'> | 'decade'

/** A series of a bar chart, such as a project, or the combined smallest ones. */
export interface Series {
  label: string
  /** Exact, whole seconds over all bars. */
  seconds: number
  /** The seconds as people read them. */
  text: string
}

export interface Bar {
  /** The days of the bar, within the period. */
  first: Day
  last: Day
  /** "2024-05-01 Wed", "2024-W18", "2024-05", "2024-Q2", "2024", "2020 to 2029". */
  label: string
  /** Seconds of each series, in the order of the series. */
  parts: number[]
  /** The parts as people read them, which add up to `text`. */
  partTexts: string[]
  /** Their sum. */
  seconds: number
  text: string
  /** The target in seconds; undefined without a target. */
  target: number | undefined
}

/** Bars of time, one after the other through a period, each made of the same series. */
export interface BarChart {
  unit: BarUnit
  /** Largest first; the combined rest is last. */
  series: Series[]
  /** Whether the last series combines the smallest groups. */
  hasRest: boolean
  bars: Bar[]
  /** The longest bar or target in seconds: the end of the scale. */
  maxSeconds: number
}

/** The level of a day: 0 for no time, 4 for the most. */
export type HeatLevel = 0 | 1 | 2 | 3 | 4

export interface HeatDay {
  day: Day
  seconds: number
  text: string
  level: HeatLevel
}

/** A year at most, day by day: weeks are columns, weekdays are rows. */
export interface HeatMap {
  first: Day
  last: Day
  /** The names of the rows, from the first day of the week: "Mon". */
  weekdays: string[]
  /** Seven places each; undefined outside of the period. */
  weeks: (HeatDay | undefined)[][]
  /** Sums for each month that has days in it, with the column in which its first day stands. */
  months: { name: string; column: number; seconds: number; text: string }[]
  /** The upper bounds of the levels 1 to 3 as text; 4 is more. */
  steps: string[]
  seconds: number
  text: string
}

/** A label with its share of the total. */
export interface Share {
  label: string
  seconds: number
  text: string
  /** Of the seconds of the whole report, 0 to 1. */
  share: number
  /** The same as people read it: "12%". */
  percent: string
}
