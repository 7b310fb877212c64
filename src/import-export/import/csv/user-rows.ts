import { TtError } from '../../../lib/errors.js'
import type { TextSource } from '../source/text-source.js'
import { type CsvRow, csvRows, withoutFormulaGuard } from './csv-rows.js'

/** The columns of a list of users, by the names that people give them: lower case, letters only. */
const columnNames = {
  email: ['email', 'emailaddress', 'mail'],
  name: ['name', 'fullname', 'displayname'],
  firstName: ['firstname', 'givenname'],
  lastName: ['lastname', 'surname', 'familyname'],
  projects: ['projects', 'project', 'assignments'],
  from: ['from', 'startson', 'start', 'startdate'],
  until: ['until', 'endson', 'end', 'enddate'],
  password: ['password', 'initialpassword'],
} as const

type Column = keyof typeof columnNames

/** A row of a list of users. Empty fields are undefined. */
export interface UserRow {
  /** From 1. */
  line: number
  email: string | undefined
  name: string | undefined
  /** The paths of projects to assign. */
  projects: string[]
  /** The days of the assignments, as written. */
  from: string | undefined
  until: string | undefined
  password: string | undefined
  /** Whether the row has more fields than the header. */
  hasExtraFields: boolean
}

export interface UserRows {
  rows: UserRow[]
  /** The columns that are not read. */
  ignored: string[]
}

/**
 * Reads a list of users from a CSV file with a header. Throws TtError `usage` for a header without a column for email
 * addresses or with two columns for one field, and for what is not CSV.
 */
export async function readUserRows(source: TextSource): Promise<UserRows> {
  let layout: { index: Partial<Record<Column, number>>; ignored: string[]; length: number } | undefined
  const rows: UserRow[] = []
  for await (const row of csvRows(source)) {
    if (layout) rows.push(toUserRow(row, layout))
    else layout = layoutOf(source.name, row.fields)
  }
  return { rows, ignored: layout?.ignored ?? [] }
}

function layoutOf(file: string, header: readonly string[]) {
  const index: Partial<Record<Column, number>> = {}
  const ignored: string[] = []
  for (const [position, title] of header.entries()) {
    const column = columnOf(title)
    if (column === undefined) {
      if (title.trim() !== '') ignored.push(title.trim())
    } else if (index[column] === undefined) index[column] = position
    else {
      const first = header[index[column]]?.trim()
      throw headerError(`${file}:1: The columns "${first}" and "${title.trim()}" mean the same.`)
    }
  }
  if (index.email === undefined)
    throw headerError(`${file}:1: No column has email addresses. The columns are: ${header.join(', ')}.`)
  return { index, ignored, length: header.length }
}

function columnOf(title: string): Column | undefined {
  const letters = title.toLowerCase().replaceAll(/[^\p{Letter}]/gu, '')
  const columns = Object.keys(columnNames) as Column[]
  return columns.find((column) => columnNames[column].some((name) => name === letters))
}

function toUserRow(
  { line, fields }: CsvRow,
  { index, length }: { index: Partial<Record<Column, number>>; length: number },
): UserRow {
  const raw = (column: Column) => fields[index[column] ?? fields.length] ?? ''
  const text = (column: Column) => withoutFormulaGuard(raw(column)).trim() || undefined
  const names = [text('firstName'), text('lastName')].filter((part) => part !== undefined)
  return {
    line,
    email: text('email'),
    name: text('name') ?? (names.join(' ') || undefined),
    projects: raw('projects')
      .split(/[;\n]/)
      .map((path) => withoutFormulaGuard(path).trim())
      .filter(Boolean),
    ...{ from: text('from'), until: text('until') },
    // White space can be part of a password.
    password: raw('password') || undefined,
    hasExtraFields: fields.slice(length).some((field) => field.trim() !== ''),
  }
}

function headerError(message: string): TtError {
  return new TtError('usage', message, {
    hint: 'Name the columns Email, Name, Projects, From, Until and Password; only Email is required.',
  })
}
