import { TtError } from '../../../lib/errors.js'
import type { TextSource } from '../source/text-source.js'
import { type DateOrder, DateOrderDecision } from '../values/dates.js'
import { type ColumnMap, type CsvField, csvFields } from './csv-fields.js'
import { csvRows } from './csv-rows.js'

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

/** All dates of a file exist with the day first and with the month first. The caller can ask the user for the order. */
export class AmbiguousDateOrderError extends TtError {
  constructor(
    file: string,
    /** A date that means different days in the two orders. */
    readonly example: string,
  ) {
    super('usage', `${file}: The order of day and month is unknown: ${example} can be read in two ways.`, {
      nextStep: { action: 'set_import_option', option: 'date_order' },
    })
  }
}

const dateFields: readonly CsvField[] = ['date', 'end_date', 'start', 'end']

/**
 * Returns the only order of day and month in which all dates of the file exist.
 *
 * Throws AmbiguousDateOrderError if there are two, and TtError `usage` if there is none.
 */
export async function decideDateOrder(source: TextSource, layout: CsvLayout): Promise<DateOrder> {
  const columns = dateFields.flatMap((field) => layout.index[field] ?? [])
  const decision = new DateOrderDecision()
  let isHeader = true
  for await (const { fields } of csvRows(source)) {
    if (isHeader) isHeader = false
    else for (const column of columns) decision.observe(dateOf(fields[column] ?? ''))
  }
  const result = decision.result()
  if (result === 'mixed') {
    const message = `${source.name}: Some dates begin with the day, others with the month.`
    throw new TtError('usage', message, { hint: 'Export the entries again with one format of dates.' })
  }
  if ('ambiguous' in result) throw new AmbiguousDateOrderError(source.name, result.ambiguous)
  return result.order
}

/** Returns the date in a text with a date and possibly a time. */
export function dateOf(text: string): string {
  return /^\s*([\d./-]*)/.exec(text)?.[1] ?? ''
}

/** The English names of columns by their German ones, in lower case. */
type GermanColumns = Readonly<Record<string, string>>

/** Columns that the reports of several services have. */
export const germanColumns: GermanColumns = {
  kunde: 'Client',
  projekt: 'Project',
  aufgabe: 'Task',
  beschreibung: 'Description',
  benutzer: 'User',
  'e-mail': 'Email',
  tags: 'Tags',
  abrechenbar: 'Billable',
  dauer: 'Duration',
}

/** Returns the header in English. A part in parentheses at the end of a name, such as a currency, remains. */
export function englishHeader(header: readonly string[], german: GermanColumns): string[] {
  return header.map((name) => {
    const [, column = '', rest = ''] = /^(.*?)(\s*\([^()]*\))?$/s.exec(name) ?? []
    const english = german[column.toLowerCase()]
    return english === undefined ? name : `${english}${rest}`
  })
}
