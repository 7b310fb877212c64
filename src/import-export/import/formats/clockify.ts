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

const required = ['Start Date', 'Start Time', 'End Date', 'End Time']

const columns: ColumnPatterns = {
  date: [/^start date$/i],
  start_time: [/^start time$/i],
  end_date: [/^end date$/i],
  end_time: [/^end time$/i],
  duration: [/^duration \(h\)$/i],
  client: [/^client$/i],
  project: [/^project$/i],
  task: [/^task$/i],
  notes: [/^description$/i],
  tags: [/^tags$/i],
  billable: [/^billable$/i],
  amount: [/^billable amount( \((.+)\))?$/i],
  person: [/^email$/i, /^user$/i],
}

const german = {
  ...germanColumns,
  typ: 'Type',
  startdatum: 'Start Date',
  startzeit: 'Start Time',
  enddatum: 'End Date',
  endzeit: 'End Time',
  rechnungsbetrag: 'Billable Amount',
  'abrechenbarer betrag': 'Billable Amount',
}

/** The types of rows that are not working time, in the plural. */
const otherTypes: Readonly<Record<string, string>> = {
  break: 'breaks',
  pause: 'breaks',
  holiday: 'holidays',
  feiertag: 'holidays',
  'time off': 'days off',
}

/** The detailed report of Clockify as CSV. Its times are in the time zone of the profile there. */
export const clockify: ImportFormat = {
  name: 'clockify',
  detect: ({ header }) => {
    const names = englishHeader(header, german)
    return required.every((column) => names.includes(column))
  },
  async *read(source, options) {
    const header = await readHeader(source)
    const names = englishHeader(header, german)
    requireColumns(source.name, header, required, 'Clockify', names)
    const layout = layoutOf(header, columns, names)
    // Workspaces can give tasks another name. The column remains between the description and the user.
    const afterNotes = (layout.index.notes ?? Number.NaN) + 1
    if (layout.index.task === undefined && /^user$/i.test(names[afterNotes + 1] ?? ''))
      layout.index.task = afterNotes
    const typeColumn = names.findIndex((name) => /^type$/i.test(name))
    yield* readCsvEntries(source, layout, options, {
      skipReason: (fields) => otherTypes[fields[typeColumn]?.trim().toLowerCase() ?? ''],
    })
  },
}
