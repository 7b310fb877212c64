import { readCsvEntries } from '../csv/csv-entries.js'
import { type ColumnPatterns, layoutOf, requireColumns } from '../csv/csv-layout.js'
import { readHeader } from '../csv/csv-rows.js'
import type { ImportFormat } from '../format.js'

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

/** The detailed report of Toggl Track as CSV. Its times are in the time zone of the profile there. */
export const toggl: ImportFormat = {
  name: 'toggl',
  // Clockify writes "Start Date".
  detect: ({ header }) => required.every((column) => header.includes(column)),
  async *read(source, options) {
    const header = await readHeader(source)
    requireColumns(source.name, header, required, 'Toggl Track')
    // The new reports have a minus sign for a missing project and missing tags.
    yield* readCsvEntries(source, layoutOf(header, columns), options, { emptyMark: '-' })
  },
}
