import { TtError } from '../../../lib/errors.js'
import { readCsvEntries } from '../csv/csv-entries.js'
import { hasTimes } from '../csv/csv-fields.js'
import { type ColumnPatterns, type CsvLayout, layoutOf, mappedLayout } from '../csv/csv-layout.js'
import { readHeader } from '../csv/csv-rows.js'
import type { ImportFormat } from '../format.js'

/** Usual names of columns. An ID is used only if the user names its column: small numbers are not unique among sources. */
const columns: ColumnPatterns = {
  start: [/^(start|begin|from|started|started[ _]?at|time[ _]start|start[ _]?date[ _]?time)$/i],
  end: [/^(end|stop|finish|until|to|ended|ended[ _]?at|time[ _]end|(end|stop)[ _]?date[ _]?time)$/i],
  date: [/^(date|day)$/i, /^(start|begin)[ _]?date$/i],
  start_time: [/^(start|begin)[ _]?time$/i],
  end_date: [/^(end|stop)[ _]?date$/i],
  end_time: [/^(end|stop)[ _]?time$/i],
  duration: [/^duration\b|^duration_/i, /^(hours|minutes|time spent|duration)$/i],
  client: [/^(client|customer)$/i],
  project: [/^project$/i],
  task: [/^(task|activity)$/i],
  notes: [/^(notes?|description|comment|summary)$/i],
  tags: [/^(tags|labels)$/i],
  billable: [/^billable\??$/i],
  amount: [/^amount( \((.+)\))?$/i],
  person: [/^e-?mail$/i, /^(user|member|person|employee)$/i],
}

/** Any CSV with a header: with usual names of columns, or with those of `options.columns`. */
export const generic: ImportFormat = {
  name: 'generic',
  detect: ({ header }) => header.length > 1 && hasTimes(guess(header).index),
  async *read(source, options) {
    const header = await readHeader(source)
    const layout = options.columns ? mappedLayout(source.name, header, options.columns) : guess(header)
    if (!hasTimes(layout.index)) {
      const message = `${source.name}:1: No column is known as the start of the entries. The file has: ${header.join(', ')}.`
      throw new TtError('usage', message, {
        nextStep: { action: 'set_import_option', option: 'columns' },
      })
    }
    yield* readCsvEntries(source, layout, options)
  },
}

function guess(header: readonly string[]): CsvLayout {
  const { index } = layoutOf(header, columns)
  const { date, start_time, end_time, ...others } = index
  // Without a date, "start_time" contains the date too.
  if (date !== undefined || start_time === undefined || index.start !== undefined) return { header, index }
  return {
    header,
    index: { ...others, start: start_time, ...(end_time === undefined ? {} : { end: end_time }) },
  }
}
