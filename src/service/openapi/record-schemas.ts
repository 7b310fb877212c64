import { describeField, descriptions } from '../../records/descriptions.js'
import type { Field, FieldType, RecordDeclaration } from '../../records/records.js'
import * as records from '../../records/records.js'
import { maxExternalIdLength, maxTextLength } from '../resources/field-validation.js'
import { textTypes } from '../resources/ransack.js'
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

const types: { readonly [type in FieldType]: Schema } = {
  id: { type: 'integer', minimum: 1 },
  reference: { type: 'integer', minimum: 1 },
  instant: { type: 'integer' },
  name: { type: 'string' },
  text: { type: 'string' },
  external_id: { type: 'string' },
  currency: { type: 'string', pattern: '^[A-Z]{3}$' },
  decimal: { type: 'string', pattern: '^-?\\d+\\.\\d{2,4}$', examples: ['12.50'] },
  time: { type: 'string', format: 'date-time', examples: ['2026-11-02T08:30:00.000Z'] },
  day: { type: 'string', format: 'date', examples: ['2026-11-02'] },
  boolean: { type: 'boolean' },
  tag: { type: 'string', pattern: '^"\\d+"$', examples: ['"483920157"'] },
}

/** The types of fields whose values in requests differ from those in responses. */
const writtenTypes: { readonly [type in FieldType]?: Schema } = {
  text: { type: 'string', maxLength: maxTextLength },
  external_id: { type: 'string', minLength: 1, maxLength: maxExternalIdLength },
  decimal: { type: ['string', 'number'], pattern: '^-?\\d{1,12}(\\.\\d{1,4})?$' },
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
    const schema = isNullable ? orNull(types[type]) : types[type]
    return [field, { ...schema, ...describe(field) }]
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
    const schema = writtenTypes[type] ?? types[type]
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

/** The values that fields can be compared with; with null, `_eq` finds records without a value. */
function comparable(type: FieldType): Schema {
  if (textTypes.includes(type)) return { type: ['string', 'number'] }
  switch (type) {
    case 'decimal':
      return { type: ['number', 'string'] }
    case 'time':
      return { type: 'string', description: 'A date, or a time with or without an offset.' }
    case 'day':
      return { type: 'string', description: 'A date.' }
    case 'boolean':
      return { type: 'boolean' }
    case 'tag':
      return { type: 'string', description: 'An entity tag with its quotes.' }
    default:
      return { type: ['integer', 'string'] }
  }
}

function filterSchema(name: string, { fields }: RecordDeclaration): Schema {
  const properties = Object.entries(fields).flatMap(([field, { type }]) => {
    const schema = comparable(type)
    const ordered = type === 'tag' ? [] : ['gteq', 'lt']
    const matchers = textTypes.includes(type) ? [...ordered, 'cont'] : ordered
    return [[`${field}_eq`, orNull(schema)], ...matchers.map((matcher) => [`${field}_${matcher}`, schema])]
  })
  return {
    type: 'object',
    description: `Conditions for each ${name}. All of them must hold.`,
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  }
}
