import { escapeControls } from '../../lib/text/control-characters.js'
import { type View, valueText } from '../view.js'
import { type RowWriter, writtenRows } from './row-writer.js'

/** Yields tab-separated values without a header; control characters and backslashes are escaped. */
export function* tsvLines<Row>(view: View<Row>, rows: readonly Row[]): Generator<string> {
  for (const row of rows) {
    const record = view.json(row)
    yield `${view.columns.map(({ key }) => tsvField(valueText(record[key]))).join('\t')}\n`
  }
}

const tsvEscapes: Record<string, string> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' }

/** Escapes text for a field of TSV and for terminals: `\t`, `\n`, `\r`, `\\`, `\x1b`, `\u202e`. */
export function tsvField(text: string): string {
  return escapeControls(text.replace(/[\t\n\r\\]/g, (character) => tsvEscapes[character] ?? character))
}

export interface CsvOptions {
  /** Whether text that looks like a formula stays unchanged. */
  raw?: boolean | undefined
}

/** Yields comma-separated values (RFC 4180) with the keys as header. Without `raw`, no text begins like a formula. */
export function csvLines<Row>(
  view: View<Row>,
  rows: readonly Row[],
  options: CsvOptions = {},
): Generator<string> {
  return writtenRows(csvWriter(view, options), rows)
}

/** Returns the writer of comma-separated values (RFC 4180) with the keys of the view as header. */
export function csvWriter<Row>(view: View<Row>, options: CsvOptions): RowWriter<Row> {
  const keys = [...view.columns.map((column) => column.key), ...(view.csvColumns ?? [])]
  return csvTable(
    keys,
    (row) => {
      const record = view.json(row)
      return keys.map((key) => record[key])
    },
    options,
  )
}

/**
 * Returns the writer of comma-separated values (RFC 4180) with this header. Without `raw`, no text begins like a formula.
 */
export function csvTable<Row>(
  header: readonly string[],
  valuesOf: (row: Row) => unknown[],
  { raw = false }: CsvOptions,
): RowWriter<Row> {
  const csvText = raw ? valueText : guardFormula
  return { head: csvLine(header, csvText), row: (row) => csvLine(valuesOf(row), csvText), end: () => '' }
}

function csvLine(values: readonly unknown[], textOf: (value: unknown) => string): string {
  const line = values.map((value) => csvField(textOf(value))).join(',')
  // Many programs skip empty lines, so a single empty value is quoted.
  return `${line === '' ? '""' : line}\r\n`
}

/** Returns text as a field of CSV, in quotation marks where RFC 4180 requires them. */
export function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * Puts an apostrophe before text that a spreadsheet would run as a formula (OWASP, CSV injection). Some spreadsheets skip
 * leading white space, and some accept full-width signs. Numbers are unchanged.
 */
function guardFormula(value: unknown): string {
  const text = valueText(value)
  const isRisky = typeof value === 'string' && formulaLike.test(text) && !/^[+-]?\d+(\.\d+)?$/.test(text)
  return isRisky ? `'${text}` : text
}

const formulaLike = /^'*(?:[\t\r\n]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/
