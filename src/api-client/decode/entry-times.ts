import { isObject } from '../../lib/is-object.js'
import type { CompactList } from '../http/http.js'
import { type EntryTimes, type entryTimesColumns, entryTimesType } from '../types.js'
import { describeValue, invalidResponse } from './shapes.js'

/** The compact form of a list of time entries: the service of this program writes it (docs/decisions/entry-times.md). */
export const entryTimesList: CompactList = { mediaType: entryTimesType, read: readEntryTimes }

type Column = (typeof entryTimesColumns)[number]

const firstInstant = Date.parse('0000-01-01T00:00:00.000Z')
const lastInstant = Date.parse('9999-12-31T23:59:59.999Z')

/** Returns the entries of a batch: an object with an array of equal length for each column. */
function readEntryTimes(value: unknown): EntryTimes[] {
  const batch = isObject(value) ? value : undefined
  if (!batch) throw invalidResponse(`expected times of entries, received ${describeValue(value)}`)
  const [ids, starts, ends, links, changes] = [
    readColumn(batch, 'id', Number.isSafeInteger),
    readColumn(batch, 'time_start', isInstant),
    readColumn(batch, 'time_end', isInstant, true),
    readColumn(batch, 'task_link_id', Number.isSafeInteger, true),
    readColumn(batch, 'updated_at', isInstant),
  ]
  const different = [starts, ends, links, changes].find(({ length }) => length !== ids.length)
  if (different) throw invalidResponse(`times of ${ids.length} entries have a column of ${different.length}`)
  return ids.map((id, index) => ({
    id: id as number,
    time_start: starts[index] as number,
    time_end: ends[index] as number | null,
    task_link_id: links[index] as number | null,
    updated_at: changes[index] as number,
  }))
}

function readColumn(
  batch: Record<string, unknown>,
  name: Column,
  isValid: (value: number) => boolean,
  isNullable = false,
): unknown[] {
  const values = batch[name]
  if (!Array.isArray(values)) throw invalidResponse(`the column ${name} is ${describeValue(values)}`)
  for (const value of values) {
    if (typeof value === 'number' ? isValid(value) : isNullable && value === null) continue
    throw invalidResponse(`${name} of an entry is ${describeValue(value)}`)
  }
  return values
}

function isInstant(value: number): boolean {
  return Number.isInteger(value) && value >= firstInstant && value <= lastInstant
}
