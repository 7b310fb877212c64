import { icalWriter } from '../../../ui/formats/ical.js'
import type { ExportFormat } from '../export-format.js'

/** A running entry is a tentative event up to now. */
export const ical: ExportFormat = {
  running: 'all',
  writer: ({ view }) => icalWriter(view),
}
