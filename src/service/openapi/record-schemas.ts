import {
  assignments,
  clients,
  expenses,
  expenseTypes,
  type FieldType,
  projects,
  type Resource,
  taskLinks,
  tasks,
  timeEntries,
} from '../resources/resources.js'
import type { Schema } from './operation.js'

interface Record {
  resource: Pick<Resource<unknown>, 'fields' | 'order'>
  description: string
  /** The meaning of each field, in the order of the resource. */
  fields: { readonly [field: string]: string }
  nullable?: readonly string[]
}

const created = 'When the record was created.'
const updated = 'When the record last changed. It increases with every change.'
const tag = 'The strong entity tag of the record, as in the header `ETag`. It differs after every change.'
const externalId = 'The ID of the record in another system; unique for the user.'
const id = 'The ID of the record.'
const isActive = 'Whether new records may refer to it; false when it is archived.'

/** The records in responses, by the name of their schema. */
const records = {
  TimeEntry: {
    resource: timeEntries,
    description: 'A time entry of the user.',
    fields: {
      id,
      time_start: 'Start of the entry.',
      time_end: 'End of the entry; null while it is running.',
      notes: 'Free text.',
      task_link_id: 'The task link that the entry belongs to.',
      external_id: externalId,
      created_at: created,
      updated_at: updated,
      etag: tag,
    },
    nullable: ['time_end', 'notes', 'external_id'],
  },
  Project: {
    resource: projects,
    description: 'A project that the user can see.',
    fields: { id, name: 'Name of the project.', client_id: 'The client of the project.', active: isActive },
    nullable: ['client_id'],
  },
  Client: {
    resource: clients,
    description: 'A client that the user can see.',
    fields: { id, name: 'Name of the client.', active: isActive },
  },
  Task: { resource: tasks, description: 'A task of the company.', fields: { id, name: 'Name of the task.' } },
  TaskLink: {
    resource: taskLinks,
    description: 'A combination of project and task on which the user can track time.',
    fields: { id, project_id: 'The project.', task_id: 'The task.', active: isActive },
  },
  Assignment: {
    resource: assignments,
    description: 'The assignment of the user to a project.',
    fields: {
      id,
      project_id: 'The project.',
      starts_on: 'First day of the assignment; null without a limit.',
      ends_on: 'Last day of the assignment; null without a limit.',
    },
    nullable: ['starts_on', 'ends_on'],
  },
  ExpenseType: {
    resource: expenseTypes,
    description: 'An active expense type of the company.',
    fields: { id, name: 'Name of the expense type.', active: isActive },
  },
  Expense: {
    resource: expenses,
    description: 'An expense of the user.',
    fields: {
      id,
      spent_on: 'Day of the expense.',
      amount: 'Amount with two to four decimal places.',
      currency: 'Currency code of ISO 4217.',
      expense_type_id: 'The expense type.',
      project_id: 'The project.',
      notes: 'Free text.',
      external_id: externalId,
      created_at: created,
      updated_at: updated,
      etag: tag,
    },
    nullable: ['expense_type_id', 'project_id', 'notes', 'external_id'],
  },
} as const satisfies { readonly [name: string]: Record }

export type RecordName = keyof typeof records

const types: { readonly [type in FieldType]: Schema } = {
  integer: { type: 'integer', minimum: 1 },
  decimal: { type: 'string', pattern: '^-?\\d+\\.\\d{2,4}$', examples: ['12.50'] },
  text: { type: 'string' },
  time: { type: 'string', format: 'date-time', examples: ['2026-11-02T08:30:00.000Z'] },
  day: { type: 'string', format: 'date', examples: ['2026-11-02'] },
  boolean: { type: 'boolean' },
  tag: { type: 'string', pattern: '^"\\d+"$', examples: ['"483920157"'] },
}

/** Returns the schema, with null as a further value. */
export const orNull = (schema: Schema): Schema => ({ ...schema, type: [schema.type, 'null'] })

/**
 * Returns the schemas of the records and of the filters of their lists, by name.
 * Throws Error for a field without description.
 */
export function recordSchemas(): { [name: string]: Schema } {
  return Object.fromEntries(
    Object.entries(records).flatMap(([name, record]) => [
      [name, recordSchema(name, record)],
      [filterOf(name as RecordName), filterSchema(name, record.resource.fields)],
    ]),
  )
}

/** The name of the schema of the filter `q` of a list. */
export const filterOf = (name: RecordName): string => `${name}Filter`

function recordSchema(name: string, { resource, description, fields, nullable = [] }: Record): Schema {
  const properties = Object.entries(resource.fields).map(([field, type]) => {
    const meaning = fields[field]
    if (meaning === undefined) throw new Error(`The field ${field} of ${name} has no description.`)
    const schema = nullable.includes(field) ? orNull(types[type]) : types[type]
    return [field, { ...schema, description: meaning }]
  })
  return {
    type: 'object',
    description,
    properties: Object.fromEntries(properties),
    required: Object.keys(resource.fields),
  }
}

/** The values that fields can be compared with; with null, `_eq` finds records without a value. */
const comparable: { readonly [type in FieldType]: Schema } = {
  integer: { type: ['integer', 'string'] },
  decimal: { type: ['number', 'string'] },
  text: { type: ['string', 'number'] },
  time: { type: 'string', description: 'A date, or a time with or without an offset.' },
  day: { type: 'string', description: 'A date.' },
  boolean: { type: 'boolean' },
  tag: { type: 'string', description: 'An entity tag with its quotes.' },
}

function filterSchema(name: string, fields: { readonly [field: string]: FieldType }): Schema {
  const properties = Object.entries(fields).flatMap(([field, type]) => {
    const schema = comparable[type]
    const values = [schema.type].flat()
    return [
      [`${field}_eq`, { ...schema, type: [...values, 'null'] }],
      ...(type === 'tag'
        ? []
        : [
            [`${field}_gteq`, schema],
            [`${field}_lt`, schema],
          ]),
      ...(type === 'text' ? [[`${field}_cont`, schema]] : []),
    ]
  })
  return {
    type: 'object',
    description: `Conditions for each ${name}. All of them must hold.`,
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  }
}
