import type { FieldErrors } from '../http/http-error.js'
import { isStorable, parseId } from './values.js'

/** In UTF-16 code units. */
export const maxNotesLength = 64 * 1024
export const maxExternalIdLength = 255

/** Whether the value can be an external ID: 1 to 255 characters that every database can store. */
export function isExternalId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxExternalIdLength && isStorable(value)
}

/** An invalid value; the message continues the name of its field, such as "must be text". */
export class FieldProblem {
  constructor(readonly message: string) {}
}

/** Reads one field of a request body: returns the value of its column, or the problem. */
export type FieldReader = (value: unknown) => unknown

export const notes: FieldReader = (value) => {
  if (value === null) return null
  if (typeof value !== 'string') return new FieldProblem('must be text or null')
  if (value.length > maxNotesLength)
    return new FieldProblem(`must not be longer than ${maxNotesLength} characters`)
  return isStorable(value) ? value : new FieldProblem('must not contain NUL or half a surrogate pair')
}

export const externalId: FieldReader = (value) =>
  value === null || isExternalId(value)
    ? value
    : new FieldProblem(`must be text of 1 to ${maxExternalIdLength} characters, or null`)

export const id: FieldReader = (value) => parseId(value) ?? new FieldProblem('must be an ID')

export const nullable =
  (reader: FieldReader): FieldReader =>
  (value) =>
    value === null ? null : reader(value)

/**
 * Reads the fields of a request body; those without a reader are ignored. Returns their values, and the problems of those
 * that are invalid or missing, if there are any.
 */
export function readFields(
  fields: Readonly<Record<string, unknown>>,
  readers: Readonly<Record<string, FieldReader>>,
  required: readonly string[],
): { values: Record<string, unknown>; errors?: FieldErrors } {
  const [values, errors]: [Record<string, unknown>, FieldErrors] = [{}, {}]
  for (const [name, reader] of Object.entries(readers)) {
    const isGiven = Object.hasOwn(fields, name)
    const value = isGiven
      ? reader(fields[name])
      : required.includes(name)
        ? new FieldProblem('is required')
        : undefined
    if (value instanceof FieldProblem) errors[name] = [value.message]
    else if (isGiven) values[name] = value
  }
  return Object.keys(errors).length > 0 ? { values, errors } : { values }
}
