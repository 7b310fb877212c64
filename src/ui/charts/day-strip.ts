import { formatTime } from '../../lib/calendar/time.js'
import { hourMs } from '../../lib/time-units.js'
import { seriesCells } from './bar-cells.js'
import { type ChartOptions, defaultWidth } from './layout.js'

/** A part of a day that belongs to a series, from 0. */
export interface StripSpan {
  start: Date
  end: Date
  series: number
}

/** The most cells of an hour: wider ones show nothing more. */
const maxCellsPerHour = 12
/** The width of the number of an hour with a gap. */
const labelWidth = 3

/**
 * Returns two lines: the numbers of the hours, and a strip from the first span to the last one or `now`, in which gaps are
 * dots. A span is never drawn empty, and a later one covers earlier ones.
 */
export function dayStripText(spans: readonly StripSpan[], now: Date, options: ChartOptions): string {
  const first = new Date(Math.min(...spans.map(({ start }) => start.getTime())))
  first.setMinutes(0, 0, 0)
  const firstMs = first.getTime()
  const lastMs = Math.max(now.getTime(), ...spans.map(({ end }) => end.getTime()))
  const hours = Math.max(1, Math.ceil((lastMs - firstMs) / hourMs))
  const { width = defaultWidth } = options
  const perHour = Math.max(1, Math.min(maxCellsPerHour, Math.floor(width / hours)))
  const position = (date: Date) => ((date.getTime() - firstMs) / hourMs) * perHour
  const cells: (number | undefined)[] = Array.from({
    length: Math.max(1, Math.round(position(new Date(lastMs)))),
  })
  for (const { start, end, series } of spans) {
    const from = Math.min(cells.length - 1, Math.round(position(start)))
    cells.fill(series, from, Math.max(from + 1, Math.round(position(end))))
  }
  const hoursPerLabel = Math.ceil(labelWidth / perHour)
  const labels = Array.from({ length: Math.ceil(hours / hoursPerLabel) }, (_, index) => {
    const hour = new Date(firstMs + index * hoursPerLabel * hourMs)
    return formatTime(hour)
      .slice(0, 2)
      .padEnd(hoursPerLabel * perHour)
  })
  return `${options.style.dim(labels.join('').trimEnd())}\n${seriesCells(cells, options)}\n`
}
