import { csvRows, withoutFormulaGuard } from '../csv/csv-rows.js'
import {
  type ImportFormat,
  InvalidValueError,
  invalidRow,
  type ReadOptions,
  type SourceEntry,
  type SourceRow,
  sourceEntry,
} from '../format.js'
import { jsonElements, optionalText, recordOf } from '../json.js'
import { requireFormat } from '../source/sample.js'
import type { TextSource } from '../source/text-source.js'
import { parseDateTime } from '../values/entry-times.js'

const timeExpectation = 'a time such as 2024-05-01T09:30:00+02:00'

/** Entries as this program prints them: JSON, JSON lines and CSV. */
export const tt: ImportFormat = {
  name: 'tt',
  detect: ({ json, header }) => hasStart(json) || header.includes('time_start'),
  async *read(source, _options: ReadOptions) {
    const { json } = await requireFormat(source, tt)
    yield* json === undefined ? readCsv(source) : readJson(source)
  },
}

function hasStart(json: unknown): boolean {
  return typeof json === 'object' && json !== null && 'time_start' in json
}

async function* readJson(source: TextSource): AsyncGenerator<SourceRow> {
  for await (const element of jsonElements(source)) {
    if (element.kind === 'invalid') yield element
    else yield readRecord(element, element.value)
  }
}

async function* readCsv(source: TextSource): AsyncGenerator<SourceRow> {
  let keys: string[] | undefined
  for await (const { line, fields } of csvRows(source)) {
    if (keys === undefined) keys = fields
    else {
      const values = fields.map((text) => (text === '' ? null : withoutFormulaGuard(text)))
      yield readRecord(
        { line, column: 1 },
        Object.fromEntries(keys.map((key, index) => [key, values[index]])),
      )
    }
  }
}

function readRecord(at: { line: number; column: number }, value: unknown): SourceRow {
  try {
    return entryOf(at.line, recordOf(value))
  } catch (error) {
    return invalidRow(error, at.line, at.column)
  }
}

function entryOf(line: number, record: Record<string, unknown>): SourceEntry {
  const start = timeOf(record, 'time_start')
  return sourceEntry({
    line,
    start,
    end: endOf(record, start),
    client: optionalText(record, 'client'),
    project: optionalText(record, 'project'),
    task: optionalText(record, 'task'),
    notes: optionalText(record, 'notes') ?? '',
    sourceId: sourceIdOf(record),
    externalId: optionalText(record, 'external_id'),
  })
}

/**
 * Returns the ID with the time of creation: two workspaces have the same small numbers. Null without that time, and for a
 * local ID, which changes when the service assigns one.
 */
function sourceIdOf({ id, created_at: created }: Record<string, unknown>): string | null {
  const isStable = typeof id === 'number' || (typeof id === 'string' && !id.startsWith('~'))
  return isStable && typeof created === 'string' ? `${id}@${created}` : null
}

/** Returns the end; from the duration if only that is there. */
function endOf(record: Record<string, unknown>, start: Date): Date | null {
  if (record.time_end === undefined && record.running !== true && record.duration_seconds !== undefined) {
    const seconds = Number(record.duration_seconds)
    if (Number.isInteger(seconds) && seconds >= 0) return new Date(start.getTime() + seconds * 1000)
    throw new InvalidValueError(String(record.duration_seconds), 'a number of seconds', 'duration_seconds')
  }
  if (record.time_end === null || record.time_end === undefined) return null
  const end = timeOf(record, 'time_end')
  if (end >= start) return end
  throw new InvalidValueError(String(record.time_end), 'a time at or after the start', 'time_end')
}

function timeOf(record: Record<string, unknown>, key: string): Date {
  const value = record[key]
  const time = typeof value === 'string' ? parseDateTime(value, undefined) : undefined
  if (time instanceof Date) return time
  throw new InvalidValueError(value === undefined ? '' : String(value), timeExpectation, key)
}
