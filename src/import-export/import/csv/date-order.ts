import { TtError } from '../../../lib/errors.js'
import type { TextSource } from '../source/text-source.js'
import { type DateOrder, DateOrderDecision } from '../values/dates.js'
import type { CsvField } from './csv-fields.js'
import type { CsvLayout } from './csv-layout.js'
import { csvRows } from './csv-rows.js'

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
