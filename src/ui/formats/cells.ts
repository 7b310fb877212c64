import { groupDigits } from '../../lib/text/words.js'
import { escapeStyledText } from '../text.js'
import { type Column, type Style, type View, valueText } from '../view.js'

/** Returns the cells of a row for a terminal, with line breaks and control characters escaped. */
export function cellsOf<Row>(view: View<Row>, row: Row, style: Style, isGrouped = false): string[] {
  const record = view.columns.some((column) => !column.text) ? view.json(row) : {}
  return view.columns.map((column) => escapeStyledText(cellText(column, row, record, style, isGrouped)))
}

/** Returns the text of a cell in a table or in Markdown. */
export function cellText<Row>(
  { key, text, isFigure }: Column<Row>,
  row: Row,
  record: Record<string, unknown>,
  style: Style,
  isGrouped: boolean,
): string {
  const cell = text ? text(row, style, isGrouped) : valueText(record[key])
  return isFigure ? groupDigits(cell) : cell
}
