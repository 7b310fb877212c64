import { readCsvEntries } from '../csv/csv-entries.js'
import { type ColumnPatterns, layoutOf, requireColumns } from '../csv/csv-layout.js'
import { readHeader } from '../csv/csv-rows.js'
import type { ImportFormat } from '../format.js'

const required = ['Date', 'Hours']

const columns: ColumnPatterns = {
  date: [/^date$/i],
  duration: [/^hours$/i],
  client: [/^client$/i],
  project: [/^project$/i],
  task: [/^task$/i],
  notes: [/^notes$/i],
  tags: [/^tags$/i],
  billable: [/^billable\?$/i],
  amount: [/^billable amount$/i],
}

/** The detailed time report of Harvest as CSV: days and hours without times of day. */
export const harvest: ImportFormat = {
  name: 'harvest',
  detect: ({ header }) =>
    ['Date', 'Client', 'Project', 'Task', 'Hours'].every((name) => header.includes(name)),
  async *read(source, options) {
    const header = await readHeader(source)
    requireColumns(source.name, header, required, 'Harvest')
    const names = [/^first name$/i, /^last name$/i].map((pattern) =>
      header.findIndex((name) => pattern.test(name)),
    )
    yield* readCsvEntries(source, layoutOf(header, columns), options, {
      person: (fields) =>
        names
          .map((column) => fields[column]?.trim() ?? '')
          .join(' ')
          .trim(),
    })
  },
}
