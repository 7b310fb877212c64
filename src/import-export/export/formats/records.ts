import { csvWriter } from '../../../ui/formats/csv.js'
import { jsonText, jsonWriter } from '../../../ui/formats/json.js'
import type { ExportFormat } from '../export-format.js'

export const csv: ExportFormat = {
  running: 'all',
  writer: ({ view, raw }) => csvWriter(view, { raw }),
}

export const json: ExportFormat = {
  running: 'all',
  writer: ({ view }) => jsonWriter(view),
}

export const ndjson: ExportFormat = {
  running: 'all',
  writer: ({ view }) => ({ head: '', row: (row) => `${jsonText(view.json(row))}\n`, end: () => '' }),
}
