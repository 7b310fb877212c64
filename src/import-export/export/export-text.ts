import type { ExportFormatName } from '../../records/export-formats.js'
import type { RowWriter } from '../../ui/formats/row-writer.js'
import type { ExportedEntry, ExportFiles, ExportFormat } from './export-format.js'

/** Yields the text of a file, in a chunk for each batch. */
export async function* exportText<Row>(
  writer: RowWriter<Row>,
  batches: AsyncIterable<readonly Row[]>,
): AsyncGenerator<string> {
  let text = writer.head
  for await (const batch of batches) {
    for (const row of batch) text += writer.row(row)
    yield text
    text = ''
  }
  yield text + writer.end()
}

/** Yields the text of several files: for each batch, the text to append to each file. */
export async function* exportFileTexts(
  { nameOf, textOf }: ExportFiles,
  batches: AsyncIterable<readonly ExportedEntry[]>,
): AsyncGenerator<Map<string, string>> {
  for await (const batch of batches) {
    const texts = new Map<string, string>()
    for (const entry of batch) {
      const name = nameOf(entry)
      texts.set(name, (texts.get(name) ?? '') + textOf(entry))
    }
    yield texts
  }
}

const formats: Readonly<Record<ExportFormatName, () => Promise<ExportFormat>>> = {
  json: async () => (await import('./formats/records.js')).json,
  ndjson: async () => (await import('./formats/records.js')).ndjson,
  csv: async () => (await import('./formats/records.js')).csv,
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
