import { expect, test } from 'vitest'
import { rejectionOf, serveJson, serveResponse } from '../test-server.js'

const entry = {
  id: 7,
  time_start: '2024-05-01T09:30:00.000Z',
  time_end: null,
  notes: 'Review',
  task_link_id: 12,
  colour: 'green',
}

test.each([
  ['an object', entry],
  ['a list of one', [entry]],
  ['an object under one key', { time_entry: entry }],
  ['a list of one under one key', { data: [entry] }],
])('reads an entry from %s, including unknown fields', async (_, value) => {
  const service = await serveJson({ 'GET /timesheets/7': value })
  expect(await service.api().getTimeEntry(7)).toEqual(entry)
})

test('missing fields of an entry are null, and nested records become IDs', async () => {
  const service = await serveJson({
    'GET /timesheets': {
      total: 2,
      entries: [
        {
          id: 'e-1',
          time_start: '2024-05-01 09:30:00 +0200',
          task_link: { id: 'l-1', name: 'Design' },
          external_id: 5,
        },
        { id: 2, time_start: 1_714_555_800, time_end: '', task_link: null },
      ],
    },
  })
  expect(await service.api().listTimeEntries()).toEqual([
    {
      id: 'e-1',
      time_start: '2024-05-01T07:30:00.000Z',
      time_end: null,
      notes: null,
      task_link_id: 'l-1',
      task_link: { id: 'l-1', name: 'Design' },
      external_id: '5',
    },
    {
      id: 2,
      time_start: '2024-05-01T09:30:00.000Z',
      time_end: null,
      notes: null,
      task_link_id: null,
      task_link: null,
    },
  ])
})

test('reads reference data that is flat or nested, with a name or a title', async () => {
  const website = { id: 1, name: 'Website' }
  const service = await serveJson({
    'GET /projects': [
      { id: 1, name: 'Website', client_id: 4, active: 'false' },
      { id: '2', title: 'App', client: { id: 'c', name: 'Acme' }, active: 1 },
      { id: 3 },
    ],
    'GET /clients': [
      { id: 1, name: 'Acme', active: '0' },
      { id: 2, name: null, active: null },
    ],
    'GET /tasks': [{ id: 1, name: 'Design', active: 1 }, { id: 2 }],
    'GET /task_links': [
      { id: 1, project_id: 1, task_id: 2 },
      { id: 2, project: website, task: { id: 2 } },
      { id: 3, project: 1, task: 'Design' },
    ],
    'GET /assignments': [{ id: 1, project: website, starts_on: '2024-05-01T00:00:00Z' }],
  })
  const api = service.api()
  expect(await api.listProjects()).toEqual([
    { id: 1, name: 'Website', client_id: 4, active: false },
    { id: '2', name: 'App', title: 'App', client_id: 'c', client: { id: 'c', name: 'Acme' }, active: true },
    { id: 3, name: '3', client_id: null },
  ])
  expect(await api.listClients()).toEqual([
    { id: 1, name: 'Acme', active: false },
    { id: 2, name: '2', active: true },
  ])
  expect(await api.listTasks()).toEqual([
    { id: 1, name: 'Design', active: true },
    { id: 2, name: '2' },
  ])
  expect(await api.listTaskLinks()).toEqual([
    { id: 1, project_id: 1, task_id: 2 },
    { id: 2, project_id: 1, task_id: 2, project: website, task: { id: 2 } },
    { id: 3, project_id: 1, task_id: null, project: 1, task: 'Design' },
  ])
  expect(await api.listAssignments()).toEqual([
    { id: 1, project_id: 1, project: website, starts_on: '2024-05-01', ends_on: null },
  ])
})

test('preserves a field that only other kinds of records have', async () => {
  const entry = { id: 1, time_start: '2024-05-01T09:00:00.000Z', active: 'paused' }
  const service = await serveJson({ 'GET /timesheets/1': [entry] })
  expect(await service.api().getTimeEntry(1)).toMatchObject(entry)
})

test('an expense has a decimal amount and its relations', async () => {
  const service = await serveJson({
    'GET /expenses': [
      { id: 1, amount: 12.5, expense_type: { id: 3 }, project_id: 4, receipt: 'r.pdf' },
      { id: 2 },
    ],
  })
  expect(await service.api().listExpenses()).toEqual([
    {
      ...{
        id: 1,
        amount: '12.5',
        expense_type: { id: 3 },
        expense_type_id: 3,
        project_id: 4,
        receipt: 'r.pdf',
      },
      ...{ spent_on: null, currency: null, notes: null },
    },
    {
      ...{ id: 2, amount: null, expense_type_id: null, project_id: null },
      ...{ spent_on: null, currency: null, notes: null },
    },
  ])
})

test.each([
  ['task links', [{ id: 5, project_id: 1, task_id: 2 }]],
  ['counts beside an id', [{ task_link_id: 5, count: 9, project_id: 1, task_id: 2 }]],
  [
    'counts beside a task link',
    [{ id: 900, count: 9, task_link: { id: 5, project: { id: 1 }, task_id: 2 } }],
  ],
])('reads the most used tasks from %s', async (_, value) => {
  const service = await serveJson({ 'GET /timesheets/most_used_tasks': value })
  expect(await service.api().mostUsedTasks()).toMatchObject([{ id: 5, project_id: 1, task_id: 2 }])
})

test('reads the most used tasks from bare IDs', async () => {
  const service = await serveJson({ 'GET /timesheets/most_used_tasks': [5, 'six'] })
  expect((await service.api().mostUsedTasks()).map(({ id }) => id)).toEqual([5, 'six'])
})

test('reads a company without an ID', async () => {
  const service = await serveJson({ 'GET /companies': { name: 'Acme', settings: {} } })
  expect(await service.api().getCompany()).toMatchObject({ id: 'Acme', name: 'Acme', settings: {} })
})

test.each([
  ['', 'expected a list of time entries, received nothing'],
  ['null', 'expected a list of time entries, received null'],
  ['{"a":[],"b":[]}', 'expected a list of time entries, received an object'],
  ['[{}]', 'the ID of a time entry is nothing'],
  ['[5]', 'expected one time entry, received 5'],
  ['[{"id":""}]', 'the ID of a time entry is ""'],
  ['[{"id":9007199254740993}]', 'the ID of a time entry is 9007199254740992'],
  ['[{"id":1}]', 'time_start is not a time (nothing)'],
  ['[{"id":1,"time_start":"2024-05-01","time_end":"late"}]', 'time_end is not a time ("late")'],
  ['[{"id":1,"time_start":"2024-05-01","task_link_id":{}}]', 'the ID of a task_link is an object'],
])('rejects the list %s and names the flaw', async (body, message) => {
  const service = await serveResponse(200, body)
  expect(await rejectionOf(service.api().listTimeEntries())).toMatchObject({
    code: 'rejected',
    message: `Invalid response from the service: ${message}.`,
  })
})

test('reads 100,000 entries in less than 5 s of processor time', async () => {
  const entries = Array.from({ length: 100_000 }, (_, index) => ({ ...entry, id: index + 1 }))
  const body = JSON.stringify(entries)
  const service = await serveResponse(200, body)
  const before = process.cpuUsage()
  expect(await service.api().listTimeEntries()).toHaveLength(100_000)
  const { user, system } = process.cpuUsage(before)
  expect(user + system).toBeLessThan(5_000_000) // Microseconds.
})
