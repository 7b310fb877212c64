/** Writes a list row by row, so that a long one is never in memory as a whole. */
export interface RowWriter<Row> {
  /** The text before the first row. */
  readonly head: string
  /** Returns the text of the next row. */
  row(row: Row): string
  /** Returns the text after the last row. */
  end(): string
}

/** Yields the text of a list. */
export function* writtenRows<Row>(writer: RowWriter<Row>, rows: Iterable<Row>): Generator<string> {
  yield writer.head
  for (const row of rows) yield writer.row(row)
  yield writer.end()
}
