import { type FieldErrors, invalidFields } from '../http/http-error.js'
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

/** Collects the problems of all fields of a request body. */
export class FieldValidation {
  readonly #errors: FieldErrors = {}

  add(field: string, message: string): void {
    this.#errors[field] = [...(this.#errors[field] ?? []), message]
  }

  /** Returns the columns of the fields in the body; fields without a reader are ignored. */
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

  /** Adds a problem for each required field that is missing. */
  require(fields: Record<string, unknown>, names: readonly string[]): void {
    for (const name of names) if (!Object.hasOwn(fields, name)) this.add(name, 'is required')
  }

  get isValid(): boolean {
    return Object.keys(this.#errors).length === 0
  }

  /** Throws HttpError 422 if there are problems. */
  throwIfInvalid(): void {
    if (!this.isValid) throw invalidFields(this.#errors)
  }
}
