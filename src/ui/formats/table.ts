import type Table from 'cli-table3'
import {
  displayWidth,
  escapeStyledText,
  escapeText,
  escapeTexts,
  shortenText,
  terminalLines,
} from '../text.js'
import type { Column, Style, View } from '../view.js'
import { cellsOf } from './cells.js'

type TableClass = typeof Table

export interface TableOptions {
  style: Style
  /** The width of the terminal in cells; undefined where there is no limit. */
  width: number | undefined
}

/** The layout costs time quadratic in the rows of one table, and the first screen should not wait for the last. */
const rowsAtOnce = 200
const gap = '  '

/**
 * A table for people, without borders: a heading row, rows under the headings of their groups, and the footer.
 * Columns that may shrink, and minor ones before them, give way until the table fits the width. Nothing at all for no
 * rows.
 */
export async function* tableText<Row>(
  view: View<Row>,
  rows: readonly Row[],
  { style, width }: TableOptions,
): AsyncGenerator<string> {
  if (rows.length === 0) return
  const { default: TableOfCells } = await import('cli-table3')
  const safe = rows.map(escapeTexts)
  const titles = view.columns.map((column) => escapeText(column.title))
  const cells = safe.map((row) => cellsOf(view, row, style, view.group !== undefined))
  const natural = naturalWidths([titles, ...cells])
  const visible = visibleColumns(view.columns, natural, width)
  const of = <Item>(items: readonly Item[]) => items.filter((_, index) => visible.has(index))
  const columns = of(view.columns)
  const widths = fitWidths(columns, of(natural), width)
  const layOut = (lines: string[][]) => layOutLines(TableOfCells, columns, widths, lines.map(of))

  yield layOut([titles])
    .map((line) => `${style.bold(line)}\n`)
    .join('')
  const headings = groupHeadings(view, safe, style, width)
  for (let start = 0; start < rows.length; start += rowsAtOnce) {
    const lines = layOut(cells.slice(start, start + rowsAtOnce))
    yield lines.map((line, index) => `${headings[start + index] ?? ''}${line}\n`).join('')
  }
  const footer = view.footer?.(safe, style)
  if (footer !== undefined) yield `\n${terminalLines(footer)}`
}

/** What stands before each row: the heading of its group where one begins, otherwise nothing. */
function groupHeadings<Row>(view: View<Row>, rows: Row[], style: Style, width = Infinity): string[] {
  let current: string | undefined
  return rows.map((row) => {
    const group = view.group?.(row, style)
    if (group === undefined || group === current) return ''
    const blankLine = current === undefined ? '' : '\n'
    current = group
    return `${blankLine}${shortenText(escapeStyledText(group), width).trimEnd()}\n`
  })
}

/** The width of each column's widest cell; at least 1, because a line of nothing is left out of the layout. */
function naturalWidths(lines: string[][]): number[] {
  const widths: number[] = []
  for (const line of lines) {
    for (const [index, cell] of line.entries())
      widths[index] = Math.max(widths[index] ?? 1, displayWidth(cell))
  }
  return widths
}

/** So much of a column that shrinks should be left for it to be read, in cells. */
const readableWidth = 20

/** The places of the columns that are shown: the minor ones go, from the last on, until the others can be read. */
function visibleColumns<Row>(columns: Column<Row>[], natural: number[], limit = Infinity): Set<number> {
  const visible = new Set(columns.keys())
  const needed = () =>
    [...visible].reduce((sum, index) => {
      const width = natural[index] ?? 0
      return sum + gap.length + (columns[index]?.canShrink ? Math.min(width, readableWidth) : width)
    }, -gap.length)
  const minorColumns = [...columns.keys()].filter((index) => columns[index]?.isMinor).reverse()
  for (const index of minorColumns) if (needed() > limit) visible.delete(index)
  return visible
}

/** Takes from the widest shrinking column, one cell at a time, until the table fits or there is no more to take. */
function fitWidths<Row>(columns: Column<Row>[], natural: number[], limit: number | undefined): number[] {
  if (limit === undefined) return natural
  const widths = natural.map((width, index) => (columns[index]?.canShrink ? Math.min(width, limit) : width))
  let excess = widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1)) - limit
  for (; excess > 0; excess--) {
    let widest = -1
    for (const [index, width] of widths.entries()) {
      if (columns[index]?.canShrink && width > Math.max(1, widths[widest] ?? 0)) widest = index
    }
    if (widest < 0) break
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return widths
}

/**
 * The table library measures marks of many scripts and newer emoji wrongly. So it is handed a stand-in of the
 * right width for everything but plain ASCII: one of the first noncharacter, then as many of the second as needed.
 */
const standInStart = '\ufdd0'
const standInRest = '\ufdd1'

/** The blocks whose letters are written from right to left (Unicode, DerivedBidiClass). */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
/** Takes no room. After such a cell it keeps the columns in their order: they would be shown as one run, backwards. */
const leftToRightMark = '\u200e'

function layOutLines<Row>(
  TableOfCells: TableClass,
  columns: Column<Row>[],
  widths: number[],
  lines: string[][],
) {
  const stoodIn: string[] = []
  const standIn = (cell: string) => {
    const width = displayWidth(cell)
    if (width === 0 || /^[ -~]*$/.test(cell)) return cell
    stoodIn.push(rightToLeft.test(cell) ? cell + leftToRightMark : cell)
    return standInStart + standInRest.repeat(width - 1)
  }
  const table = new TableOfCells({
    chars: borderless,
    colWidths: widths,
    colAligns: columns.map((column) => column.align ?? 'left'),
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
  })
  for (const line of lines)
    table.push(line.map((cell, index) => standIn(shortenText(cell, widths[index] ?? 0))))
  let next = 0
  const text = table.toString().replace(/\ufdd0\ufdd1*/g, () => stoodIn[next++] ?? '')
  return text.split('\n').map((line) => line.replace(/[\s\u200e]+$/, ''))
}

const borderless = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: gap,
}
