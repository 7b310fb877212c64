import { isObject } from '../../../lib/is-object.js'
import { readCsvEntries } from '../csv/csv-entries.js'
import {
  type ColumnPatterns,
  englishHeader,
  germanColumns,
  layoutOf,
  requireColumns,
} from '../csv/csv-layout.js'
import { readHeader } from '../csv/csv-rows.js'
import {
  type ImportFormat,
  InvalidValueError,
  invalidRow,
  type SourceEntry,
  type SourceRow,
  sourceEntry,
} from '../format.js'
import { jsonElements, optionalText, recordOf, texts } from '../json.js'
import { readSample } from '../source/sample.js'
import type { TextSource } from '../source/text-source.js'
import { parseDateTime } from '../values/entry-times.js'

const required = ['Start date', 'Start time', 'Duration']

const columns: ColumnPatterns = {
  date: [/^start date$/i],
  start_time: [/^start time$/i],
  end_date: [/^(end|stop) date$/i],
  end_time: [/^(end|stop) time$/i],
  duration: [/^duration$/i],
  client: [/^client$/i],
  project: [/^project$/i],
  task: [/^task$/i],
  notes: [/^description$/i],
  tags: [/^tags$/i],
  billable: [/^billable$/i],
  amount: [/^amount( \((.+)\))?$/i],
  person: [/^email$/i, /^(user|member)$/i],
}

const german = {
  ...germanColumns,
  startdatum: 'Start date',
  startzeit: 'Start time',
  enddatum: 'End date',
  endzeit: 'End time',
  mitglied: 'Member',
  betrag: 'Amount',
}

const idsNote =
  'The file has IDs instead of the names of projects or tasks. Requests to the API with meta=true have the names.'

/** Whether a value is an entry of the API of Toggl Track (version 9), or a row of its detailed reports (version 3). */
function isTogglJson(json: unknown): boolean {
  if (!isObject(json)) return false
  const hasWorkspace = 'workspace_id' in json || 'wid' in json
  return (hasWorkspace && 'start' in json && 'duration' in json) || isReportRow(json)
}

function isReportRow(record: Record<string, unknown>): boolean {
  return Array.isArray(record.time_entries) && 'project_id' in record
}

/** Reads entries of the API of Toggl Track: a list, or one entry after another. */
async function* readTogglJson(source: TextSource): AsyncGenerator<SourceRow> {
  let hasNotedIds = false
  for await (const element of jsonElements(source)) {
    if (element.kind === 'invalid') {
      yield element
      continue
    }
    const { line, column, value } = element
    try {
      const record = recordOf(value)
      const entries = isReportRow(record) ? (record.time_entries as unknown[]).map(recordOf) : [record]
      if (!hasNotedIds && hasIdsOnly(record)) {
        hasNotedIds = true
        yield { kind: 'note', message: idsNote }
      }
      for (const entry of entries) yield toEntry(line, record, entry)
    } catch (error) {
      yield invalidRow(error, line, column)
    }
  }
}

/** Returns an entry with the names in its row of the report, which is the entry itself in other responses. */
function toEntry(
  line: number,
  row: Record<string, unknown>,
  entry: Record<string, unknown>,
): SourceEntry | SourceRow {
  if (typeof entry.server_deleted_at === 'string') return { kind: 'skipped', line, reason: 'deleted entries' }
  const start = timeOf(entry, 'start')
  const end = entry.stop === null || entry.stop === undefined ? null : timeOf(entry, 'stop')
  if (end && end < start)
    throw new InvalidValueError(String(entry.stop), 'a time at or after the start', 'stop')
  return sourceEntry({
    ...{ line, start, end },
    client: optionalText(row, 'client_name'),
    project: nameOf(row, 'project'),
    task: nameOf(row, 'task'),
    tags: texts(row.tags ?? row.tag_names, 'tags'),
    notes: optionalText(row, 'description') ?? '',
    billable: typeof row.billable === 'boolean' ? row.billable : null,
    sourceId: typeof entry.id === 'number' ? String(entry.id) : null,
    person: optionalText(row, 'user_name') ?? optionalText(row, 'username'),
  })
}

/** Returns the name of the project or task; its ID if the response has no names. */
function nameOf(row: Record<string, unknown>, kind: 'project' | 'task'): string | null {
  const id = row[`${kind}_id`]
  return optionalText(row, `${kind}_name`) ?? (typeof id === 'number' ? String(id) : null)
}

function hasIdsOnly(row: Record<string, unknown>): boolean {
  return (['project', 'task'] as const).some(
    (kind) => typeof row[`${kind}_id`] === 'number' && typeof row[`${kind}_name`] !== 'string',
  )
}

function timeOf(record: Record<string, unknown>, key: string): Date {
  const text = optionalText(record, key) ?? ''
  const time = parseDateTime(text, undefined)
  if (time instanceof Date) return time
  throw new InvalidValueError(text, 'a time such as 2024-05-01T09:30:00+02:00', key)
}

/** The detailed report of Toggl Track as CSV, and entries of its API as JSON. The report's times are in the time zone of the profile there. */
export const toggl: ImportFormat = {
  name: 'toggl',
  // Clockify writes "Start Date".
  detect: ({ json, header }) => {
    if (isTogglJson(json)) return true
    const names = englishHeader(header, german)
    return required.every((column) => names.includes(column))
  },
  async *read(source, options) {
    if (isTogglJson((await readSample(source)).json)) {
      yield* readTogglJson(source)
      return
    }
    const header = await readHeader(source)
    const names = englishHeader(header, german)
    requireColumns(source.name, header, required, 'Toggl Track', names)
    // The new reports have a minus sign for a missing project and missing tags.
    yield* readCsvEntries(source, layoutOf(header, columns, names), options, { emptyMark: '-' })
  },
}
