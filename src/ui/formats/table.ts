import type Table from 'cli-table3'
import {
  displayWidth,
  escapeStyledLines,
  escapeStyledText,
  escapeText,
  escapeTexts,
  shortenText,
  wrapText,
} from '../text.js'
import type { Column, Style, View } from '../view.js'
import { cellsOf } from './cells.js'

type TableClass = typeof Table

export interface TableOptions {
  style: Style
  /** The width of the terminal in cells; undefined for no limit. */
  width: number | undefined
}

/** Rows per layout: its time is quadratic in them, and the first screen should appear before the whole list is laid out. */
const rowsAtOnce = 200
const gap = '  '

/**
 * Yields a table without borders: a heading row, rows under the headings of their groups, and the footer. To fit the width,
 * minor columns are omitted and others are shortened or wrapped. Yields nothing if there are no rows.
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
  const natural = naturalWidths([titles, ...cells]).map((cellWidth, index) =>
    Math.max(cellWidth, view.columns[index]?.minWidth ?? 0),
  )
  const isEmpty = view.columns.map((_, index) => cells.every((line) => line[index] === ''))
  const visible = visibleColumns(view.columns, natural, isEmpty, width)
  const onlyVisible = <Item>(items: readonly Item[]) => items.filter((_, index) => visible.has(index))
  const columns = onlyVisible(view.columns)
  const widths = fitWidths(columns, onlyVisible(natural), width)
  const layOut = (lines: string[][]) => layOutRows(TableOfCells, columns, widths, lines.map(onlyVisible))

  yield layOut([titles])
    .map((line) => `${style.bold(line)}\n`)
    .join('')
  const headings = groupHeadings(view, safe, style, width)
  for (let start = 0; start < rows.length; start += rowsAtOnce) {
    const lines = layOut(cells.slice(start, start + rowsAtOnce))
    yield lines.map((line, index) => `${headings[start + index] ?? ''}${line}\n`).join('')
  }
  const footer = view.footer?.(safe, style)
  if (footer !== undefined) yield `\n${escapeStyledLines(footer)}`
}

/** Returns the text before each row: the heading of its group if a group begins there, otherwise empty. */
function groupHeadings<Row>(view: View<Row>, rows: Row[], style: Style, width = Infinity): string[] {
  let current: string | undefined
  const totals = view.groupTotals?.(rows)
  return rows.map((row, index) => {
    const group = view.group?.(row, style)
    if (group === undefined || group === current) return ''
    const blankLine = current === undefined ? '' : '\n'
    current = group
    const heading = totals ? `${group}${gap}${totals[index]}` : group
    return `${blankLine}${shortenText(escapeStyledText(heading), width).trimEnd()}\n`
  })
}

/** Returns the width of the widest cell of each column; at least 1, because the layout omits empty lines. */
function naturalWidths(lines: string[][]): number[] {
  const widths: number[] = []
  for (const line of lines) {
    for (const [index, cell] of line.entries())
      widths[index] = Math.max(widths[index] ?? 1, displayWidth(cell))
  }
  return widths
}

/** Whether a column may be narrower than its cells. */
function isFlexible<Row>(column: Column<Row> | undefined): boolean {
  return Boolean(column?.canShrink || column?.canWrap)
}

/** Width in cells to which a column may shrink before minor columns are omitted. */
const readableWidth = 20

/**
 * Returns the indexes of the shown columns. Where the table does not fit, omits those without a value in any row, then
 * minor columns, the last first, until the others are readable.
 */
function visibleColumns<Row>(
  columns: Column<Row>[],
  natural: number[],
  isEmpty: boolean[],
  limit = Infinity,
): Set<number> {
  const visible = new Set(columns.keys())
  if (natural.reduce((sum, width) => sum + width + gap.length, -gap.length) > limit) {
    for (const index of columns.keys()) if (isEmpty[index] && columns[index]?.canShrink) visible.delete(index)
  }
  const needed = () =>
    [...visible].reduce((sum, index) => {
      const width = natural[index] ?? 0
      return sum + gap.length + (isFlexible(columns[index]) ? Math.min(width, readableWidth) : width)
    }, -gap.length)
  const minorColumns = [...columns.keys()].filter((index) => columns[index]?.isMinor).reverse()
  for (const index of minorColumns) if (needed() > limit) visible.delete(index)
  return visible
}

/** Returns column widths that fit the limit if possible. Repeatedly narrows the widest flexible column. */
function fitWidths<Row>(columns: Column<Row>[], natural: number[], limit: number | undefined): number[] {
  if (limit === undefined) return natural
  const widths = natural.map((width, index) => (isFlexible(columns[index]) ? Math.min(width, limit) : width))
  let excess = widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1)) - limit
  for (; excess > 0; excess--) {
    let widest = -1
    for (const [index, width] of widths.entries()) {
      if (isFlexible(columns[index]) && width > Math.max(1, widths[widest] ?? 0)) widest = index
    }
    if (widest < 0) break
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return widths
}

/**
 * Placeholders for cells with other characters than ASCII, of the same width, because the table library computes the width
 * of many scripts and newer emoji wrongly: the first noncharacter, then repetitions of the second.
 */
const placeholderStart = '\ufdd0'
const placeholderRest = '\ufdd1'

/** Matches the blocks of right-to-left scripts (Unicode, DerivedBidiClass). */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
/** An invisible character. After a right-to-left cell it prevents a terminal from reversing the following columns. */
const leftToRightMark = '\u200e'

/** Returns the text of each row, on several lines if a cell is wrapped. */
function layOutRows<Row>(
  TableOfCells: TableClass,
  columns: Column<Row>[],
  widths: number[],
  rows: string[][],
): string[] {
  const linesOfRows = rows.map((cells) => wrapCells(columns, widths, cells))
  const lines = layOutLines(TableOfCells, columns, widths, linesOfRows.flat())
  return linesOfRows.map(({ length }) => lines.splice(0, length).join('\n'))
}

/** Returns the lines of a row: the cells of its first line, then those with the rest of wrapped cells. */
function wrapCells<Row>(columns: Column<Row>[], widths: number[], cells: string[]): string[][] {
  const wrapped = cells.map((cell, index) =>
    columns[index]?.canWrap ? wrapText(cell, widths[index] ?? 0) : [cell],
  )
  const height = Math.max(1, ...wrapped.map(({ length }) => length))
  return Array.from({ length: height }, (_, line) => wrapped.map((lines) => lines[line] ?? ''))
}

function layOutLines<Row>(
  TableOfCells: TableClass,
  columns: Column<Row>[],
  widths: number[],
  lines: string[][],
): string[] {
  const replacedCells: string[] = []
  const placeholderFor = (cell: string) => {
    const width = displayWidth(cell)
    if (width === 0 || /^[ -~]*$/.test(cell)) return cell
    replacedCells.push(rightToLeft.test(cell) ? cell + leftToRightMark : cell)
    return placeholderStart + placeholderRest.repeat(width - 1)
  }
  const table = new TableOfCells({
    chars: borderless,
    colWidths: widths,
    colAligns: columns.map((column) => column.align ?? 'left'),
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
  })
  for (const line of lines)
    table.push(line.map((cell, index) => placeholderFor(shortenText(cell, widths[index] ?? 0))))
  let next = 0
  const text = table.toString().replace(/\ufdd0\ufdd1*/g, () => replacedCells[next++] ?? '')
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
