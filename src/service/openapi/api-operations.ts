import { entryTimesType } from '../../api-client/types.js'
import type { collectionRoutes, recordRoutes } from '../http/routes.js'
import { entryTimes } from '../resources/fields.js'
import {
  type Descriptions,
  errorsOf,
  jsonContent,
  type Operation,
  type ResponseDescription,
  reference,
  requestBody,
  type Schema,
  schemaReference,
} from './operation.js'
import { filterOf, objectSchema, type RecordName } from './record-schemas.js'

const underExpense = (name: string): Schema => ({
  type: 'object',
  properties: { expense: schemaReference(name) },
  required: ['expense'],
})

/** The schemas of requests and of responses that are no records, by name. */
export const apiSchemas: Readonly<Record<string, Schema>> = {
  UsedTaskLink: {
    description: 'A task link and the number of its entries in the last 7 days.',
    allOf: [
      schemaReference('TaskLink'),
      { type: 'object', properties: { entries: { type: 'integer', minimum: 1 } }, required: ['entries'] },
    ],
  },
  EntryTimes: {
    ...objectSchema(entryTimes, () => ({})),
    description: 'The times of an entry, in epoch milliseconds.',
  },
}

const parameter = (name: string) => reference('parameters', name)

/**
 * Returns the parameter `q`: JSON in the query, as text so that every client sends it unchanged. OpenAPI cannot describe
 * `q[FIELD_MATCHER]` beside it, which would be a second parameter with the same name.
 */
function filterParameter(name: RecordName, example: object): Schema {
  const contentSchema = schemaReference(filterOf(name))
  const predicates = 'A JSON object of Ransack predicates, `FIELD_MATCHER` with a value; the matchers are'
  return {
    name: 'q',
    in: 'query',
    description: `${predicates} \`_eq\`, \`_gteq\`, \`_lt\` and, for text, \`_cont\`. \`q[FIELD_MATCHER]=VALUE\` is the same condition in the form of Ransack clients.`,
    schema: { type: 'string', contentMediaType: 'application/json', contentSchema },
    example: JSON.stringify(example),
  }
}

const onePage = { Link: reference('headers', 'Link') }
const pageHeaders = { ...onePage, 'X-Total-Count': reference('headers', 'X-Total-Count') }

function listResponse(name: RecordName): ResponseDescription {
  const records = jsonContent('The records, or a part of them.', {
    type: 'array',
    items: schemaReference(name),
  })
  return { ...records, headers: pageHeaders }
}

/** Returns the operation that lists records; `noun` is their plural. */
function list(
  operationId: string,
  tag: Operation['tag'],
  name: RecordName,
  noun: string,
  filter: object,
): Operation {
  return {
    operationId,
    tag,
    summary: `list ${noun}`,
    parameters: [filterParameter(name, filter), ...['page', 'per_page', 'after'].map(parameter)],
    responses: { 200: listResponse(name) },
  }
}

const withTag = (response: ResponseDescription): ResponseDescription => ({
  ...response,
  headers: { ETag: reference('headers', 'ETag') },
})

const oneRecord = (name: RecordName) =>
  withTag(
    jsonContent('The record, in an array with one element.', {
      type: 'array',
      items: schemaReference(name),
      minItems: 1,
      maxItems: 1,
    }),
  )

interface Write {
  tag: Operation['tag']
  record: RecordName
  noun: string
  body: Schema
}

function create(operationId: string, { tag, record, noun, body }: Write): Operation {
  const stored = 'The record that an earlier request with the Idempotency-Key or the external ID has created.'
  return {
    operationId,
    tag,
    summary: `create ${noun}`,
    parameters: [parameter('Idempotency-Key')],
    requestBody: body,
    responses: {
      200: withTag(jsonContent(stored, schemaReference(record))),
      201: withTag(jsonContent('The new record.', schemaReference(record))),
      ...errorsOf(409, 413, 422),
    },
  }
}

function update(operationId: string, { tag, record, noun, body }: Write): Operation {
  return {
    operationId,
    tag,
    summary: `change ${noun}`,
    description: 'Fields that the body does not contain stay as they are.',
    parameters: [parameter('If-Match')],
    requestBody: body,
    responses: {
      200: withTag(jsonContent('The changed record.', schemaReference(record))),
      ...errorsOf(404, 409, 412, 413, 422),
    },
  }
}

const remove = (operationId: string, tag: Operation['tag'], noun: string): Operation => ({
  operationId,
  tag,
  summary: `delete ${noun}`,
  parameters: [parameter('If-Match')],
  responses: { 204: { description: 'The record is deleted.' }, ...errorsOf(404, 412, 422) },
})

const entry = {
  time_start: '2026-11-02T09:30:00+01:00',
  time_end: '2026-11-02T11:00:00+01:00',
  task_link_id: 12,
}
const entries = { tag: 'Time entries', record: 'TimeEntry', noun: 'a time entry' } as const
const newEntry = requestBody('application/json', schemaReference('NewTimeEntry'), {
  ...entry,
  notes: 'first page',
})
const changedEntry = requestBody('application/json', schemaReference('TimeEntryChange'), {
  notes: 'second page',
})

const expense = { spent_on: '2026-11-02', amount: '12.50', notes: 'train' }
const expenses = { tag: 'Expenses', record: 'Expense', noun: 'an expense' } as const
const newExpense = requestBody('application/json', underExpense('NewExpense'), { expense })
const changedExpense = requestBody('application/json', underExpense('ExpenseChange'), {
  expense: { amount: '13.00' },
})

const inNovember = { time_start_gteq: '2026-11-01', time_start_lt: '2026-12-01' }
const entryList = list('listTimeEntries', 'Time entries', 'TimeEntry', 'time entries', inNovember)
const listedTimes = { schema: { type: 'array', items: schemaReference('EntryTimes') } }
const entryListResponse = listResponse('TimeEntry')
const referenceData = 'Reference data'
const ofWebsite = { name_cont: 'website' }
const isActive = { active_eq: true }

export const collectionOperations: Descriptions<typeof collectionRoutes> = {
  '/timesheets': {
    GET: {
      ...entryList,
      description:
        'Sorted by start. A long list continues at the address with `rel="next"` in the `Link` header.',
      responses: {
        200: {
          ...entryListResponse,
          content: { ...entryListResponse.content, [entryTimesType]: listedTimes },
        },
      },
    },
    POST: create('createTimeEntry', { ...entries, body: newEntry }),
  },
  '/timesheets/most_used_tasks': {
    GET: {
      operationId: 'listMostUsedTasks',
      tag: 'Time entries',
      summary: 'list the task links used most in the last 7 days',
      parameters: [filterParameter('TaskLink', isActive)],
      responses: {
        200: {
          ...jsonContent('The task links, the most used first.', {
            type: 'array',
            items: schemaReference('UsedTaskLink'),
          }),
          headers: onePage,
        },
      },
    },
  },
  '/timesheets/find_by_external_id': {
    GET: {
      operationId: 'findTimeEntry',
      tag: 'Time entries',
      summary: 'find a time entry by its ID in another system',
      parameters: [
        {
          name: 'external_id',
          in: 'query',
          required: true,
          description: 'The external ID.',
          schema: { type: 'string' },
          example: 'TICKET-7',
        },
      ],
      responses: { 200: oneRecord('TimeEntry'), ...errorsOf(404) },
    },
  },
  '/projects': { GET: list('listProjects', referenceData, 'Project', 'projects', ofWebsite) },
  '/clients': { GET: list('listClients', referenceData, 'Client', 'clients', { name_cont: 'acme' }) },
  '/tasks': { GET: list('listTasks', referenceData, 'Task', 'tasks', { name_cont: 'design' }) },
  '/task_links': { GET: list('listTaskLinks', referenceData, 'TaskLink', 'task links', isActive) },
  '/assignments': {
    GET: list('listAssignments', referenceData, 'Assignment', 'assignments', { project_id_eq: 3 }),
  },
  '/companies': {
    GET: {
      operationId: 'showCompany',
      tag: referenceData,
      summary: 'show the company',
      description: 'One object, not a list.',
      responses: { 200: jsonContent('The company.', schemaReference('Company')), ...errorsOf(404) },
    },
  },
  '/expense_types': {
    GET: list('listExpenseTypes', 'Expenses', 'ExpenseType', 'active expense types', { name_cont: 'travel' }),
  },
  '/expenses': {
    GET: list('listExpenses', 'Expenses', 'Expense', 'expenses', { spent_on_gteq: '2026-11-01' }),
    POST: create('createExpense', { ...expenses, body: newExpense }),
  },
}

export const recordOperations: Descriptions<typeof recordRoutes> = {
  '/timesheets': {
    GET: {
      operationId: 'showTimeEntry',
      tag: 'Time entries',
      summary: 'show a time entry',
      responses: { 200: oneRecord('TimeEntry'), ...errorsOf(404) },
    },
    PATCH: update('updateTimeEntry', { ...entries, body: changedEntry }),
    DELETE: remove('deleteTimeEntry', 'Time entries', 'a time entry'),
  },
  '/expenses': {
    PATCH: update('updateExpense', { ...expenses, body: changedExpense }),
    DELETE: remove('deleteExpense', 'Expenses', 'an expense'),
  },
}
