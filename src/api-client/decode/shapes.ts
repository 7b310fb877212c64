import { isObject } from '../../lib/is-object.js'
import { baseUrlHint, InvalidResponseError } from '../api-errors.js'
import type { Id } from '../types.js'

/**
 * Checks of response bodies. The document does not show most of them (service-api-v1.md section 4, "Gaps"), so each check
 * accepts every unambiguous form and rejects others with an InvalidResponseError.
 */

export type Fields = Record<string, unknown>

/**
 * Returns a list: an array, or the only array among the values of an object, such as `{data: […], total: 3}`. `kind` names
 * the records in the plural.
 */
export function toList(value: unknown, kind: string): unknown[] {
  if (Array.isArray(value)) return value
  const arrays = isObject(value) ? Object.values(value).filter((part) => Array.isArray(part)) : []
  if (arrays.length === 1 && arrays[0]) return arrays[0]
  throw invalidResponse(`expected a list of ${kind}, received ${describeValue(value)}`)
}

/**
 * Returns a record: an object, a list of one (service-api-v1.md section 4, `GET /timesheets/{id}`), or either under a
 * single key such as `expense`. `kind` names the record in the singular.
 */
export function toRecord(value: unknown, kind: string): Fields {
  const record = findObject(value)
  if (record) return record
  throw invalidResponse(`expected one ${kind}, received ${describeValue(value)}`)
}

/** Returns the record in a response, like `toRecord`; undefined if there is none. */
export function findObject(value: unknown): Fields | undefined {
  // Unwraps at most three levels, such as `[{expense: {…}}]`, `{data: [{…}]}`, `{data: {expense: {…}}}`.
  let inner = value
  for (let depth = 0; depth < 3; depth++) {
    if (Array.isArray(inner) && inner.length === 1) inner = inner[0]
    else if (isObject(inner) && !('id' in inner)) {
      const values = Object.values(inner)
      if (values.length !== 1 || typeof values[0] !== 'object' || values[0] === null) break
      inner = values[0]
    } else break
  }
  return isObject(inner) ? inner : undefined
}

/**
 * Returns an ID: an integer or non-empty text. A number beyond 2^53 is rejected: parsing has changed its digits, and it may
 * be the ID of another record.
 */
export function readId(value: unknown, kind: string): Id {
  const id = idOrNull(value)
  if (id !== null) return id
  throw invalidResponse(`the ID of a ${kind} is ${describeValue(value)}`)
}

/**
 * Returns the ID of a related record, flat (`project_id: 1`) or nested (`project: {id: 1, name: "Website"}`); null if there
 * is none. `relation` is the name without `_id`. Throws InvalidResponseError for an invalid ID.
 */
export function readRelation(record: Fields, relation: string): Id | null {
  const flat = record[`${relation}_id`]
  if (flat !== undefined && flat !== null && flat !== '') return readId(flat, relation)
  const nested = record[relation]
  if (isObject(nested)) return idOrNull(nested.id)
  // Text may be a name instead of an ID; a number is always an ID.
  return typeof nested === 'number' ? idOrNull(nested) : null
}

/** Returns the name of a record: its name, title or ID. */
export function readName(record: Fields, id: Id): string {
  return textOrNull(record.name) || textOrNull(record.title) || String(id)
}

/** Returns text, and a number or boolean as text; null for other values. */
export function textOrNull(value: unknown): string | null {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null
}

/** Returns a date as YYYY-MM-DD, also from a time; other text unchanged. */
export function dayOrNull(value: unknown): string | null {
  const text = textOrNull(value)
  return text && /^\d{4}-\d\d-\d\d[T ]/.test(text) ? text.slice(0, 10) : text
}

/** Returns the error for a response that cannot be decoded. */
export function invalidResponse(problem: string): InvalidResponseError {
  return new InvalidResponseError(`Invalid response from the service: ${problem}.`, { hint: baseUrlHint })
}

/** Describes a value in a few words; shows the value itself only if it is short. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`
  if (typeof value === 'object') return 'an object'
  const text = JSON.stringify(value)
  return text.length <= 40 ? text : `a ${typeof value}`
}

function idOrNull(value: unknown): Id | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : null
  return typeof value === 'string' && value !== '' ? value : null
}
