import { escapeStyledText } from '../text.js'
import { type Style, type View, valueText } from '../view.js'

/** Returns the cells of a row for a terminal, with line breaks and control characters escaped. */
export function cellsOf<Row>(view: View<Row>, row: Row, style: Style, isGrouped = false): string[] {
  const record = view.columns.some((column) => !column.text) ? view.json(row) : {}
  return view.columns.map((column) => {
    return escapeStyledText(column.text ? column.text(row, style, isGrouped) : valueText(record[column.key]))
  })
}
