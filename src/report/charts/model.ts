import type { Day } from '../../calendar/day.js'
import type { Dimension } from '../dimensions.js'

/** How much of the calendar a bar stands for. */
export type BarUnit = Extract<Dimension, 'day' | 'week' | 'month' | 'quarter' | 'year'> | 'decade'

/** What runs through all bars in one colour or fill: a project, say, or what is too small to be told apart. */
export interface Series {
  label: string
  /** Exact, whole seconds over all bars. */
  seconds: number
  /** The seconds as people read them. */
  text: string
}

export interface Bar {
  /** The days that it stands for, within the period. */
  first: Day
  last: Day
  /** "2024-05-01 Wed", "2024-W18", "2024-05", "2024-Q2", "2024", "2020 to 2029". */
  label: string
  /** Seconds of each series, in the order of the series. */
  parts: number[]
  /** Their sum. */
  seconds: number
  text: string
  /** Seconds that were to be worked; undefined where no target is set. */
  target: number | undefined
}

/** Bars of time, one after the other through a period, each made of the same series. */
export interface BarChart {
  unit: BarUnit
  /** The biggest first; what was put together as others is the last. */
  series: Series[]
  bars: Bar[]
  /** The longest bar or target in seconds: the end of the scale. */
  maxSeconds: number
}

/** How much time a day has: 0 is none, 4 is the most. */
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
  /** Up to how much time the levels 1 to 3 go, as people read it; 4 is more than that. */
  steps: string[]
  seconds: number
  text: string
}

/** A name and its part of the whole. */
export interface Share {
  label: string
  seconds: number
  text: string
  /** Of the seconds of the whole report, 0 to 1. */
  share: number
  /** The same as people read it: "12.5%". */
  percent: string
}
