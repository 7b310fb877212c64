import { shortMonthName, shortWeekdayName } from '../../lib/calendar/calendar-names.js'
import { countDays, type Day, dayInWeek, eachDay, parts, type Weekday } from '../../lib/calendar/day.js'
import { DurationDisplay } from '../../lib/calendar/duration-display.js'
import type { Period } from '../../lib/calendar/period.js'
import type { Report } from '../report-model.js'
import { spansOf } from './bars.js'
import type { HeatDay, HeatLevel, HeatMap } from './chart-model.js'

/** More days than a year has are a map for each calendar year. */
const daysInMap = 366

/**
 * Returns the heat maps of a report by day: one for a period of up to a year, otherwise one per calendar year with tracked
 * time. Empty without tracked time, or if the report is not by day.
 *
 * The steps from level to level are the same in all of them, and round figures: a quarter of what nine of ten days do not
 * exceed. So they can be read as hours, years can be compared, and one very long day does not make all others pale.
 */
export function heatMaps(
  report: Report,
  weekStart: Weekday,
  display = DurationDisplay.of('1h 24m'),
): HeatMap[] {
  if (report.by[0] !== 'day') return []
  const secondsOf = new Map<Day, number>()
  for (const { key, seconds } of report.groups) if (key !== null && seconds > 0) secondsOf.set(key, seconds)
  const days = [...secondsOf.keys()].sort()
  const [first = '', last = ''] = [report.since ?? days[0], report.until ?? days.at(-1)]
  if (days.length === 0) return []

  const step = stepOf([...secondsOf.values()])
  const period = { first, last }
  const spans = countDays(first, last) <= daysInMap ? [period] : spansOf(period, 'year', weekStart)
  return spans
    .map((span) => heatMap(span, secondsOf, step, weekStart, display))
    .filter(({ seconds }) => seconds > 0)
}

const minute = 60
const hour = 60 * minute
const roundSteps = [5 * minute, 15 * minute, 30 * minute, hour, 2 * hour, 3 * hour, 4 * hour, 6 * hour]

function stepOf(seconds: number[]): number {
  const sorted = seconds.sort((a, b) => a - b)
  const usual = sorted[Math.ceil(sorted.length * 0.9) - 1] ?? 0
  return roundSteps.find((step) => step * 4 >= usual) ?? 6 * hour
}

function heatMap(
  span: Period,
  secondsOf: Map<Day, number>,
  step: number,
  weekStart: Weekday,
  display: DurationDisplay,
): HeatMap {
  const months: (HeatMap['months'][number] & { days: HeatDay[] })[] = []
  let total = 0
  const weeks = spansOf(span, 'week', weekStart).map((week, column) => {
    const days = [...eachDay(week.first, week.last)].map((day): HeatDay => {
      const seconds = secondsOf.get(day) ?? 0
      let month = months.at(-1)
      if (month === undefined || day.endsWith('-01')) {
        month = { name: shortMonthName(parts(day).month), column, seconds: 0, text: '', days: [] }
        months.push(month)
      }
      month.seconds += seconds
      total += seconds
      const heatDay = { day, seconds, text: '', level: levelOf(seconds, step) }
      month.days.push(heatDay)
      return heatDay
    })
    return weekColumn(days, weekStart)
  })
  const displayed = display.parts(months.map(({ seconds }) => seconds))
  for (const [index, month] of months.entries()) {
    const seconds = displayed[index] ?? 0
    month.text = display.format(seconds)
    const texts = display.texts(
      month.days.map((day) => day.seconds),
      seconds,
    )
    for (const [index, day] of month.days.entries()) day.text = texts[index] ?? ''
  }
  return {
    ...span,
    weekdays: Array.from({ length: 7 }, (_, index) => shortWeekdayName(weekStart + index)),
    weeks,
    months: months.map(({ days: _, ...month }) => month),
    steps: [step, step * 2, step * 3].map((seconds) => display.format(seconds)),
    seconds: total,
    text: display.format(total),
  }
}

/** The first and the last week of a period may be cut short. */
function weekColumn(days: HeatDay[], weekStart: Weekday): (HeatDay | undefined)[] {
  const before = dayInWeek(days[0]?.day ?? '', weekStart)
  return Array.from({ length: 7 }, (_, row) => days[row - before])
}

function levelOf(seconds: number, step: number): HeatLevel {
  return Math.min(4, Math.ceil(seconds / step)) as HeatLevel
}
