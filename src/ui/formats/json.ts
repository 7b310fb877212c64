import type { Style, View } from '../view.js'
import { type RowWriter, writtenRows } from './row-writer.js'

/** Yields a JSON array (RFC 8259), indented by two spaces, one record at a time. */
export function jsonLines<Row>(view: View<Row>, rows: readonly Row[]): Generator<string> {
  return writtenRows(jsonWriter(view), rows)
}

/** Returns the writer of a JSON array (RFC 8259), indented by two spaces. */
export function jsonWriter<Row>(view: View<Row>): RowWriter<Row> {
  return arrayWriter((row) => `  ${jsonText(view.json(row), 2).replaceAll('\n', '\n  ')}`)
}

/** Returns the writer of a JSON array with each element on lines of its own. */
export function arrayWriter<Row>(elementText: (row: Row) => string): RowWriter<Row> {
  // An element waits for the next one, which decides whether a comma follows it.
  let waiting: string | undefined
  return {
    head: '',
    row(row) {
      const before = waiting === undefined ? '[\n' : `${waiting},\n`
      waiting = elementText(row)
      return before
    },
    end: () => (waiting === undefined ? '[]\n' : `${waiting}\n]\n`),
  }
}

/** Returns one JSON object, indented by two spaces. */
export function jsonRecord<Row>(view: View<Row>, row: Row): string {
  return `${jsonText(view.json(row), 2)}\n`
}

/** Yields one compact JSON object per line. */
export function* ndjsonLines<Row>(view: View<Row>, rows: readonly Row[]): Generator<string> {
  for (const row of rows) yield `${jsonText(view.json(row))}\n`
}

/**
 * Matches C1 controls and DEL, line separators, tag characters (U+E0000 to U+E007F), which hide text from people but not from
 * programs, and characters with the property Bidi_Control (Unicode UAX #9).
 */
const unsafe = /\udb40[\udc00-\udc7f]|[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/**
 * Returns a value as JSON (RFC 8259). Escapes all characters that could control a terminal or reorder text; JSON itself
 * requires that for C0 controls only.
 */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(unsafe, (match) =>
    match
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

/** Matches a string, with the colon if it is a key, and the literals except numbers. */
const token = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b/g

/** Returns JSON text with colours: keys cyan, strings green, booleans yellow, null dim. Numbers have no colour. */
export function colourJson(json: string, { cyan, green, yellow, dim }: Style): string {
  return json.replace(token, (literal, string?: string, colon?: string) => {
    if (string !== undefined) return colon === undefined ? green(string) : `${cyan(string)}${colon}`
    return literal === 'null' ? dim(literal) : yellow(literal)
  })
}
