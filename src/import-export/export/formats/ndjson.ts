import { jsonText } from '../../../ui/formats/json.js'
import type { ExportFormat } from '../export-format.js'

export const ndjson: ExportFormat = {
  running: 'all',
  writer: ({ view }) => ({ head: '', row: (row) => `${jsonText(view.json(row))}\n`, end: () => '' }),
}
