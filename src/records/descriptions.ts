import { capitalize } from '../lib/text/words.js'
import type * as records from './records.js'

/**
 * The meanings of records and fields in the OpenAPI document and in the JSON Schema of `--json`. A field whose name says
 * enough needs none. Commands do not load this file.
 */

interface Description<Declaration extends { fields: object }> {
  /** A sentence. */
  record: string
  fields: { readonly [Name in keyof Declaration['fields']]?: string }
}

const id = 'The ID of the record.'
const active = 'Whether new records may refer to it; false when it is archived.'
const notes = 'Free text.'
const externalId = 'The ID in another system; unique for the user.'
const history = {
  created_at: 'When the record was created.',
  updated_at: 'When the record last changed; it increases with every change.',
  etag: 'The strong entity tag of the record; it differs after every change.',
}

type Descriptions = {
  readonly [Name in keyof typeof records]: Description<(typeof records)[Name]>
}

export const descriptions: Descriptions = {
  timeEntry: {
    record: 'A time entry of the user.',
    fields: {
      id,
      time_start: 'Start of the entry.',
      time_end: 'End of the entry; null while it is running.',
      notes,
      task_link_id: 'The task link of the entry.',
      external_id: externalId,
      ...history,
    },
  },
  expense: {
    record: 'An expense of the user.',
    fields: {
      id,
      spent_on: 'Day of the expense.',
      amount: 'Amount with two to four decimal places.',
      currency: 'Code of ISO 4217 (default: that of the company).',
      expense_type_id: 'The expense type.',
      project_id: 'The project, which the user can see.',
      notes,
      external_id: externalId,
      ...history,
    },
  },
  project: {
    record: 'A project that the user can see.',
    fields: { id, name: 'Name of the project.', client_id: 'The client of the project.', active },
  },
  client: {
    record: 'A client that the user can see.',
    fields: { id, name: 'Name of the client.', active },
  },
  task: { record: 'A task of the company.', fields: { id, name: 'Name of the task.' } },
  taskLink: {
    record: 'A combination of project and task on which the user can track time.',
    fields: { id, project_id: 'The project.', task_id: 'The task.', active },
  },
  assignment: {
    record: 'The assignment of the user to a project.',
    fields: {
      id,
      project_id: 'The project.',
      starts_on: 'First day of the assignment; null without a limit.',
      ends_on: 'Last day of the assignment; null without a limit.',
    },
  },
  company: {
    record: 'The company of the user.',
    fields: {
      id,
      name: 'Name of the company.',
      currency: 'Currency code of ISO 4217.',
      time_zone: 'IANA time zone of dates and times without an offset in filters.',
      closed_until:
        'Last day of the closed period; null if there is none. Entries that start up to that day, in the time zone of the company, and expenses up to that day are read-only (422).',
    },
  },
  expenseType: {
    record: 'An active expense type of the company.',
    fields: { id, name: 'Name of the expense type.', active },
  },
}

/** Returns the meaning of a field, by default its name as a sentence. */
export function describeField(name: keyof Descriptions, field: string): string {
  const fields: Readonly<Record<string, string | undefined>> = descriptions[name].fields
  const words = field.replaceAll('_', ' ')
  return fields[field] ?? `${capitalize(words)}.`
}
