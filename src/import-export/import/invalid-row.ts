import type { InvalidRow } from './format.js'

/** Upper bound for the characters of a value in a message. */
const maxValueLength = 80

/** A value that cannot be read. Readers convert it to an `InvalidRow` with `invalidRow`. */
export class InvalidValueError extends Error {
  constructor(
    readonly value: string,
    /** What the reader expects instead, as a noun phrase. */
    readonly expectation: string,
    /** The name of the column or key; null if the value has none. */
    readonly field: string | null = null,
    /** The position in the line, from 1; null for that of the whole row. */
    readonly column: number | null = null,
  ) {
    super(`${JSON.stringify(value)} is not ${expectation}.`)
  }
}

/** Returns the invalid row for an error of its values. Throws any other error. */
export function invalidRow(error: unknown, line: number, column = 1): InvalidRow {
  if (!(error instanceof InvalidValueError)) throw error
  const { value, expectation, field } = error
  return { kind: 'invalid', line, column: error.column ?? column, field, value, expectation }
}

/** Returns the position and the problem: `toggl.csv:12:8: Start date is "2024-13-01", not a date such as 2024-05-01.` */
export function invalidRowText(file: string, row: InvalidRow): string {
  const { line, column, field, value, expectation } = row
  const shown = value.length > maxValueLength ? `${value.slice(0, maxValueLength)}…` : value
  const subject = field === null ? '' : `${field} is `
  const problem = value === '' ? `${subject || 'the text is '}empty` : `${subject}${JSON.stringify(shown)}`
  return `${file}:${line}:${column}: ${problem}, not ${expectation}.`
}
