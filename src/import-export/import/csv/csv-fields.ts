import { TtError } from '../../../lib/errors.js'
import { nearestNamesText } from '../../../lib/text/nearest-names.js'

/**
 * What a column of a CSV file can be. `start` and `end` are dates with times, or times on `date`; `start_time` and
 * `end_time` are times on `date` and `end_date`.
 */
export const csvFields = [
  'start',
  'end',
  'date',
  'start_time',
  'end_date',
  'end_time',
  'duration',
  'client',
  'project',
  'task',
  'notes',
  'tags',
  'billable',
  'amount',
  'id',
  'person',
] as const

export type CsvField = (typeof csvFields)[number]

/** The name of the column of each field. */
export type ColumnMap = Partial<Record<CsvField, string>>

/**
 * Parses a map of columns such as `start=From,end=Until,project=Job`. A name with a comma is in quotation marks.
 *
 * Throws TtError `usage` for an unknown or repeated field, a field without a column, and a map without a time.
 */
export function parseColumns(text: string): ColumnMap {
  const columns: ColumnMap = {}
  for (const part of text.match(/(?:"[^"]*"|[^,"])+/g) ?? []) {
    const [, field = '', name = ''] = /^\s*([^=]*?)\s*=\s*(.*?)\s*$/.exec(part) ?? []
    if (field === '' || name === '')
      throw columnsError(`${JSON.stringify(part)} is not a field and a column.`)
    if (!isField(field)) {
      throw columnsError(`There is no field ${JSON.stringify(field)}.${nearestNamesText(field, csvFields)}`)
    }
    if (columns[field] !== undefined) throw columnsError(`The field ${field} occurs twice.`)
    columns[field] = name.replace(/^"(.*)"$/, '$1')
  }
  if (!hasTimes(columns)) throw columnsError('The start of the entries is missing.')
  return columns
}

/** Whether these fields contain when an entry was. */
export function hasTimes(fields: Partial<Record<CsvField, unknown>>): boolean {
  const has = (...names: CsvField[]) => names.every((name) => fields[name] !== undefined)
  return has('start') || has('date', 'start_time') || has('date', 'duration')
}

function isField(text: string): text is CsvField {
  return (csvFields as readonly string[]).includes(text)
}

function columnsError(message: string): TtError {
  return new TtError('usage', message, {
    hint: `Write the columns as start=From,end=Until,project=Job. The fields are ${csvFields.join(', ')}.`,
  })
}
