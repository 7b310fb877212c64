import { durationSeconds } from '../../../lib/calendar/interval.js'
import { tagsIn } from '../../../lib/text/tags.js'
import { csvTable } from '../../../ui/formats/csv.js'
import { durationClock, localDate, localTime } from '../entry-values.js'
import type { ExportedEntry, ExportFormat } from '../export-format.js'

const header = [
  ...['Project', 'Client', 'Description', 'Task', 'User', 'Group', 'Email', 'Tags', 'Billable'],
  ...['Start Date', 'Start Time', 'End Date', 'End Time', 'Duration (h)', 'Duration (decimal)'],
]

/**
 * The detailed report of Clockify as CSV, which its import reads, with dates such as 2024-05-01 and times of 24 hours. The
 * columns of the user are empty.
 */
export const clockify: ExportFormat = {
  running: 'none',
  limitsRunning: 'Clockify',
  writer: ({ raw }) => csvTable(header, valuesOf, { raw }),
}

function valuesOf(entry: ExportedEntry): unknown[] {
  const { link, notes, isBillable, start } = entry
  const end = entry.end ?? start
  return [
    ...[link?.project?.name, link?.client?.name, notes, link?.task?.name, '', '', ''],
    ...[tagsIn(notes).join(', '), isBillable ? 'Yes' : 'No'],
    ...[localDate(start), localTime(start), localDate(end), localTime(end), durationClock(start, end)],
    (durationSeconds({ start, end }) / 3600).toFixed(2),
  ]
}
