// Uses every operation of the API through the generated client. SERVICE_ORIGIN, SERVICE_TOKEN and the other variables
// name a service with the project Acme/Website, its tasks Design and Review, an expense type and an assignment.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { client, clientWith, filter, type Schemas, usedOperations, variable } from './service.js'

after(() => process.stdout.write(`used: ${JSON.stringify([...usedOperations])}\n`))

/** Returns the first element; throws AssertionError if there is none. */
function first<Value>(values: readonly Value[] | undefined): Value {
  const [value] = values ?? []
  assert.ok(value !== undefined)
  return value
}

async function taskLinks(): Promise<Schemas['TaskLink'][]> {
  const { data = [] } = await client.GET('/api/v1/task_links')
  return data
}

/** Creates an entry of one hour on this day of May 2024. */
async function createEntry(day: number, more: Partial<Schemas['NewTimeEntry']> = {}) {
  const { id } = first(await taskLinks())
  const date = `2024-05-${String(day).padStart(2, '0')}`
  const times = { time_start: `${date}T09:00:00+02:00`, time_end: `${date}T10:00:00+02:00` }
  const { data, response } = await client.POST('/api/v1/timesheets', {
    params: { header: { 'Idempotency-Key': randomUUID() } },
    body: { ...times, task_link_id: id, ...more },
  })
  assert.equal(response.status, 201)
  assert.ok(data)
  return data
}

async function deleteEntries() {
  const { data = [] } = await client.GET('/api/v1/timesheets')
  for (const { id } of data) await client.DELETE('/api/v1/timesheets/{id}', { params: { path: { id } } })
}

test('reads reference data, with filters', async () => {
  const { data: company } = await client.GET('/api/v1/companies')
  assert.equal(company?.currency, 'EUR')
  const q = filter('ProjectFilter', { name_cont: 'web', active_eq: true })
  const project = first((await client.GET('/api/v1/projects', { params: { query: { q } } })).data)
  const { data: clients } = await client.GET('/api/v1/clients')
  const owner = clients?.find(({ id }) => id === project.client_id)
  assert.deepEqual([owner?.name, project.name, project.active], ['Acme', 'Website', true])

  const byName = { q: filter('TaskFilter', { name_eq: 'Review' }) }
  const review = first((await client.GET('/api/v1/tasks', { params: { query: byName } })).data)
  const ofReview = (await taskLinks()).filter(({ task_id }) => task_id === review.id)
  assert.deepEqual(
    ofReview.map(({ project_id, active }) => ({ project_id, active })),
    [{ project_id: project.id, active: true }],
  )
  const { data: assignments } = await client.GET('/api/v1/assignments')
  assert.deepEqual(
    assignments?.map(({ project_id, starts_on, ends_on }) => ({ project_id, starts_on, ends_on })),
    [{ project_id: project.id, starts_on: '2024-01-01', ends_on: null }],
  )
  const { data: types } = await client.GET('/api/v1/expense_types')
  assert.deepEqual(
    types?.map(({ name }) => name),
    ['Travel'],
  )
})

test('creates, shows, changes and deletes a time entry', async () => {
  const entry = await createEntry(1, { notes: 'grüße 🎉', external_id: 'TICKET-7' })
  assert.equal(entry.time_start, '2024-05-01T07:00:00.000Z')
  const path = { id: entry.id }
  assert.deepEqual((await client.GET('/api/v1/timesheets/{id}', { params: { path } })).data, [entry])
  const query = { external_id: 'TICKET-7' }
  const found = await client.GET('/api/v1/timesheets/find_by_external_id', { params: { query } })
  assert.deepEqual(found.data, [entry])
  const running = await client.PATCH('/api/v1/timesheets/{id}', {
    params: { path },
    body: { time_end: null },
  })
  assert.deepEqual([running.data?.time_end, running.data?.notes], [null, 'grüße 🎉'])

  const removal = await client.DELETE('/api/v1/timesheets/{id}', { params: { path } })
  assert.equal(removal.response.status, 204)
  const { error, response } = await client.GET('/api/v1/timesheets/{id}', { params: { path } })
  assert.deepEqual([response.status, error?.error], [404, 'not_found'])
})

test('reads a page, filters by period, and reads times in milliseconds', async () => {
  const created = [(await createEntry(1)).id, (await createEntry(2)).id, (await createEntry(3)).id]
  const query = { page: 2, per_page: 2, fields: 'id' }
  const { data: page, response } = await client.GET('/api/v1/timesheets', { params: { query } })
  assert.deepEqual(
    [first(page).id, page?.length, response.headers.get('x-total-count')],
    [created[2], 1, '3'],
  )
  const q = filter('TimeEntryFilter', { time_start_gteq: '2024-05-02', time_start_lt: '2024-05-03' })
  const { data: found } = await client.GET('/api/v1/timesheets', { params: { query: { q } } })
  assert.deepEqual(
    found?.map(({ id }) => id),
    [created[1]],
  )
  const accept = 'application/vnd.tt.entry-times+json'
  const times = clientWith<typeof accept>(variable('SERVICE_TOKEN'))
  const { data: listed = [] } = await times.GET('/api/v1/timesheets', { headers: { accept } })
  assert.deepEqual(
    listed.map(({ id }) => id),
    created,
  )
  assert.equal(listed[0]?.time_start, Date.parse('2024-05-01T07:00:00Z'))
  await deleteEntries()
})

test('lists the tasks used most', async () => {
  const { id: task_link_id } = first(await taskLinks())
  const body = { time_start: new Date(Date.now() - 3_600_000).toISOString(), task_link_id }
  for (let count = 0; count < 2; count++) await client.POST('/api/v1/timesheets', { body })
  const used = first((await client.GET('/api/v1/timesheets/most_used_tasks')).data)
  assert.deepEqual([used.id, used.entries], [task_link_id, 2])
  await deleteEntries()
})

test('creates, lists, changes and deletes an expense', async () => {
  const type = first((await client.GET('/api/v1/expense_types')).data)
  const fields = { spent_on: '2024-05-02', amount: '1234567890.0001', expense_type_id: type.id }
  const { data, response } = await client.POST('/api/v1/expenses', { body: { expense: fields } })
  assert.equal(response.status, 201)
  assert.ok(data)
  assert.deepEqual([data.amount, data.currency, data.project_id], ['1234567890.0001', 'EUR', null])
  const path = { id: data.id }
  const body = { expense: { notes: 'train' } }
  const changed = await client.PATCH('/api/v1/expenses/{id}', { params: { path }, body })
  assert.deepEqual([changed.data?.notes, changed.data?.amount], ['train', '1234567890.0001'])
  const q = filter('ExpenseFilter', { spent_on_gteq: '2024-05-01', notes_cont: 'rai' })
  const listed = await client.GET('/api/v1/expenses', { params: { query: { q, per_page: 10 } } })
  assert.deepEqual(listed.data, [changed.data])
  const removal = await client.DELETE('/api/v1/expenses/{id}', { params: { path } })
  assert.equal(removal.response.status, 204)
})

test('receives the documented errors', async () => {
  const invalid = await client.POST('/api/v1/timesheets', {
    body: { time_start: 'yesterday', time_end: 'now', task_link_id: 987_654 },
  })
  assert.equal(invalid.response.status, 422)
  assert.ok(invalid.error && 'errors' in invalid.error)
  assert.deepEqual(Object.keys(invalid.error.errors).sort(), ['time_end', 'time_start'])

  const q = JSON.stringify({ nonsense_eq: 1 })
  const unknown = await client.GET('/api/v1/projects', { params: { query: { q } } })
  assert.equal(unknown.response.status, 400)
  assert.ok(unknown.error && 'message' in unknown.error)
  assert.equal(unknown.error.error, 'invalid_query')
  assert.match(unknown.error.message, /nonsense_eq/)

  await createEntry(8, { external_id: 'TICKET-8' })
  const { id } = await createEntry(9)
  const conflict = await client.PATCH('/api/v1/timesheets/{id}', {
    params: { path: { id } },
    body: { external_id: 'TICKET-8' },
  })
  assert.deepEqual([conflict.response.status, conflict.error?.error], [409, 'conflict'])
  await deleteEntries()

  const unauthorized = await clientWith('wrong').GET('/api/v1/companies')
  assert.equal(unauthorized.response.status, 401)
  assert.match(unauthorized.response.headers.get('www-authenticate') ?? '', /^Bearer /)
  const path = { id: 1 }
  const reader = clientWith(variable('SERVICE_READ_TOKEN'))
  assert.equal((await reader.GET('/api/v1/companies')).response.status, 200)
  const forbidden = await reader.DELETE('/api/v1/timesheets/{id}', { params: { path } })
  assert.deepEqual([forbidden.response.status, forbidden.error?.error], [403, 'insufficient_scope'])
})

const asForm = {
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  bodySerializer: (body: Record<string, string>) => new URLSearchParams(body),
}

test('issues and revokes a legacy key', async () => {
  const anonymous = clientWith(undefined)
  const user = { email: variable('SERVICE_EMAIL'), application: 'test' }
  const issue = (password: string) =>
    anonymous.POST('/api/v1/authenticate', { body: { ...user, password }, ...asForm })
  const denied = await issue('not the password')
  assert.deepEqual([denied.response.status, denied.error?.error], [401, 'invalid_credentials'])
  const { data } = await issue(variable('SERVICE_PASSWORD'))
  const withKey = clientWith(data?.api_key ?? '')
  assert.equal((await withKey.GET('/api/v1/companies')).response.status, 200)
  // The endpoints of OAuth are those of its standards, for which there are libraries.
  const body = new URLSearchParams({ token: data?.api_key ?? '' })
  await fetch(`${variable('SERVICE_ORIGIN')}/oauth/revoke`, { method: 'POST', body })
  assert.equal((await withKey.GET('/api/v1/companies')).response.status, 401)
})

test('reads the state of the service', async () => {
  const { data } = await client.GET('/readyz')
  assert.deepEqual(data?.checks, { database: true, migrations: true, disk: true, running: true })
})
