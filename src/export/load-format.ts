import type { ExportFormat } from './export-format.js'
import type { ExportFormatName } from './format-names.js'

const formats: Readonly<Record<ExportFormatName, () => Promise<ExportFormat>>> = {
  json: async () => (await import('./json.js')).json,
  csv: async () => (await import('./csv.js')).csv,
  timewarrior: async () => (await import('./timewarrior.js')).timewarrior,
  ical: async () => (await import('./ical.js')).ical,
}

/** Loads a format. */
export function loadFormat(name: ExportFormatName): Promise<ExportFormat> {
  return formats[name]()
}
