import { describeField, descriptions } from '../../records/descriptions.js'
import type { Field, FieldType, RecordDeclaration } from '../../records/records.js'
import * as records from '../../records/records.js'
import { isTextType, maxExternalIdLength, maxTextLength } from '../resources/fields.js'
import type { Schema } from './operation.js'

/** The records, by the name of their schema. */
const recordsByName = {
  TimeEntry: records.timeEntry,
  Project: records.project,
  Client: records.client,
  Task: records.task,
  TaskLink: records.taskLink,
  Assignment: records.assignment,
  Company: records.company,
  ExpenseType: records.expenseType,
  Expense: records.expense,
} as const satisfies { readonly [name: string]: RecordDeclaration }

export type RecordName = keyof typeof recordsByName

interface TypeSchemas {
  /** The values in responses. */
  value: Schema
  /** The values in requests, if others are possible. */
  written?: Schema
  /** The values that filters compare; with null, `_eq` finds records without a value. */
  compared: Schema
}

const [anId, aText] = [{ type: ['integer', 'string'] }, { type: ['string', 'number'] }]

const types: { readonly [type in FieldType]: TypeSchemas } = {
  id: { value: { type: 'integer', minimum: 1 }, compared: anId },
  reference: { value: { type: 'integer', minimum: 1 }, compared: anId },
  instant: { value: { type: 'integer' }, compared: anId },
  name: { value: { type: 'string' }, compared: aText },
  text: { value: { type: 'string' }, written: { type: 'string', maxLength: maxTextLength }, compared: aText },
  external_id: {
    value: { type: 'string' },
    written: { type: 'string', minLength: 1, maxLength: maxExternalIdLength },
    compared: aText,
  },
  currency: { value: { type: 'string', pattern: '^[A-Z]{3}$' }, compared: aText },
  decimal: {
    value: { type: 'string', pattern: '^-?\\d+\\.\\d{2,4}$', examples: ['12.50'] },
    written: { type: ['string', 'number'], pattern: '^-?\\d{1,12}(\\.\\d{1,4})?$' },
    compared: { type: ['number', 'string'] },
  },
  time: {
    value: { type: 'string', format: 'date-time', examples: ['2026-11-02T08:30:00.000Z'] },
    compared: { type: 'string', description: 'A date, or a time with or without an offset.' },
  },
  day: {
    value: { type: 'string', format: 'date', examples: ['2026-11-02'] },
    compared: { type: 'string', description: 'A date.' },
  },
  boolean: { value: { type: 'boolean' }, compared: { type: 'boolean' } },
  tag: {
    value: { type: 'string', pattern: '^"\\d+"$', examples: ['"483920157"'] },
    compared: { type: 'string', description: 'An entity tag with its quotes.' },
  },
}

const orNull = (schema: Schema): Schema => ({ ...schema, type: [schema.type, 'null'].flat() })

/** Returns the schemas of the records, of new and of changed ones, and of the filters of their lists, by name. */
export function recordSchemas(): { [name: string]: Schema } {
  return Object.fromEntries(
    Object.entries<RecordDeclaration>(recordsByName).flatMap(([name, declaration]) => {
      const key = `${name[0]?.toLowerCase()}${name.slice(1)}` as Uncapitalize<RecordName>
      const written = Object.entries(declaration.fields).filter(([, { write }]) => write)
      const requests = [
        [`New${name}`, requestSchema(key, written, 'The fields of a new record.', true)],
        [`${name}Change`, requestSchema(key, written, 'The fields to change.', false)],
      ]
      return [
        [name, recordSchema(key, declaration)],
        ...(name === 'Company' ? [] : [[filterOf(name as RecordName), filterSchema(name, declaration)]]),
        ...(written.length > 0 ? requests : []),
      ]
    }),
  )
}

/** The name of the schema of the filter `q` of a list. */
export const filterOf = (name: RecordName): string => `${name}Filter`

/** Returns the schema of an object with all fields of a record. */
export function objectSchema({ fields }: RecordDeclaration, describe: (field: string) => object): Schema {
  const properties = Object.entries(fields).map(([field, { type, isNullable }]) => {
    const { value } = types[type]
    return [field, { ...(isNullable ? orNull(value) : value), ...describe(field) }]
  })
  return { type: 'object', properties: Object.fromEntries(properties), required: Object.keys(fields) }
}

function recordSchema(key: Uncapitalize<RecordName>, declaration: RecordDeclaration): Schema {
  const schema = objectSchema(declaration, (field) => ({ description: describeField(key, field) }))
  return { ...schema, description: descriptions[key].record }
}

function requestSchema(
  key: Uncapitalize<RecordName>,
  written: [string, Field][],
  description: string,
  isNew: boolean,
): Schema {
  const properties = written.map(([field, { type, isNullable }]) => {
    const { value, written: schema = value } = types[type]
    return [field, { ...(isNullable ? orNull(schema) : schema), description: describeField(key, field) }]
  })
  const required = written.flatMap(([field, { write }]) => (write === 'required' ? [field] : []))
  return {
    type: 'object',
    description,
    properties: Object.fromEntries(properties),
    ...(isNew ? { required } : {}),
  }
}

function filterSchema(name: string, { fields }: RecordDeclaration): Schema {
  const properties = Object.entries(fields).flatMap(([field, { type }]) => {
    const { compared } = types[type]
    const ordered = type === 'tag' ? [] : ['gteq', 'lt']
    const matchers = isTextType(type) ? [...ordered, 'cont'] : ordered
    return [
      [`${field}_eq`, orNull(compared)],
      ...matchers.map((matcher) => [`${field}_${matcher}`, compared]),
    ]
  })
  return {
    type: 'object',
    description: `Conditions for each ${name}. All of them must hold.`,
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  }
}
