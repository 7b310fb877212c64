import type Table from 'cli-table3'
import { trimEnd } from '../../lib/text/words.js'
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

/** Rows per chunk: the first screen should appear before the whole list is laid out. */
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
  const visible = visibleColumns(view, natural, isEmpty, width)
  const onlyVisible = <Item>(items: readonly Item[]) => items.filter((_, index) => visible.has(index))
  const columns = onlyVisible(view.columns)
  const widths = fitWidths(columns, onlyVisible(natural), cells.map(onlyVisible), width)
  const layOut = rowLayout(TableOfCells, columns, widths)

  yield `${style.bold(layOut(onlyVisible(titles)))}\n`
  const headings = groupHeadings(view, safe, style, width)
  const below = (row: Row | undefined) =>
    (row === undefined ? [] : (view.below?.(row, style) ?? []))
      .map((line) => escapeStyledLines(' '.repeat((widths[0] ?? 0) + gap.length) + line))
      .join('')
  for (let start = 0; start < rows.length; start += rowsAtOnce) {
    const lines = cells.slice(start, start + rowsAtOnce).map((row) => layOut(onlyVisible(row)))
    yield lines
      .map((line, index) => `${headings[start + index] ?? ''}${line}\n${below(safe[start + index])}`)
      .join('')
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
/** Width in cells to which a column may shrink before columns of `omittedFirst` are omitted. */
const leastWidth = 6

/**
 * Returns the indexes of the shown columns. Where the table does not fit, omits those without a value in any row, then
 * minor columns, the last first, until the others are readable, then those of `omittedFirst`.
 */
function visibleColumns<Row>(
  { columns, omittedFirst = [] }: View<Row>,
  natural: number[],
  isEmpty: boolean[],
  limit = Infinity,
): Set<number> {
  const visible = new Set(columns.keys())
  if (natural.reduce((sum, width) => sum + width + gap.length, -gap.length) > limit) {
    for (const index of columns.keys()) if (isEmpty[index] && columns[index]?.canShrink) visible.delete(index)
  }
  const needed = (flexibleWidth: number) =>
    [...visible].reduce((sum, index) => {
      const width = natural[index] ?? 0
      return sum + gap.length + (isFlexible(columns[index]) ? Math.min(width, flexibleWidth) : width)
    }, -gap.length)
  const minorColumns = [...columns.keys()].filter((index) => columns[index]?.isMinor).reverse()
  for (const index of minorColumns) if (needed(readableWidth) > limit) visible.delete(index)
  for (const omitted of omittedFirst)
    if (needed(leastWidth) > limit) visible.delete(columns.findIndex(({ key }) => key === omitted))
  return visible
}

/**
 * Returns column widths that fit the limit if possible. Repeatedly narrows the widest flexible column; one that wraps stays
 * as wide as its longest word while another can be narrowed.
 */
function fitWidths<Row>(
  columns: Column<Row>[],
  natural: number[],
  cells: string[][],
  limit: number | undefined,
): number[] {
  if (limit === undefined) return natural
  const longestWords = columns.map(({ canWrap }, index) =>
    canWrap ? longestWord(cells.map((line) => line[index] ?? '')) : 1,
  )
  const widths = natural.map((width, index) => (isFlexible(columns[index]) ? Math.min(width, limit) : width))
  let excess = widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1)) - limit
  for (; excess > 0; excess--) {
    const widestAbove = (minWidths: number[]) =>
      widths.reduce((widest, width, index) => {
        const canNarrow = isFlexible(columns[index]) && width > (minWidths[index] ?? 1)
        return canNarrow && width > (widths[widest] ?? 0) ? index : widest
      }, -1)
    const aboveWords = widestAbove(longestWords)
    const widest = aboveWords >= 0 ? aboveWords : widestAbove([])
    if (widest < 0) break
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return widths
}

/** Returns the width of the longest word of the cells, at most the readable width. */
function longestWord(cells: readonly string[]): number {
  const words = cells.flatMap((cell) => cell.split(/\s+/))
  return words.reduce((width, word) => Math.max(width, Math.min(displayWidth(word), readableWidth)), 1)
}

/** Matches the blocks of right-to-left scripts (Unicode, DerivedBidiClass). */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
/** An invisible character. After a right-to-left cell it prevents a terminal from reversing the following columns. */
const leftToRightMark = '\u200e'

/**
 * Creates a function that returns the text of a row, on several lines if a cell is wrapped.
 *
 * The table library lays out one row, and the cells of every row are padded to its columns here: the library takes more
 * than linear time for many rows, and computes the width of many scripts and newer emoji wrongly.
 */
function rowLayout<Row>(TableOfCells: TableClass, columns: Column<Row>[], widths: number[]) {
  const [start = '', ...separators] = separatorsOf(TableOfCells, widths)
  const layOutLine = (cells: string[]) => {
    const parts = cells.map((cell, index) => {
      const text = shortenText(cell, widths[index] ?? 0)
      return `${padCell(text, widths[index] ?? 0, columns[index]?.align)}${separators[index] ?? ''}`
    })
    return trimEnd((start + parts.join('')).trimEnd(), leftToRightMark).trimEnd()
  }
  return (cells: string[]) => wrapCells(columns, widths, cells).map(layOutLine).join('\n')
}

/** Returns the text before the first cell of a row and after each cell, as the table library lays them out. */
function separatorsOf(TableOfCells: TableClass, widths: number[]): string[] {
  const table = new TableOfCells({
    chars: borderless,
    colWidths: widths,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
  })
  table.push(widths.map((width) => 'x'.repeat(width)))
  return table.toString().split(/x+/)
}

function padCell(text: string, width: number, align: Column<unknown>['align']): string {
  const padding = ' '.repeat(Math.max(0, width - displayWidth(text)))
  const cell = rightToLeft.test(text) ? text + leftToRightMark : text
  return align === 'right' ? padding + cell : cell + padding
}

/** Returns the lines of a row: the cells of its first line, then those with the rest of wrapped cells. */
function wrapCells<Row>(columns: Column<Row>[], widths: number[], cells: string[]): string[][] {
  const wrapped = cells.map((cell, index) =>
    columns[index]?.canWrap ? wrapText(cell, widths[index] ?? 0) : [cell],
  )
  const height = Math.max(1, ...wrapped.map(({ length }) => length))
  return Array.from({ length: height }, (_, line) => wrapped.map((lines) => lines[line] ?? ''))
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
