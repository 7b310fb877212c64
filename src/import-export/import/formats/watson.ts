import { type ImportFormat, InvalidValueError, invalidRow, type SourceEntry, sourceEntry } from '../format.js'
import { jsonElements, optionalText, recordOf, texts } from '../json.js'
import { requireFormat } from '../source/sample.js'
import { parseDateTime } from '../values/entry-times.js'

/** Upper bound for times in epoch seconds: the year 9999. */
const maxEpochSeconds = 253_402_300_799

/**
 * Watson: the file `frames`, a list of `[start, stop, project, id, tags, updated]` with times in epoch seconds, and the JSON
 * of `watson log --json`, a list of objects with RFC 3339 times. Times of objects may be in epoch seconds too, and a frame
 * that a server of Watson has stored has `begin_at` and `end_at`.
 */
export const watson: ImportFormat = {
  name: 'watson',
  detect({ json }) {
    if (Array.isArray(json)) return typeof json[0] === 'number' && typeof json[2] === 'string'
    const has = (...keys: string[]) => keys.every((key) => json !== undefined && key in (json as object))
    return has('project', 'start', 'stop') || has('project', 'begin_at', 'end_at')
  },
  async *read(source) {
    await requireFormat(source, watson)
    for await (const element of jsonElements(source)) {
      if (element.kind === 'invalid') {
        yield element
        continue
      }
      const { line, column, value } = element
      try {
        yield Array.isArray(value) ? fromFrame(line, value) : fromLog(line, recordOf(value))
      } catch (error) {
        yield invalidRow(error, line, column)
      }
    }
  },
}

function fromFrame(line: number, frame: readonly unknown[]): SourceEntry {
  const [start, stop, project, id, tags] = frame
  if (typeof project !== 'string')
    throw new InvalidValueError(JSON.stringify(project ?? null), 'a text', 'project')
  if (typeof id !== 'string') throw new InvalidValueError(JSON.stringify(id ?? null), 'a text', 'id')
  // Before version 1.3, the time of the last change was in the place of the tags.
  const names = typeof tags === 'number' ? [] : texts(tags, 'tags')
  return frameEntry(line, fromEpoch(start, 'start'), fromEpoch(stop, 'stop'), { project, id, tags: names })
}

function fromLog(line: number, record: Record<string, unknown>): SourceEntry {
  const id = optionalText(record, 'id')
  const project = optionalText(record, 'project') ?? ''
  // `watson log --current` adds the running frame, which has no ID yet.
  const [from, to] = 'begin_at' in record ? ['begin_at', 'end_at'] : ['start', 'stop']
  const stop = id === 'current' ? null : timeOf(record, to)
  const tags = texts(record.tags, 'tags')
  return frameEntry(line, timeOf(record, from), stop, { project, id: id === 'current' ? null : id, tags })
}

function frameEntry(
  line: number,
  start: Date,
  end: Date | null,
  { project, id, tags }: { project: string; id: string | null; tags: string[] },
): SourceEntry {
  if (end && end < start) {
    throw new InvalidValueError(end.toISOString(), 'a time at or after the start', 'stop')
  }
  return sourceEntry({ line, start, end, project, tags, sourceId: id })
}

function fromEpoch(value: unknown, field: string): Date {
  if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= maxEpochSeconds)
    return new Date(value * 1000)
  throw new InvalidValueError(JSON.stringify(value ?? null), 'a time in epoch seconds', field)
}

function timeOf(record: Record<string, unknown>, key: string): Date {
  if (typeof record[key] === 'number') return fromEpoch(record[key], key)
  const text = optionalText(record, key) ?? ''
  const time = parseDateTime(text, undefined)
  if (time instanceof Date) return time
  throw new InvalidValueError(text, 'a time such as 2024-05-01T09:30:00+02:00', key)
}
