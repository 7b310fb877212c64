import type { Share } from '../../report/charts/model.js'
import { barCells } from './cells.js'
import { linesText, noTime } from './layout.js'
import { type ChartOptions, usualWidth } from './options.js'

/** A bar for each name, with its time and its part of the whole in per cent. Words where there is nothing. */
export function sharesText(shares: readonly Share[], options: ChartOptions): string {
  const most = Math.max(0, ...shares.map(({ seconds }) => seconds))
  if (most === 0) return noTime
  const lines = shares.map(({ label, seconds, text, percent }) => ({
    label,
    figures: [text, percent],
    draw: (cells: number) => barCells([seconds], undefined, most, cells, options),
  }))
  return linesText(lines, options.width ?? usualWidth, options.ink)
}
