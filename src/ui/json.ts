import type { View } from './view.js'

/** The lines of one JSON array (RFC 8259), indented by two spaces, one piece for each record. */
export function* jsonLines<Row>(view: View<Row>, rows: readonly Row[]): Generator<string> {
  if (rows.length === 0) return yield '[]\n'
  yield '[\n'
  for (const [index, row] of rows.entries()) {
    const record = written(view.json(row), 2).replaceAll('\n', '\n  ')
    yield `  ${record}${index + 1 < rows.length ? ',' : ''}\n`
  }
  yield ']\n'
}

/** One JSON object, indented by two spaces. */
export function jsonRecord<Row>(view: View<Row>, row: Row): string {
  return `${written(view.json(row), 2)}\n`
}

/** One compact JSON object a line. */
export function* ndjsonLines<Row>(view: View<Row>, rows: readonly Row[]): Generator<string> {
  for (const row of rows) yield `${written(view.json(row))}\n`
}

/** JSON need not escape DEL and the C1 control characters, but a terminal may obey them. */
function written(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(/[\u007f-\u009f]/g, (character) => {
    return `\\u00${character.charCodeAt(0).toString(16)}`
  })
}
