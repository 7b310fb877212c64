import { tagsIn } from '../../../lib/text/tags.js'
import { csvTable } from '../../../ui/formats/csv.js'
import { durationClock, localDate, localTime } from '../entry-values.js'
import type { ExportedEntry, ExportFormat } from '../export-format.js'

const header = [
  ...['User', 'Email', 'Client', 'Project', 'Task', 'Description', 'Billable'],
  ...['Start date', 'Start time', 'End date', 'End time', 'Duration', 'Tags'],
]

/** The detailed report of Toggl Track as CSV, which its import reads. The columns of the user are empty. */
export const toggl: ExportFormat = {
  running: 'none',
  limitsRunning: 'Toggl Track',
  writer: ({ raw }) => csvTable(header, valuesOf, { raw }),
}

function valuesOf(entry: ExportedEntry): unknown[] {
  const { link, notes, isBillable, start } = entry
  const end = entry.end ?? start
  return [
    ...['', '', link?.client?.name, link?.project?.name, link?.task?.name, notes, isBillable ? 'Yes' : 'No'],
    ...[localDate(start), localTime(start), localDate(end), localTime(end), durationClock(start, end)],
    tagsIn(notes).join(', '),
  ]
}
