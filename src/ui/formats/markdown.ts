import { escapeText } from '../text.js'
import { type Column, plainStyle, type View } from '../view.js'
import { cellText } from './cells.js'

/** Yields a GitHub Markdown table (GFM, section 4.10) with the titles as heading. */
export function* markdownLines<Row>(view: View<Row>, rows: readonly Row[]): Generator<string> {
  yield line(view.columns.map((column) => cell(column.title)))
  yield line(view.columns.map(delimiter))
  for (const row of rows) {
    const record = view.json(row)
    yield line(view.columns.map((column) => cell(cellText(column, row, record, plainStyle, false))))
  }
}

function line(cells: string[]): string {
  return `| ${cells.join(' | ')} |\n`
}

function delimiter<Row>({ align }: Column<Row>): string {
  return align === 'right' ? '--:' : '---'
}

function cell(text: string): string {
  const lines = text.split(/\r\n|[\n\r]/)
  return lines.map((part) => preserveIndent(escapeText(part.replace(/[\\`*_~|[\]<&]/g, '\\$&')))).join('<br>')
}

/** Replaces leading spaces, which Markdown would drop. */
function preserveIndent(text: string): string {
  return text.replace(/^ +/, (spaces) => '&nbsp;'.repeat(spaces.length))
}
