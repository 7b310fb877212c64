/**
 * The records of the API, each declared once (service-api-v1.md sections 2 and 4; for what it does not show: design
 * section 5). The types and the decoder of the client, the columns, filters and validation of the service, the OpenAPI
 * document and the JSON Schema of `--json` follow from here; descriptions.ts has the texts of the last two.
 */

/** The ID of a record: a number or text, depending on the service. */
export type Id = number | string

/** The types of fields that users can write. `external_id` is the ID in another system. */
export type WrittenType = 'reference' | 'text' | 'external_id' | 'time' | 'day' | 'decimal' | 'currency'

/**
 * What a field contains. `instant` is a time in epoch milliseconds, and `tag` the strong entity tag (RFC 9110 section
 * 8.8.3).
 */
export type FieldType = WrittenType | 'id' | 'name' | 'instant' | 'boolean' | 'tag'

/** A field. `write` is whether a new record must have it; without `write`, requests cannot set it. */
export type Field = { readonly isNullable?: boolean } & (
  | { readonly type: WrittenType; readonly write: 'required' | 'optional' }
  | { readonly type: FieldType; readonly write?: never }
)

export interface RecordDeclaration {
  /** The name of one record in messages. */
  readonly noun: string
  readonly table: string
  /** The fields by which lists are ordered. */
  readonly order: readonly string[]
  /**
   * The fields; a filter can compare each (section 4). Their columns have the same names, except `version` for the entity
   * tag.
   */
  readonly fields: Readonly<Record<string, Field>>
}

const id = { type: 'id' } as const
const name = { type: 'name' } as const
const active = { type: 'boolean' } as const
const notes = { type: 'text', isNullable: true, write: 'optional' } as const
const externalId = { type: 'external_id', isNullable: true, write: 'optional' } as const
const history = { created_at: { type: 'time' }, updated_at: { type: 'time' }, etag: { type: 'tag' } } as const

export const timeEntry = {
  noun: 'time entry',
  table: 'time_entries',
  order: ['time_start', 'id'],
  fields: {
    id,
    time_start: { type: 'time', write: 'required' },
    time_end: { type: 'time', isNullable: true, write: 'optional' },
    notes,
    task_link_id: { type: 'reference', write: 'required' },
    external_id: externalId,
    ...history,
  },
} as const satisfies RecordDeclaration

export const expense = {
  noun: 'expense',
  table: 'expenses',
  order: ['spent_on', 'id'],
  fields: {
    id,
    spent_on: { type: 'day', write: 'required' },
    amount: { type: 'decimal', write: 'required' },
    currency: { type: 'currency', write: 'optional' },
    expense_type_id: { type: 'reference', isNullable: true, write: 'optional' },
    project_id: { type: 'reference', isNullable: true, write: 'optional' },
    notes,
    external_id: externalId,
    ...history,
  },
} as const satisfies RecordDeclaration

export const project = {
  noun: 'project',
  table: 'projects',
  order: ['name', 'id'],
  fields: { id, name, client_id: { type: 'reference', isNullable: true }, active },
} as const satisfies RecordDeclaration

export const client = {
  noun: 'client',
  table: 'clients',
  order: ['name', 'id'],
  fields: { id, name, active },
} as const satisfies RecordDeclaration

export const task = {
  noun: 'task',
  table: 'tasks',
  order: ['name', 'id'],
  fields: { id, name },
} as const satisfies RecordDeclaration

export const taskLink = {
  noun: 'task link',
  table: 'task_links',
  order: ['id'],
  fields: { id, project_id: { type: 'reference' }, task_id: { type: 'reference' }, active },
} as const satisfies RecordDeclaration

export const assignment = {
  noun: 'assignment',
  table: 'assignments',
  order: ['id'],
  fields: {
    id,
    project_id: { type: 'reference' },
    starts_on: { type: 'day', isNullable: true },
    ends_on: { type: 'day', isNullable: true },
  },
} as const satisfies RecordDeclaration

export const company = {
  noun: 'company',
  table: 'company',
  order: ['id'],
  fields: {
    id,
    name,
    currency: { type: 'currency' },
    time_zone: { type: 'text' },
    closed_until: { type: 'day', isNullable: true },
  },
} as const satisfies RecordDeclaration

export const expenseType = {
  noun: 'expense type',
  table: 'expense_types',
  order: ['name', 'id'],
  fields: { id, name, active },
} as const satisfies RecordDeclaration

/** A record with fields that are not declared. */
export interface WireRecord {
  id: Id
  [field: string]: unknown
}

/**
 * A decoded record: times are RFC 3339 in UTC, days YYYY-MM-DD, amounts decimal strings, and a relation is an ID even if the
 * service nests the record. A field that a service may omit, or whose values only the service of this program defines, is
 * optional. Unknown fields are preserved.
 */
export type RecordOf<Declaration extends RecordDeclaration> = WireRecord & {
  -readonly [Name in keyof Declaration['fields'] as IsOptional<Declaration['fields'][Name]> extends true
    ? never
    : Name]: ValueOf<Declaration['fields'][Name]>
} & {
  -readonly [Name in keyof Declaration['fields'] as Declaration['fields'][Name]['type'] extends
    | 'boolean'
    | 'external_id'
    ? Name
    : never]?: ValueOf<Declaration['fields'][Name]>
}

type IsOptional<Declared extends Field> = Declared['type'] extends 'boolean' | 'external_id' | 'tag'
  ? true
  : Declared extends { type: 'time' }
    ? Declared extends { write: string }
      ? false
      : true
    : false

type ValueOf<Declared extends Field> = Declared['type'] extends 'id'
  ? Id
  : Declared['type'] extends 'name'
    ? string
    : Declared['type'] extends 'boolean'
      ? boolean
      : Declared extends { type: 'time'; isNullable?: never }
        ? string
        : Declared['type'] extends 'reference'
          ? Id | null
          : string | null

export type TimeEntry = RecordOf<typeof timeEntry>
export type Expense = RecordOf<typeof expense>
export type Project = RecordOf<typeof project>
export type Client = RecordOf<typeof client>
export type Task = RecordOf<typeof task>
export type TaskLink = RecordOf<typeof taskLink>
export type Assignment = RecordOf<typeof assignment>
export type Company = RecordOf<typeof company>
export type ExpenseType = RecordOf<typeof expenseType>
export type NamedRecord = Task
