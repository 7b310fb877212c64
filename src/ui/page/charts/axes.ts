import { shortMonthName, shortWeekdayName } from '../../../lib/calendar/calendar-names.js'
import { quarterOf, weekday } from '../../../lib/calendar/day.js'
import { type Html, html } from '../../../lib/text/html.js'
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
/** Maximum number of years, or of months and quarters with a label for each. */
const maxLabels = 24
/** Maximum number of labels of a narrow page. */
const maxNarrowLabels = 8

/** Returns the label of each bar. None overlaps its neighbours at any width. */
export function ticksOf({ bars, unit }: BarChart): Tick[] {
  const isDense = bars.length > maxLabels
  const years = new Set(bars.map(({ first }) => first.slice(0, 4)))
  const yearsPerLabel = (max: number) => Math.ceil(years.size / max)
  let [monthIndex, yearIndex] = [-1, -1]
  return bars.map((bar, index) => {
    const before = bars[index - 1]
    const newMonth = before?.first.slice(0, 7) !== bar.first.slice(0, 7)
    const newYear = before?.first.slice(0, 4) !== bar.first.slice(0, 4)
    if (newMonth) monthIndex++
    if (newYear) yearIndex++
    const monthNumber = Number(bar.first.slice(5, 7))
    const [year, month] = [bar.first.slice(0, 4), shortMonthName(monthNumber)]
    const isMajorYear = newYear && yearIndex % yearsPerLabel(maxNarrowLabels) === 0
    if (unit === 'day') return dayTick(bar, index, bars.length, newMonth ? month : '')
    if (unit === 'week')
      return {
        text: newMonth ? month : '',
        secondLine: newYear ? year : '',
        isMajor: newMonth && monthIndex % 2 === 0,
      }
    if (unit === 'month')
      return {
        text: isDense ? month.slice(0, 1) : month,
        secondLine: newYear ? year : '',
        // The first month, unless the next one begins a quarter.
        isMajor: monthNumber % 3 === 1 || (index === 0 && monthNumber % 3 === 2),
      }
    if (unit === 'quarter')
      return {
        text: isDense ? '' : `Q${quarterOf(bar.first)}`,
        secondLine: newYear ? year : '',
        isMajor: isMajorYear,
      }
    return {
      text: yearIndex % yearsPerLabel(maxLabels) === 0 ? year : '',
      secondLine: '',
      isMajor: isMajorYear,
    }
  })
}

function dayTick({ first }: Bar, index: number, count: number, month: string): Tick {
  const name = shortWeekdayName(weekday(first))
  const monday = name === 'Mon'
  const text = count <= maxDates || monday ? String(Number(first.slice(8))) : ''
  const secondLine = month || (count <= maxDates ? name.slice(0, 2) : '')
  return { text, secondLine, isMajor: count <= 10 || monday || (index === 0 && month !== '') }
}

interface ChartFigure {
  /** An ID that is unique in the page, a single word. */
  id: string
  /** The accessible name. */
  title: string
  /** The accessible description. */
  description: Html | string
  /** The height in pixels. */
  height: number
  content: readonly Html[]
}

/**
 * Returns a chart of full width, with an accessible name and description (WAI-ARIA Graphics, SVG Accessibility API Mappings).
 * Horizontal lengths are percentages and vertical lengths are pixels, so that text has the same size at every width.
 */
export function chartFigure({ id, title, description, height, content }: ChartFigure): Html {
  return html`<svg id="${id}" class="chart" width="100%" height="${height}" role="img" aria-labelledby="${id}-title" aria-describedby="${id}-description">
<title id="${id}-title">${title}</title>
<desc id="${id}-description">${description}</desc>
${content}</svg>\n`
}

/**
 * Returns the figures of a chart as a table: collapsed below its section on a screen, expanded and last on paper. Paper
 * omits daily figures, which the list of entries has.
 */
export function figuresTable(summary: string, table: Html, isDaily = false): Html {
  return html`<details class="figures${isDaily ? ' daily' : ''}"><summary>${summary}</summary>
<div class="scroll" role="region" aria-label="${summary}" tabindex="0">${table}</div>
</details>\n`
}
