import type {
  Assignment,
  Client,
  EntryTimes,
  Expense,
  ExpenseType,
  Project,
  Task,
  TaskLink,
  TimeEntry,
} from '../../api-client/types.js'
import { identifier, joinSql, type Sql, sql } from '../storage/sql.js'
import { entityTag } from './entity-tags.js'
import { formatInstant } from './values.js'

/** The type of a field: how it is read from its column, and which values it can be compared with. */
export type FieldType = 'integer' | 'decimal' | 'text' | 'time' | 'day' | 'boolean' | 'tag'

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

/** The times of entries as they are stored, which the media type `entryTimesType` has. */
export const entryTimes = resource<EntryTimes>('time_entries', timeEntries.order, {
  id: 'integer',
  time_start: 'integer',
  time_end: 'integer',
  task_link_id: 'integer',
  updated_at: 'integer',
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

/**
 * Converts rows to JSON records and returns them. Changes the rows themselves, which have exactly the columns of the
 * resource: a copy of each would take longer than reading it.
 */
export function toRecords<Wire>(resource: Resource<Wire>, rows: Row[]): (Wire & Row)[] {
  for (const name of Object.keys(resource.fields)) {
    const toJson = converters[resource.fields[name] ?? 'text']
    if (toJson) for (const row of rows) if (row[name] !== null) row[name] = toJson(row[name])
  }
  return rows as (Wire & Row)[]
}

/** Converts one row like `toRecords`. */
export function toWire<Wire>(resource: Resource<Wire>, row: Row): Wire & Row {
  toRecords(resource, [row])
  return row as Wire & Row
}

/** How values of a column become values of JSON; all others are equal. */
const converters: Partial<Record<FieldType, (value: unknown) => unknown>> = {
  time: (value) => formatInstant(value as number),
  boolean: (value) => value === 1,
  tag: entityTag,
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
