import type { View } from './view.js'

/** Rows with how they look. */
export interface RowsWithView {
  view: View<never>
  rows: readonly unknown[]
}

/** A value that is one object in JSON, and rows in the formats for lists. */
export interface Summary {
  /** The object, with snake_case keys that are only ever added to. */
  record: Record<string, unknown>
  /** For tables and Markdown: a tree with its subtotals, say. */
  tree: RowsWithView
  /** For TSV, CSV and NDJSON: what can be summed up again. */
  flat: RowsWithView
}
