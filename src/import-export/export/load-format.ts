import type { ExportFormatName } from '../../records/export-formats.js'
import type { ExportFormat } from './export-format.js'

const formats: Readonly<Record<ExportFormatName, () => Promise<ExportFormat>>> = {
  json: async () => (await import('./formats/json.js')).json,
  ndjson: async () => (await import('./formats/ndjson.js')).ndjson,
  csv: async () => (await import('./formats/csv.js')).csv,
  timewarrior: async () => (await import('./formats/timewarrior.js')).timewarrior,
  watson: async () => (await import('./formats/watson.js')).watson,
  klog: async () => (await import('./formats/klog.js')).klog,
  timeclock: async () => (await import('./formats/timeclock.js')).timeclock,
  toggl: async () => (await import('./formats/toggl.js')).toggl,
  clockify: async () => (await import('./formats/clockify.js')).clockify,
  ical: async () => (await import('./formats/ical.js')).ical,
}

/** Loads a format. */
export function loadFormat(name: ExportFormatName): Promise<ExportFormat> {
  return formats[name]()
}
