import { type FieldErrors, invalidFields } from '../http/errors.js'
import { isStorable, parseId } from './values.js'

/** Longer notes are no notes. */
const longestNotes = 64 * 1024
const longestExternalId = 255

/** Whether it can be an external id: 1 to 255 characters that every database can keep. */
export function isExternalId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= longestExternalId && isStorable(value)
}

/** Why a value cannot be taken: the words that stand after the name of its field. */
export class FieldProblem {
  constructor(readonly message: string) {}
}

/** Reads one field: the value of its column, or what is wrong. */
export type FieldReader = (value: unknown) => unknown

export const notes: FieldReader = (value) => {
  if (value === null) return null
  if (typeof value !== 'string') return new FieldProblem('must be text or null')
  if (value.length > longestNotes)
    return new FieldProblem(`must not be longer than ${longestNotes} characters`)
  return isStorable(value) ? value : new FieldProblem('must not hold NUL or half a character')
}

export const externalId: FieldReader = (value) =>
  value === null || isExternalId(value)
    ? value
    : new FieldProblem(`must be text of 1 to ${longestExternalId} characters, or null`)

export const id: FieldReader = (value) => parseId(value) ?? new FieldProblem('must be an id')

export const nullable =
  (reader: FieldReader): FieldReader =>
  (value) =>
    value === null ? null : reader(value)

/** Collects what is wrong with the fields of one body. */
export class FieldValidation {
  readonly #errors: FieldErrors = {}

  add(field: string, words: string): void {
    this.#errors[field] = [...(this.#errors[field] ?? []), words]
  }

  /** The columns of the fields that are there; fields that no reader knows are ignored. */
  read(fields: Record<string, unknown>, readers: Record<string, FieldReader>): Record<string, unknown> {
    const columns: Record<string, unknown> = {}
    for (const [name, reader] of Object.entries(readers)) {
      if (!Object.hasOwn(fields, name)) continue
      const value = reader(fields[name])
      if (value instanceof FieldProblem) this.add(name, value.message)
      else columns[name] = value
    }
    return columns
  }

  /** Adds a problem for each field that a new record must have and the body lacks. */
  require(fields: Record<string, unknown>, names: readonly string[]): void {
    for (const name of names) if (!Object.hasOwn(fields, name)) this.add(name, 'is required')
  }

  /** Throws HttpError 422 with everything that was added. */
  finish(): void {
    if (Object.keys(this.#errors).length > 0) throw invalidFields(this.#errors)
  }
}
