import { jsonWriter } from '../../../ui/formats/json.js'
import type { ExportFormat } from '../export-format.js'

export const json: ExportFormat = {
  running: 'all',
  writer: ({ view }) => jsonWriter(view),
}
