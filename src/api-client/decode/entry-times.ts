import { isObject } from '../../lib/is-object.js'
import type { CompactList } from '../http/http.js'
import { type EntryTimes, entryTimesType } from '../types.js'
import { describeValue, invalidResponse } from './shapes.js'

/** The list of time entries with their times only: the service of this program has it (docs/decisions/entry-times.md). */
export const entryTimesList: CompactList = { mediaType: entryTimesType, read: readEntryTimes }

const firstInstant = Date.parse('0000-01-01T00:00:00.000Z')
const lastInstant = Date.parse('9999-12-31T23:59:59.999Z')

const isId = (value: unknown) => Number.isSafeInteger(value)
const isInstant = (value: unknown) =>
  typeof value === 'number' && Number.isInteger(value) && value >= firstInstant && value <= lastInstant
const orNull = (isValid: (value: unknown) => boolean) => (value: unknown) => value === null || isValid(value)

const fields: readonly [name: keyof EntryTimes, isValid: (value: unknown) => boolean][] = [
  ['id', isId],
  ['time_start', isInstant],
  ['time_end', orNull(isInstant)],
  ['task_link_id', orNull(isId)],
  ['updated_at', isInstant],
]

/** Returns the times of an entry. Throws InvalidResponseError. */
function readEntryTimes(value: unknown): EntryTimes {
  if (!isObject(value)) throw invalidResponse(`expected times of an entry, received ${describeValue(value)}`)
  for (const [name, isValid] of fields)
    if (!isValid(value[name])) throw invalidResponse(`${name} of an entry is ${describeValue(value[name])}`)
  return value as EntryTimes
}
