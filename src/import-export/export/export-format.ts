import type { ExportFormatName } from '../../records/export-formats.js'
import type { Entry } from '../../tracking/entries/entry.js'
import type { RowWriter } from '../../ui/formats/row-writer.js'
import type { View } from '../../ui/view.js'

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

/** An entry to write. */
export interface ExportedEntry extends Entry {
  /** A globally unique ID that stays the same in later exports. */
  uid: string
  isBillable: boolean
}

interface ExportOptions<Row extends ExportedEntry> {
  /** The columns, the JSON and the calendar event of an entry in the formats of this program. */
  view: View<Row>
  /** Whether text that looks like a formula stays unchanged in CSV. */
  raw: boolean
}

/** A file format of a time tracker. */
export interface ExportFormat {
  /** Which running entries it can express: all, none, or one at the end. Others are omitted. */
  running: 'all' | 'none' | 'last'
  /** The program that does not support the omitted running entries; undefined for "all". */
  limitsRunning?: string
  /** The program that does not accept overlapping entries; undefined if the format can express them. */
  rejectsOverlaps?: string
  /** The program that calculates durations with local times; undefined if it uses instants. */
  usesLocalTimes?: string
  /** The program that has no notes; undefined if the format can express them. */
  lacksNotes?: string
  /** Returns a writer for entries in the order of their starts. */
  writer<Row extends ExportedEntry>(options: ExportOptions<Row>): RowWriter<Row> | Promise<RowWriter<Row>>
  /** For a format that can also divide the entries among the files of a directory. */
  files?: ExportFiles
}

export interface ExportFiles {
  /** Matches the names of such files. */
  namePattern: RegExp
  /** Returns the name of the file for an entry. */
  nameOf(entry: ExportedEntry): string
  /** Returns the text of an entry in its file. */
  textOf(entry: ExportedEntry): string
}
