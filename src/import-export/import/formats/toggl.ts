import { readCsvEntries } from '../csv/csv-entries.js'
import { type ColumnPatterns, layoutOf, requireColumns } from '../csv/csv-layout.js'
import { readHeader } from '../csv/csv-rows.js'
import { englishHeader, germanColumns } from '../csv/german-columns.js'
import type { ImportFormat } from '../format.js'
import { readSample } from '../source/sample.js'
import { isTogglJson, readTogglJson } from './toggl-json.js'

const required = ['Start date', 'Start time', 'Duration']

const columns: ColumnPatterns = {
  date: [/^start date$/i],
  start_time: [/^start time$/i],
  end_date: [/^(end|stop) date$/i],
  end_time: [/^(end|stop) time$/i],
  duration: [/^duration$/i],
  client: [/^client$/i],
  project: [/^project$/i],
  task: [/^task$/i],
  notes: [/^description$/i],
  tags: [/^tags$/i],
  billable: [/^billable$/i],
  amount: [/^amount( \((.+)\))?$/i],
  person: [/^email$/i, /^(user|member)$/i],
}

const german = {
  ...germanColumns,
  startdatum: 'Start date',
  startzeit: 'Start time',
  enddatum: 'End date',
  endzeit: 'End time',
  mitglied: 'Member',
  betrag: 'Amount',
}

/** The detailed report of Toggl Track as CSV, and entries of its API as JSON. The report's times are in the time zone of the profile there. */
export const toggl: ImportFormat = {
  name: 'toggl',
  // Clockify writes "Start Date".
  detect: ({ json, header }) => {
    if (isTogglJson(json)) return true
    const names = englishHeader(header, german)
    return required.every((column) => names.includes(column))
  },
  async *read(source, options) {
    if (isTogglJson((await readSample(source)).json)) {
      yield* readTogglJson(source)
      return
    }
    const header = await readHeader(source)
    const names = englishHeader(header, german)
    requireColumns(source.name, header, required, 'Toggl Track', names)
    // The new reports have a minus sign for a missing project and missing tags.
    yield* readCsvEntries(source, layoutOf(header, columns, names), options, { emptyMark: '-' })
  },
}
