/** Colours for text on a terminal; the identity functions if colour is off. */
export interface Style {
  bold(text: string): string
  dim(text: string): string
  red(text: string): string
  green(text: string): string
  yellow(text: string): string
  cyan(text: string): string
  /** Returns a hyperlink to an address or file; undefined if the terminal does not support them. */
  link?(text: string, target: string): string
  /** The colours of chart series in addition to their fills; undefined if colour is off. */
  series?: SeriesStyle
}

interface SeriesStyle {
  /** Returns text in the colour of a series, from 0. Colours repeat. */
  paint(text: string, index: number): string
  /** Returns text on the shade of a level from 0 to 4; undefined with too few colours. */
  shade?(text: string, level: number): string
}

/**
 * One column of a resource.
 *
 * On a terminal, the functions of a column or view get a copy of the row in which control characters are visible
 * escapes, so that no value can control the terminal.
 */
export interface Column<Row> {
  /** The JSON key, as in `--fields` and the CSV header. */
  key: string
  /** The heading in tables and Markdown. */
  title: string
  /**
   * Returns the cell in tables and Markdown; by default the JSON value of `key`. `isGrouped` means that the heading of the
   * `group` is shown above the row.
   */
  text?(row: Row, style: Style, isGrouped: boolean): string
  align?: 'left' | 'right'
  /** Whether it is a figure with separators of thousands in tables and Markdown. */
  isFigure?: boolean
  /** Whether a cell may be shortened with `…` to fit the terminal. */
  canShrink?: boolean
  /** Whether a cell may continue on further lines to fit the terminal. Its text has no style. */
  canWrap?: boolean
  /** The least width on a terminal in cells, such as that of the same column in the next table. */
  minWidth?: number
  /** Whether a narrow terminal omits the column. */
  isMinor?: boolean
  /** Whether tables on a terminal omit the column unless `--fields` names it, because the footer shows it. */
  isHiddenOnTerminal?: boolean
}

/** A formatted field for templates. */
export interface TemplateField<Row> {
  key: string
  text(row: Row): string
}

/** A row as an event of a calendar (RFC 5545 section 3.6.1). */
export interface CalendarEvent {
  /** A stable ID of the row. */
  uid: string
  start: Date
  end: Date
  /** Time of the last known change. */
  stamp: Date
  created: Date | undefined
  modified: Date | undefined
  summary: string
  description: string
  categories: string[]
  /** Whether the event has not ended yet. */
  isTentative: boolean
}

/** The presentation of a resource in all formats: an ordered list of columns and a JSON shape. */
export interface View<Row> {
  columns: Column<Row>[]
  /** The keys of columns that a very narrow terminal omits, in this order, so that the others stay readable. */
  omittedFirst?: readonly string[]
  /** The record with snake_case keys, which are only added and never removed. */
  json(row: Row): Record<string, unknown>
  /** The keys of further columns of CSV, for calculations. */
  csvColumns?: readonly string[]
  /** Keys that only some rows have; `--fields` may name them even if no row does. */
  optional?: readonly string[]
  /** The sentence for one record on a terminal, instead of its keys and values. */
  line?(row: Row, style: Style): string
  /** The heading of consecutive table rows with the same text. */
  group?(row: Row, style: Style): string
  /** Returns the lines below a table row on a terminal, such as a command; they are indented and never broken. */
  below?(row: Row, style: Style): string[]
  /** Returns the total of the group of each row, which follows the heading of the group. */
  groupTotals?(rows: readonly Row[]): string[]
  /** Text below a table on a terminal. */
  footer?(rows: Row[], style: Style): string | undefined
  /** Fields of `--template` in addition to the JSON keys; they take precedence. */
  templateFields?: readonly TemplateField<Row>[]
  /** The calendar event of a row that has times. */
  event?(row: Row): CalendarEvent
  /** The message on stderr for an empty list on a terminal. */
  empty: string
}

const identity = (text: string) => text

/** The style without colours, for files, pipes and terminals without colour. */
export const plainStyle: Style = {
  bold: identity,
  dim: identity,
  red: identity,
  green: identity,
  yellow: identity,
  cyan: identity,
}

/** Returns a JSON value as text: strings unchanged, null as an empty string, objects and lists as compact JSON. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Rows with their view. */
export interface RowsWithView {
  view: View<unknown>
  rows: readonly unknown[]
  /** The line above the table, if there are several tables. */
  heading?: string
}

/** A value that is one object in JSON, and rows in other formats. */
export interface Summary {
  /** The object, with snake_case keys that are only ever added to. */
  record: Record<string, unknown>
  /** Rows for tables and Markdown, such as a tree with subtotals. */
  tree: RowsWithView
  /** Rows for Markdown if they differ, such as with totals that a table has in its footer. */
  document?: RowsWithView
  /** Returns one or more tables for a terminal of this width in cells, if they replace the tree. */
  tables?: (width: number | undefined) => readonly RowsWithView[]
  /** Rows for TSV, CSV and NDJSON, without subtotals. */
  flat: RowsWithView
  /** Rows for CSV if they differ, such as with durations as text. */
  csv?: RowsWithView
  /** Rows for NDJSON if they differ. */
  ndjson?: RowsWithView
}
