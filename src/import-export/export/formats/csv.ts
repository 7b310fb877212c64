import { csvWriter } from '../../../ui/formats/csv.js'
import type { ExportFormat } from '../export-format.js'

export const csv: ExportFormat = {
  running: 'all',
  writer: ({ view, raw }) => csvWriter(view, { raw }),
}
