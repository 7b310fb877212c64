import { neutralise, neutralised, widthOf, wordsOf } from '../text.js'
import type { Ink, View } from '../view.js'
import { cellsOf } from './cells.js'

/** One record for people: the view's own sentence, or its titles and values below each other. */
export function recordText<Row>(view: View<Row>, row: Row, ink: Ink): string {
  const safe = neutralised(row)
  if (view.line) return wordsOf(view.line(safe, ink))
  const titles = view.columns.map((column) => neutralise(column.title))
  const width = Math.max(0, ...titles.map(widthOf))
  const values = cellsOf(view, safe, ink)
  return titles
    .map((title, index) => {
      const gap = ' '.repeat(width - widthOf(title) + 2)
      return `${`${ink.dim(title)}${gap}${values[index] ?? ''}`.trimEnd()}\n`
    })
    .join('')
}
