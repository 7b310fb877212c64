import { isObject } from '../../lib/is-object.js'
import { baseUrlHint, InvalidResponseError } from '../errors.js'
import type { Id } from '../types.js'

/**
 * Checks of what came, at the edge. The document does not show the bodies of most answers (service-api-v1.md
 * section 4, "Gaps"), so each check takes what can only be meant one way and refuses the rest in plain words.
 */

export type Fields = Record<string, unknown>

/**
 * A list: an array, or an object with exactly one array among its values, such as `{data: […], total: 3}`.
 * `what` names the records in the plural. Throws NonsenseError.
 */
export function toList(value: unknown, what: string): unknown[] {
  if (Array.isArray(value)) return value
  const arrays = isObject(value) ? Object.values(value).filter((part) => Array.isArray(part)) : []
  if (arrays.length === 1 && arrays[0]) return arrays[0]
  throw invalidResponse(`a list of ${what} should have come, and ${describeValue(value)} did`)
}

/**
 * A record: an object, a list of one (service-api-v1.md section 4, `GET /timesheets/{id}`), or either under a single
 * key such as `expense`. `what` names the record in the singular. Throws NonsenseError.
 */
export function toRecord(value: unknown, what: string): Fields {
  const record = findObject(value)
  if (record) return record
  throw invalidResponse(`one ${what} should have come, and ${describeValue(value)} did`)
}

/** The record in an answer, like `asRecord`; undefined where there is none. */
export function findObject(value: unknown): Fields | undefined {
  // Each wrapping is taken off once or twice at most: `[{expense: {…}}]`, `{data: [{…}]}`, `{data: {expense: {…}}}`.
  let inner = value
  for (let wrappings = 0; wrappings < 3; wrappings++) {
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
 * An id: a whole number or a text that is not empty. A number beyond 2^53 has lost digits on the way and would name
 * another record. Throws NonsenseError.
 */
export function readId(value: unknown, what: string): Id {
  const id = idOrNull(value)
  if (id !== null) return id
  throw invalidResponse(`the id of a ${what} is ${describeValue(value)}`)
}

/**
 * The id of a related record, flat (`project_id: 1`) or nested (`project: {id: 1, name: "Website"}`); null where
 * there is none. `relation` is the name without `_id`. Throws NonsenseError for an id that is none.
 */
export function readRelation(record: Fields, relation: string): Id | null {
  const flat = record[`${relation}_id`]
  if (flat !== undefined && flat !== null && flat !== '') return readId(flat, relation)
  const nested = record[relation]
  if (isObject(nested)) return idOrNull(nested.id)
  // A bare text may be the name as well as the id; a number can only be the id.
  return typeof nested === 'number' ? idOrNull(nested) : null
}

/** What to call a record: its name, else its title, else its id. */
export function readName(record: Fields, id: Id): string {
  return textOrNull(record.name) || textOrNull(record.title) || String(id)
}

/** A text; a number or a boolean as text; null for everything else. */
export function textOrNull(value: unknown): string | null {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null
}

/** A day as YYYY-MM-DD, also from a time that begins with one; other text as it is. */
export function dayOrNull(value: unknown): string | null {
  const text = textOrNull(value)
  return text && /^\d{4}-\d\d-\d\d[T ]/.test(text) ? text.slice(0, 10) : text
}

/** An answer that came and makes no sense. */
export function invalidResponse(what: string): InvalidResponseError {
  return new InvalidResponseError(`The service's answer makes no sense: ${what}.`, { hint: baseUrlHint })
}

/** What a value is, in a few words: never the value itself when it is long. */
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
