import type {
  Assignment,
  Client,
  Expense,
  ExpenseType,
  Project,
  Task,
  TaskLink,
  TimeEntry,
} from '../../api-client/types.js'
import { badRequest } from '../http/http-error.js'
import { identifier, joinSql, type Sql, sql } from '../storage/sql.js'
import { entityTag } from './entity-tags.js'
import { formatInstant } from './values.js'

/** The type of a field: how it is read from its column, and which values it can be compared with. */
export type FieldType = 'integer' | 'decimal' | 'text' | 'time' | 'day' | 'boolean' | 'tag'

/** The fields of the records in a list, and how they are written. */
export interface Selection {
  /** Names separated by commas; all fields without it. */
  fields: string | undefined
  /** `ms` for times in epoch milliseconds; RFC 3339 without it. */
  times: string | undefined
}

/** A record as it is stored. */
export type Row = Record<string, unknown>

/** A kind of record: its table, its fields (named like their columns, except tags), and its order in lists. */
export interface Resource<Wire> {
  table: string
  fields: Readonly<Record<string, FieldType>>
  order: readonly string[]
  columns: Sql
  /** Never set: it connects the resource with its wire type. */
  wire?: Wire
}

/** The column of fields of the type `tag`. */
export const versionColumn = 'version'

export const timeEntries = resource<TimeEntry>('time_entries', ['time_start', 'id'], {
  id: 'integer',
  time_start: 'time',
  time_end: 'time',
  notes: 'text',
  task_link_id: 'integer',
  external_id: 'text',
  created_at: 'time',
  updated_at: 'time',
  etag: 'tag',
})

export const projects = resource<Project>('projects', ['name', 'id'], {
  id: 'integer',
  name: 'text',
  client_id: 'integer',
  active: 'boolean',
})

export const clients = resource<Client>('clients', ['name', 'id'], {
  id: 'integer',
  name: 'text',
  active: 'boolean',
})

export const tasks = resource<Task>('tasks', ['name', 'id'], { id: 'integer', name: 'text' })

export const taskLinks = resource<TaskLink>('task_links', ['id'], {
  id: 'integer',
  project_id: 'integer',
  task_id: 'integer',
  active: 'boolean',
})

export const assignments = resource<Assignment>('assignments', ['id'], {
  id: 'integer',
  project_id: 'integer',
  starts_on: 'day',
  ends_on: 'day',
})

export const expenseTypes = resource<ExpenseType>('expense_types', ['name', 'id'], {
  id: 'integer',
  name: 'text',
  active: 'boolean',
})

export const expenses = resource<Expense>('expenses', ['spent_on', 'id'], {
  id: 'integer',
  spent_on: 'day',
  amount: 'decimal',
  currency: 'text',
  expense_type_id: 'integer',
  project_id: 'integer',
  notes: 'text',
  external_id: 'text',
  created_at: 'time',
  updated_at: 'time',
  etag: 'tag',
})

/** The decimal places of stored amounts: `amount_units` is the amount times 10 to this power. */
export const decimalPlaces = 4

/** Returns a row as a JSON record. */
export function toWire<Wire>(resource: Resource<Wire>, row: Row): Wire {
  const record: Row = {}
  for (const name in resource.fields) {
    const value = row[name]
    const type = resource.fields[name]
    if (value === null) record[name] = null
    else if (type === 'time') record[name] = formatInstant(value as number)
    else if (type === 'boolean') record[name] = value === 1
    else if (type === 'tag') record[name] = entityTag(value)
    else record[name] = value
  }
  return record as Wire
}

/**
 * Converts the rows of a list to JSON records and returns them. Changes the rows themselves, which have exactly the
 * columns of the resource: a copy of each would take longer than reading it.
 */
export function toRecords(resource: Resource<unknown>, rows: Row[], times?: string): Row[] {
  const ofType = (type: FieldType) =>
    Object.keys(resource.fields).filter((name) => resource.fields[name] === type)
  for (const name of times === 'ms' ? [] : ofType('time')) {
    for (const row of rows) if (row[name] !== null) row[name] = formatInstant(row[name] as number)
  }
  for (const name of ofType('boolean')) {
    for (const row of rows) if (row[name] !== null) row[name] = row[name] === 1
  }
  for (const name of ofType('tag')) for (const row of rows) row[name] = entityTag(row[name])
  return rows
}

/**
 * Returns the resource with the selected fields, and with those of its order. Throws HttpError 400 for an unknown field
 * or form of times.
 */
export function select(whole: Resource<unknown>, { fields: list, times }: Selection): Resource<unknown> {
  if (times !== undefined && times !== 'ms') throw badRequest('times must be ms.')
  if (list === undefined) return whole
  const names = new Set([...list.split(','), ...whole.order])
  const unknown = [...names].find((name) => !Object.hasOwn(whole.fields, name))
  if (unknown !== undefined) {
    const known = Object.keys(whole.fields).join(', ')
    throw badRequest(`fields: this resource has no field "${unknown}"; its fields are ${known}.`)
  }
  const fields = Object.fromEntries(Object.entries(whole.fields).filter(([name]) => names.has(name)))
  return resource(whole.table, whole.order, fields)
}

function resource<Wire>(
  table: string,
  order: readonly string[],
  fields: Record<string, FieldType>,
): Resource<Wire> {
  const columns = joinSql(
    Object.entries(fields).map(([field, type]) =>
      type === 'tag'
        ? sql`${identifier(table, versionColumn)} as ${identifier(field)}`
        : identifier(table, field),
    ),
  )
  return { table, fields, order, columns }
}
