import type { Share } from '../../report/charts/chart-model.js'
import { barCells } from './bar-cells.js'
import { type ChartOptions, defaultWidth, linesText, noTimeText } from './layout.js'

/** Returns a bar with time and percentage for each name; a message if there is no time. */
export function sharesText(shares: readonly Share[], options: ChartOptions): string {
  const maxSeconds = Math.max(0, ...shares.map(({ seconds }) => seconds))
  if (maxSeconds === 0) return noTimeText
  const lines = shares.map(({ label, seconds, text, percent }) => ({
    label,
    figures: [text, percent],
    draw: (cells: number) => barCells([seconds], undefined, maxSeconds, cells, options),
  }))
  return linesText(lines, options.width ?? defaultWidth, options.style)
}
