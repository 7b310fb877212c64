import { escapeStyledText } from '../text.js'
import { type Style, type View, valueText } from '../view.js'

/** The cells of a row on a terminal, each on one line. */
export function cellsOf<Row>(view: View<Row>, row: Row, style: Style, grouped = false): string[] {
  const record = view.columns.some((column) => !column.text) ? view.json(row) : {}
  return view.columns.map((column) => {
    return escapeStyledText(column.text ? column.text(row, style, grouped) : valueText(record[column.key]))
  })
}
