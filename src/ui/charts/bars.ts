import type { BarChart } from '../../report/charts/chart-model.js'
import { barCells, swatch, targetMark } from './bar-cells.js'
import { type ChartOptions, defaultWidth, linesText, nameText, noTimeText, wrap } from './layout.js'

/**
 * Returns a stacked bar with its time for each day, week or month, followed by a legend; a message if there is neither
 * time nor a target.
 */
export function barsText(chart: BarChart, options: ChartOptions): string {
  const { style, width = defaultWidth } = options
  if (chart.maxSeconds === 0) return noTimeText
  const lines = chart.bars.map(({ label, parts, target, seconds, text }) => ({
    label,
    figures: [text],
    draw: (cells: number) => barCells(parts, target, chart.maxSeconds, cells, options),
    isFaint: seconds === 0,
  }))
  const legend = legendOf(chart, options)
  return linesText(lines, width, style) + (legend === '' ? '' : `\n${legend}`)
}

function legendOf({ series, bars }: BarChart, options: ChartOptions): string {
  const { width = defaultWidth } = options
  // Leaves space for the figures after the name.
  const items = series.map(({ label, text }, index) => {
    const name = nameText(label, Math.max(1, width - text.length - 3))
    return `${swatch(index, options)} ${name} ${options.style.bold(text)}`
  })
  const target = bars.some((bar) => bar.target) ? [`${targetMark(options)} target`] : []
  return series.length < 2 && target.length === 0 ? '' : wrap([...items, ...target], width)
}
