import { displayWidth, escapeStyledLines, escapeText, escapeTexts } from '../text.js'
import type { Style, View } from '../view.js'
import { cellsOf } from './cells.js'

/** Returns one record for a terminal: the sentence of the view, or a list of titles and values. */
export function recordText<Row>(view: View<Row>, row: Row, style: Style): string {
  const safe = escapeTexts(row)
  if (view.line) return escapeStyledLines(view.line(safe, style))
  const titles = view.columns.map((column) => escapeText(column.title))
  const width = Math.max(0, ...titles.map(displayWidth))
  const values = cellsOf(view, safe, style)
  return titles
    .map((title, index) => {
      const gap = ' '.repeat(width - displayWidth(title) + 2)
      return `${`${style.dim(title)}${gap}${values[index] ?? ''}`.trimEnd()}\n`
    })
    .join('')
}
