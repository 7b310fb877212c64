import { escapeControls } from '../../lib/control-characters.js'
import { type View, valueText } from '../view.js'

/** Tab-separated values for other programs: no header; control characters and backslashes escaped. */
export function* tsvLines<Row>(view: View<Row>, rows: readonly Row[]): Generator<string> {
  for (const row of rows) {
    const record = view.json(row)
    yield `${view.columns.map(({ key }) => tsvField(valueText(record[key]))).join('\t')}\n`
  }
}

const tsvEscapes: Record<string, string> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' }

/** Text that breaks neither a line nor a field of TSV, and cannot drive a terminal: `\t`, `\n`, `\r`, `\\`, `\x1b`, `\u202e`. */
export function tsvField(text: string): string {
  return escapeControls(text.replace(/[\t\n\r\\]/g, (character) => tsvEscapes[character] ?? character))
}

/** Comma-separated values (RFC 4180) with the keys as header. */
export function* csvLines<Row>(view: View<Row>, rows: readonly Row[]): Generator<string> {
  const keys = view.columns.map((column) => column.key)
  yield csvLine(keys)
  for (const row of rows) {
    const record = view.json(row)
    yield csvLine(keys.map((key) => record[key]))
  }
}

function csvLine(values: unknown[]): string {
  const line = values.map((value) => csvField(guardFormula(value))).join(',')
  // A line with nothing on it is skipped by many readers: a lone empty value is quoted.
  return `${line === '' ? '""' : line}\r\n`
}

function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * A spreadsheet runs text that begins like a formula; an apostrophe in front makes it text (OWASP, CSV injection).
 * Some skip white space first, and some read the full-width forms of the signs alike. What reads as a number is
 * left alone.
 */
function guardFormula(value: unknown): string {
  const text = valueText(value)
  const risky = typeof value === 'string' && formulaLike.test(text) && !/^[+-]?\d+(\.\d+)?$/.test(text)
  return risky ? `'${text}` : text
}

const formulaLike = /^[\t\r\n]|^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/
