import { shortMonthName } from '../../../calendar/calendar-names.js'
import type { Bar, BarChart } from '../../../report/charts/chart-model.js'
import { numberText } from '../figures.js'

/** The horizontal grid lines of a bar chart, from 0 to the first that no bar exceeds. */
interface Scale {
  top: number
  lines: { seconds: number; text: string }[]
}

const hour = 3600
const maxLines = 5
const minutes = [5, 15, 30]
const hours = [1, 2, 4, 8]

/** Returns grid lines at round steps up to the longest bar. */
export function scaleTo(maxSeconds: number): Scale {
  const steps = [...minutes.map((count) => count * 60), ...hours.map((count) => count * hour)]
  for (let ten = 10 * hour; (steps.at(-1) ?? 0) * maxLines < maxSeconds; ten *= 10)
    steps.push(ten, ten * 2, ten * 4, ten * 5)
  const step = steps.find((candidate) => candidate * maxLines >= maxSeconds) ?? hour
  const count = Math.max(1, Math.ceil(maxSeconds / step))
  const lines = Array.from({ length: count + 1 }, (_, index) => step * index)
  const text = (seconds: number) => (step < hour ? `${seconds / 60} min` : `${numberText(seconds / hour)} h`)
  return { top: count * step, lines: lines.map((seconds) => ({ seconds, text: text(seconds) })) }
}

/** The label below a bar. */
interface Tick {
  text: string
  /** The second line: the weekday, or the month or year that begins. */
  secondLine: string
  /** Whether a narrow page shows the label. */
  isMajor: boolean
}

/** Maximum number of dates that fit beside each other. */
const maxDates = 31

/** Returns the label of each bar. */
export function ticksOf({ bars, unit }: BarChart): Tick[] {
  return bars.map((bar, index) => {
    const before = bars[index - 1]
    const newMonth = before?.first.slice(0, 7) !== bar.first.slice(0, 7)
    const newYear = before?.first.slice(0, 4) !== bar.first.slice(0, 4)
    const [year, month] = [bar.first.slice(0, 4), shortMonthName(Number(bar.first.slice(5, 7)))]
    if (unit === 'day') return dayTick(bar, index, bars.length, newMonth ? month : '')
    if (unit === 'week')
      return { text: newMonth ? month : '', secondLine: newYear ? year : '', isMajor: newMonth }
    if (unit === 'month')
      return {
        text: bars.length > 24 ? month.slice(0, 1) : month,
        secondLine: newYear ? year : '',
        isMajor: index % 3 === 0,
      }
    if (unit === 'quarter')
      return { text: bar.label.slice(-2), secondLine: newYear ? year : '', isMajor: newYear }
    return { text: year, secondLine: '', isMajor: index % Math.ceil(bars.length / 8) === 0 }
  })
}

function dayTick({ first, label }: Bar, index: number, count: number, month: string): Tick {
  const monday = label.endsWith('Mon')
  const text = count <= maxDates || monday ? String(Number(first.slice(8))) : ''
  const secondLine = month || (count <= maxDates ? label.slice(-3, -1) : '')
  return { text, secondLine, isMajor: count <= 10 || monday || (index === 0 && month !== '') }
}
