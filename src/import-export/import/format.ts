import type { Day } from '../../lib/calendar/day.js'
import type { ColumnMap } from './csv/csv-fields.js'
import type { FormatName } from './formats.js'
import type { Sample } from './source/sample.js'
import type { TextSource } from './source/text-source.js'
import type { DateOrder } from './values/dates.js'

/** A format that can be imported. Nothing outside `formats/` knows what such files look like. */
export interface ImportFormat {
  readonly name: FormatName
  /** Whether the beginning of a text has this format. */
  detect(sample: Sample): boolean
  /**
   * Reads the entries in the order of the file, one at a time. An invalid part yields an `InvalidRow`, and reading
   * continues after it.
   *
   * Throws TtError `usage` if the text as a whole does not have this format, and AmbiguousDateOrderError.
   */
  read(source: TextSource, options: ReadOptions): AsyncIterable<SourceRow>
}

export interface ReadOptions {
  /** The order of day and month in dates such as 03/04/2024; undefined to decide it from the whole file. */
  dateOrder?: DateOrder | undefined
  /** The columns of a CSV file; only for `generic`. */
  columns?: ColumnMap | undefined
  /** The events that start from `since` up to, but not including, `until`; by default up to `now`. Only for `ical`. */
  since?: Date | undefined
  until?: Date | undefined
  now: Date
  /** The start of the working hours, in minutes after midnight: where entries without a time of day begin. */
  workStartMinutes: number
}

/** What a reader yields. */
export type SourceRow = SourceEntry | InvalidRow | SkippedRow | SourceNote

/** An entry of the source. Names are as in the source; null if it has none. */
export interface SourceEntry {
  kind: 'entry'
  /** The line where the entry begins, from 1. */
  line: number
  start: Date
  /** null while it runs. */
  end: Date | null
  client: string | null
  project: string | null
  task: string | null
  /** All tags, without `#`. The notes may contain some of them as `#tag`. */
  tags: readonly string[]
  notes: string
  /** null if the source does not say. */
  billable: boolean | null
  amount: Amount | null
  /** The ID of the entry in the source, which remains when the entry changes; null if the source has none. */
  sourceId: string | null
  /** The external ID that the entry had in another workspace of this program. */
  externalId: string | null
  /** The day of an entry without a time of day, whose start was chosen by the reader. */
  placedOn: Day | null
  /** The name or address of the user whose entry this is, in the reports of a team. */
  person: string | null
}

interface Amount {
  /** A decimal number such as "12.50". */
  value: string
  /** The currency as in the source, such as "EUR". */
  currency: string | null
}

/** A part of the file that cannot be read. */
export interface InvalidRow {
  kind: 'invalid'
  /** From 1. */
  line: number
  /** The position in the line, from 1: of a field in CSV, of a character in other formats. */
  column: number
  /** The name of the column or key. */
  field: string | null
  value: string
  /** What the reader expects instead, as a noun phrase: "a date such as 2024-05-01". */
  expectation: string
}

/** A part of the file that is valid but not an entry, such as an event of a whole day. */
interface SkippedRow {
  kind: 'skipped'
  line: number
  /** The kind of such rows in the plural: "breaks", "cancelled events". */
  reason: string
}

/** How the reader interprets the file, such as which part of its dates is the month; for the user. */
interface SourceNote {
  kind: 'note'
  /** One sentence. */
  message: string
}

/** Returns an entry, with nothing for what is not given. */
export function sourceEntry(
  given: Pick<SourceEntry, 'line' | 'start' | 'end'> & Partial<Omit<SourceEntry, 'kind'>>,
): SourceEntry {
  return {
    kind: 'entry',
    line: given.line,
    start: given.start,
    end: given.end,
    client: given.client || null,
    project: given.project || null,
    task: given.task || null,
    tags: given.tags ?? [],
    notes: given.notes ?? '',
    billable: given.billable ?? null,
    amount: given.amount ?? null,
    sourceId: given.sourceId || null,
    externalId: given.externalId || null,
    placedOn: given.placedOn ?? null,
    person: given.person || null,
  }
}

/** Upper bound for the characters of a value in a message. */
const maxValueLength = 80

/** A value that cannot be read. Readers convert it to an `InvalidRow` with `invalidRow`. */
export class InvalidValueError extends Error {
  constructor(
    readonly value: string,
    /** What the reader expects instead, as a noun phrase. */
    readonly expectation: string,
    /** The name of the column or key; null if the value has none. */
    readonly field: string | null = null,
    /** The position in the line, from 1; null for that of the whole row. */
    readonly column: number | null = null,
  ) {
    super(`${JSON.stringify(value)} is not ${expectation}.`)
  }
}

/** Returns the invalid row for an error of its values. Throws any other error. */
export function invalidRow(error: unknown, line: number, column = 1): InvalidRow {
  if (!(error instanceof InvalidValueError)) throw error
  const { value, expectation, field } = error
  return { kind: 'invalid', line, column: error.column ?? column, field, value, expectation }
}

/** Returns the position and the problem: `toggl.csv:12:8: Start date is "2024-13-01", not a date such as 2024-05-01.` */
export function invalidRowText(file: string, row: InvalidRow): string {
  const { line, column, field, value, expectation } = row
  const shown = value.length > maxValueLength ? `${value.slice(0, maxValueLength)}…` : value
  const subject = field === null ? '' : `${field} is `
  const problem = value === '' ? `${subject || 'the text is '}empty` : `${subject}${JSON.stringify(shown)}`
  return `${file}:${line}:${column}: ${problem}, not ${expectation}.`
}
