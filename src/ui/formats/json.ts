import type { View } from '../view.js'

/** Yields a JSON array (RFC 8259), indented by two spaces, one record at a time. */
export function* jsonLines<Row>(view: View<Row>, rows: readonly Row[]): Generator<string> {
  if (rows.length === 0) return yield '[]\n'
  yield '[\n'
  for (const [index, row] of rows.entries()) {
    const record = jsonText(view.json(row), 2).replaceAll('\n', '\n  ')
    yield `  ${record}${index + 1 < rows.length ? ',' : ''}\n`
  }
  yield ']\n'
}

/** Returns one JSON object, indented by two spaces. */
export function jsonRecord<Row>(view: View<Row>, row: Row): string {
  return `${jsonText(view.json(row), 2)}\n`
}

/** Yields one compact JSON object per line. */
export function* ndjsonLines<Row>(view: View<Row>, rows: readonly Row[]): Generator<string> {
  for (const row of rows) yield `${jsonText(view.json(row))}\n`
}

/** Matches C1 controls and DEL, line separators, and characters with the property Bidi_Control (Unicode UAX #9). */
const unsafe = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/**
 * Returns a value as JSON (RFC 8259). Escapes all characters that could control a terminal or reorder text; JSON itself
 * requires that for C0 controls only.
 */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(unsafe, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
