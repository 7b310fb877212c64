import { TtError } from '../../../lib/errors.js'
import { type ColumnMap, type CsvField, csvFields } from './csv-fields.js'

/** The names of the column of each field, most specific first. A group in the pattern of `amount` is the currency. */
export type ColumnPatterns = Partial<Record<CsvField, readonly RegExp[]>>

/** The index of the column of each field, and the names of all columns. */
export interface CsvLayout {
  header: readonly string[]
  index: Partial<Record<CsvField, number>>
}

/**
 * Returns the layout of a file with this header, whose names are trimmed. Of equal names, the first column counts.
 *
 * @param names the header in the language of the patterns
 */
export function layoutOf(
  header: readonly string[],
  patterns: ColumnPatterns,
  names: readonly string[] = header,
): CsvLayout {
  const index: CsvLayout['index'] = {}
  for (const field of csvFields) {
    const found = (patterns[field] ?? [])
      .map((pattern) => names.findIndex((name) => pattern.test(name)))
      .find((column) => column >= 0)
    if (found !== undefined) index[field] = found
  }
  return { header, index }
}

/** Returns the layout that a user has described. Throws TtError `usage` for a column that the file does not have. */
export function mappedLayout(name: string, header: readonly string[], columns: ColumnMap): CsvLayout {
  const index: CsvLayout['index'] = {}
  const lowerCase = header.map((column) => column.toLowerCase())
  const missing: string[] = []
  for (const field of csvFields) {
    const column = columns[field]
    if (column === undefined) continue
    const found = header.indexOf(column)
    index[field] = found >= 0 ? found : lowerCase.indexOf(column.toLowerCase())
    if (index[field] < 0) missing.push(column)
  }
  if (missing.length > 0) throw missingColumnsError(name, header, missing)
  return { header, index }
}

/**
 * Throws TtError `usage` unless the header has these columns, which every report of the service has.
 *
 * @param names the header in English
 */
export function requireColumns(
  name: string,
  header: readonly string[],
  required: readonly string[],
  service: string,
  names: readonly string[] = header,
) {
  const lowerCase = names.map((column) => column.toLowerCase())
  const missing = required.filter((column) => !lowerCase.includes(column.toLowerCase()))
  if (missing.length === 0) return
  const hint =
    `Export the detailed report of ${service} as CSV. ` +
    `If the names of the columns are translated, set the language of ${service} to English first.`
  throw missingColumnsError(name, header, missing, hint)
}

/** Upper bound for the characters of a header in a message. */
const maxHeaderLength = 300

function missingColumnsError(
  name: string,
  header: readonly string[],
  missing: readonly string[],
  hint = 'Use the names in the first line of the file.',
): TtError {
  const columns = missing.map((column) => JSON.stringify(column)).join(', ')
  const existing = header.join(', ').slice(0, maxHeaderLength)
  const noun = missing.length === 1 ? 'column' : 'columns'
  return new TtError(
    'usage',
    `${name}:1: The ${noun} ${columns} cannot be found. The file has: ${existing}.`,
    {
      hint,
    },
  )
}
