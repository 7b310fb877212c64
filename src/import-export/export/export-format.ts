import type { Entry } from '../../tracking/entries/entry.js'
import type { RowWriter } from '../../ui/formats/row-writer.js'
import type { View } from '../../ui/view.js'

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
