import { shortWeekdayName } from '../../lib/calendar/calendar-names.js'
import {
  addDays,
  countDays,
  type Day,
  eachDay,
  isoWeek,
  parts,
  quarterOf,
  startOfWeek,
  type Weekday,
  weekday,
} from '../../lib/calendar/day.js'
import { DurationDisplay } from '../../lib/calendar/duration-display.js'
import type { Period } from '../../lib/calendar/period.js'
import { pad } from '../../lib/calendar/zoned-time.js'
import type { Dimension } from '../../records/report-names.js'
import type { Group, Report } from '../report-model.js'
import type { Bar, BarChart, BarUnit, Series } from './chart-model.js'
import { combineSmallest } from './shares.js'

export interface BarOptions {
  /** The first day of the user's own weeks. */
  weekStart: Weekday
  /** The target of a day in seconds; undefined without a target. */
  targetOf?: (day: Day) => number | undefined
  /**
   * The groups of the second dimension over the whole period, for their labels: those inside of a day tell namesakes apart
   * only where both are there on that day.
   */
  groups?: readonly Group[]
  display?: DurationDisplay
  /** Returns the name of the days of a bar; the short one of terminals by default. */
  nameOf?: (span: Period) => string
}

/** Upper bounds for a readable chart. */
const maxBars = 62
const maxSeries = 7

const units: BarUnit[] = ['day', 'week', 'month', 'quarter', 'year', 'decade']
const daysInUnit = { day: 1, week: 7, month: 30, quarter: 91, year: 365, decade: 3652 }

/**
 * Returns the bars of a report by day, week, month, quarter or year, stacked by its next dimension. Bars cover every day
 * of the period; those of a long period are combined into weeks, months and so on. Without bounds, the period is that
 * of the groups. Combining is exact for a report by day. Returns undefined for other first dimensions.
 */
export function barChart(report: Report, options: BarOptions): BarChart | undefined {
  const finest = unitOf(report.by[0])
  if (finest === undefined) return undefined
  const period = periodOf(report)
  if (period === undefined) return { unit: finest, series: [], hasRest: false, bars: [], maxSeconds: 0 }
  const unit = units.slice(units.indexOf(finest)).find((one) => fitsUnit(period, one)) ?? 'decade'

  const { display = DurationDisplay.of('1h 24m') } = options
  const { series, hasRest, placeOf } = seriesOf(report, options.groups ?? [], display)
  const bars = spansOf(period, unit, options.weekStart).map((span) => emptyBar(span, unit, series, options))
  const byStart = new Map(bars.map((bar) => [startOf(bar.first, unit, options.weekStart), bar]))
  for (const group of report.groups) {
    const bar = byStart.get(startOf(clampDay(period, firstDayOf(group)), unit, options.weekStart))
    if (bar) add(bar, group, placeOf)
  }
  const displayed = display.parts(bars.map(({ seconds }) => seconds))
  for (const [index, bar] of bars.entries()) {
    bar.text = display.format(displayed[index] ?? 0)
    bar.partTexts = display.texts(bar.parts, displayed[index] ?? 0)
  }
  return { unit, series, hasRest, bars, maxSeconds: bars.reduce(longest, 0) }
}

function unitOf(dimension: Dimension | undefined): BarUnit | undefined {
  return units.find((unit) => unit === dimension)
}

function fitsUnit(period: Period, unit: BarUnit): boolean {
  return countDays(period.first, period.last) <= maxBars * daysInUnit[unit]
}

function longest(most: number, { seconds, target = 0 }: Bar): number {
  return Math.max(most, seconds, target)
}

/** Returns the period of the report; missing bounds are the first and the last group. */
function periodOf({ since, until, groups }: Report): Period | undefined {
  const days = groups
    .filter(({ key }) => key !== null)
    .map(firstDayOf)
    .sort()
  const first = since ?? days[0] ?? until
  const last = until ?? days.at(-1) ?? since
  if (first === null || first === undefined || last === null || last === undefined) return undefined
  return first <= last ? { first, last } : { first: last, last: first }
}

/** Returns the first day of a day, week, month, quarter or year from its key. */
function firstDayOf({ key }: Group): Day {
  const [, year = '', quarter, rest = ''] = /^(\d+)(?:-Q(\d))?(.*)$/.exec(key ?? '') ?? []
  if (quarter !== undefined) return `${year}-${pad(Number(quarter) * 3 - 2)}-01`
  return `${year}${`${rest}-01-01`.slice(0, 6)}`
}

/** Limits a day to the period: a week can begin before it. */
function clampDay({ first, last }: Period, day: Day): Day {
  if (day < first) return first
  return day > last ? last : day
}

function emptyBar(
  span: Period,
  unit: BarUnit,
  series: Series[],
  { weekStart, targetOf, nameOf }: BarOptions,
): Bar {
  const parts = series.map(() => 0)
  const target = targetOf && targetIn(span, targetOf)
  return {
    ...span,
    label: nameOf?.(span) ?? nameOfSpan(span, unit, weekStart),
    parts,
    partTexts: [],
    seconds: 0,
    text: '',
    target,
  }
}

function targetIn(span: Period, targetOf: (day: Day) => number | undefined): number | undefined {
  let sum: number | undefined
  for (const day of eachDay(span.first, span.last)) {
    const target = targetOf(day)
    if (target !== undefined) sum = (sum ?? 0) + target
  }
  return sum
}

/** Returns the series of a report, and a function from a group to the index of its series. */
function seriesOf(
  report: Report,
  labelGroups: readonly Group[],
  display: DurationDisplay,
): { series: Series[]; hasRest: boolean; placeOf: (group: Group) => number } {
  const labels = new Map(labelGroups.map((group) => [identityOf(group), group.label]))
  const sums = new Map<string, { label: string; seconds: number }>()
  for (const group of report.groups) {
    for (const inner of innerGroups(group)) {
      const identity = identityOf(inner)
      const sum = sums.get(identity)
      const label = labels.get(identity) ?? labelOf(inner, group)
      if (sum) sum.seconds += secondsOf(inner)
      else sums.set(identity, { label, seconds: secondsOf(inner) })
    }
  }
  const { kept, rest } = combineSmallest(
    [...sums].filter(([, { seconds }]) => seconds > 0),
    ([, sum]) => sum,
    maxSeries,
  )
  const places = new Map(kept.map(([identity], index) => [identity, index]))
  const ownSeries = kept.map(([, sum]) => sum)
  const all = rest ? [...ownSeries, rest] : ownSeries
  const texts = display.texts(all.map(({ seconds }) => seconds))
  const series = all.map((sum, index) => ({ ...sum, text: texts[index] ?? '' }))
  return {
    series,
    hasRest: rest !== undefined,
    placeOf: (group) => places.get(identityOf(group)) ?? kept.length,
  }
}

/** Returns the groups that a bar consists of: the inner groups, or the group itself without a second dimension. */
function innerGroups(group: Group): Group[] {
  return group.groups.length > 0 ? group.groups : [group]
}

function labelOf(inner: Group, group: Group): string {
  return inner === group ? 'time' : inner.label
}

/**
 * Returns the identity of a series. Projects can share a name but not an ID; groups without both have a unique label.
 * All calendar groups are one series.
 */
function identityOf({ by, id, key, label }: Group): string {
  return unitOf(by) ? '' : JSON.stringify(id ?? [key ?? label])
}

function secondsOf({ seconds }: Group): number {
  return Math.max(0, seconds)
}

function add(bar: Bar, group: Group, placeOf: (group: Group) => number): void {
  for (const part of innerGroups(group)) {
    const [place, seconds] = [placeOf(part), secondsOf(part)]
    if (seconds === 0) continue
    bar.parts[place] = (bar.parts[place] ?? 0) + seconds
    bar.seconds += seconds
  }
}

/** The first day of the week, month or whatever it is that holds the day. */
function startOf(day: Day, unit: BarUnit, weekStart: Weekday): Day {
  const { year, month } = parts(day)
  switch (unit) {
    case 'day':
      return day
    case 'week':
      return startOfWeek(day, weekStart)
    case 'month':
      return firstOf(year, month)
    case 'quarter':
      return firstOf(year, month - ((month - 1) % 3))
    case 'year':
      return firstOf(year, 1)
    case 'decade':
      return firstOf(year - (year % 10), 1)
  }
}

const monthsOf = { month: 1, quarter: 3, year: 12, decade: 120 }

/** The period cut into days, weeks, months and so on; the first and the last one may be cut short. */
export function spansOf(period: Period, unit: BarUnit, weekStart: Weekday): Period[] {
  const spans: Period[] = []
  for (let first = period.first; ; ) {
    const last = lastOf(startOf(first, unit, weekStart), unit)
    if (last >= period.last) return [...spans, { first, last: period.last }]
    spans.push({ first, last })
    first = addDays(last, 1)
  }
}

function lastOf(start: Day, unit: BarUnit): Day {
  if (unit === 'day') return start
  if (unit === 'week') return addDays(start, 6)
  const { year, month } = parts(start)
  return new Date(Date.UTC(year, month - 1 + monthsOf[unit], 0)).toISOString().slice(0, 10)
}

function firstOf(year: number, month: number): Day {
  return `${String(year).padStart(4, '0')}-${pad(month)}-01`
}

/** The days as people read them; a week by its ISO 8601 number where it starts on Monday, else by its first day. */
export function nameOfSpan({ first }: Period, unit: BarUnit, weekStart: Weekday): string {
  const { year } = parts(first)
  switch (unit) {
    case 'day':
      return `${first} ${shortWeekdayName(weekday(first))}`
    case 'week':
      return weekStart === 1 ? isoWeek(first) : `week of ${startOfWeek(first, weekStart)}`
    case 'month':
      return first.slice(0, 7)
    case 'quarter':
      return `${first.slice(0, 4)}-Q${quarterOf(first)}`
    case 'year':
      return first.slice(0, 4)
    case 'decade':
      return `${year - (year % 10)} to ${year - (year % 10) + 9}`
  }
}
