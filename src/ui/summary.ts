import type { View } from './view.js'

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
