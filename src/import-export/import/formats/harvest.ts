import { readCsvEntries } from '../csv/csv-entries.js'
import {
  type ColumnPatterns,
  englishHeader,
  germanColumns,
  layoutOf,
  requireColumns,
} from '../csv/csv-layout.js'
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

const german = {
  ...germanColumns,
  datum: 'Date',
  notizen: 'Notes',
  stunden: 'Hours',
  'abrechenbar?': 'Billable?',
  'abrechenbarer betrag': 'Billable Amount',
  vorname: 'First Name',
  nachname: 'Last Name',
}

/** The detailed time report of Harvest as CSV: days and hours without times of day. */
export const harvest: ImportFormat = {
  name: 'harvest',
  detect: ({ header }) => {
    const names = englishHeader(header, german)
    return ['Date', 'Client', 'Project', 'Task', 'Hours'].every((name) => names.includes(name))
  },
  async *read(source, options) {
    const header = await readHeader(source)
    const names = englishHeader(header, german)
    requireColumns(source.name, header, required, 'Harvest', names)
    const nameColumns = [/^first name$/i, /^last name$/i].map((pattern) =>
      names.findIndex((name) => pattern.test(name)),
    )
    yield* readCsvEntries(source, layoutOf(header, columns, names), options, {
      person: (fields) =>
        nameColumns
          .map((column) => fields[column]?.trim() ?? '')
          .join(' ')
          .trim(),
    })
  },
}
