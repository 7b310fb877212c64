import type { Share } from '../../report/charts/model.js'
import { barCells } from './cells.js'
import { linesText, noTimeText } from './layout.js'
import { type ChartOptions, defaultWidth } from './options.js'

/** A bar for each name, with its time and its part of the whole in per cent. Words where there is nothing. */
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
