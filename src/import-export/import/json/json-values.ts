import { isObject } from '../../../lib/is-object.js'
import { InvalidValueError } from '../invalid-row.js'

/** Returns a JSON object. Throws InvalidValueError for another value. */
export function recordOf(value: unknown): Record<string, unknown> {
  if (isObject(value)) return value
  throw new InvalidValueError(JSON.stringify(value), 'a JSON object')
}

/** Returns the text of a key; null if it is missing or null. Throws InvalidValueError for another value. */
export function optionalText(record: Record<string, unknown>, key: string): string | null {
  const value = record[key]
  if (value === undefined || value === null) return null
  if (typeof value === 'string') return value
  throw new InvalidValueError(JSON.stringify(value), 'a text', key)
}

/** Returns the texts of a list; empty if it is missing. Throws InvalidValueError for another value. */
export function texts(value: unknown, key: string): string[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value
  throw new InvalidValueError(JSON.stringify(value), 'a list of texts', key)
}
