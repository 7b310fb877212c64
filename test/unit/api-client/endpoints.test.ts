import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Api } from '../../../src/api-client/api.js'
import { InvalidResponseError } from '../../../src/api-client/api-errors.js'
import { createApi } from '../../../src/api-client/endpoints.js'
import { createHttp } from '../../../src/api-client/http/client.js'
import { TtError } from '../../../src/lib/errors.js'
import { rejectionOf, serveResponse, startServer, type TestServer } from './test-server.js'

const entry = { id: 7, time_start: '2024-05-01T09:30:00.000Z', time_end: null, notes: 'x', task_link_id: 12 }

const found = 'GET /timesheets/find_by_external_id?external_id=a%2Bb'
const calls: [request: string, call: (api: Api) => Promise<unknown>, body?: string][] = [
  ['GET /timesheets', (api) => api.listTimeEntries()],
  ['GET /timesheets/a%2Fb%20c', (api) => api.getTimeEntry('a/b c')],
  ['POST /timesheets', (api) => api.createTimeEntry({ notes: 'x' }), '{"notes":"x"}'],
  ['PATCH /timesheets/7', (api) => api.updateTimeEntry(7, { notes: 'x' }), '{"notes":"x"}'],
  ['DELETE /timesheets/7', (api) => api.deleteTimeEntry(7)],
  ['GET /timesheets/most_used_tasks', (api) => api.mostUsedTasks()],
  [found, (api) => api.findTimeEntryByExternalId('a+b')],
  ['GET /projects', (api) => api.listProjects()],
  ['GET /clients', (api) => api.listClients()],
  [
    'GET /tasks?q=%7B%22id_eq%22%3A1%2C%22name_eq%22%3A%22a%22%7D',
    (api) => api.listTasks({ id_eq: 1, name_eq: 'a' }),
  ],
  ['GET /task_links', (api) => api.listTaskLinks()],
  ['GET /assignments', (api) => api.listAssignments()],
  ['GET /companies', (api) => api.getCompany()],
  ['GET /expense_types', (api) => api.listExpenseTypes()],
  ['GET /expenses', (api) => api.listExpenses()],
  ['POST /expenses', (api) => api.createExpense({ amount: '1' }), '{"expense":{"amount":"1"}}'],
  ['PATCH /expenses/7', (api) => api.updateExpense(7, { amount: '1' }), '{"expense":{"amount":"1"}}'],
  ['DELETE /expenses/7', (api) => api.deleteExpense(7)],
]

const requestsOf = ({ requests }: TestServer) => requests.map(({ method, url }) => `${method} ${url}`)

test.each(calls)('sends %s as documented', async (request, call, body = '') => {
  const service = await serveResponse(200, JSON.stringify([entry]))
  await call(service.api())
  expect(requestsOf(service)[0]).toBe(request.replace(' ', ' /api/v1'))
  expect(service.requests[0]?.body).toBe(body)
})

const external = { ...entry, external_id: 'JIRA-1' }

test.each<[string, number, unknown, unknown]>([
  ['the entry', 200, external, 7],
  ['a list of an entry without the field', 200, [entry], 7],
  ['a list that contains it', 200, [{ ...external, id: 8, external_id: 'X' }, external], 7],
  ['nothing: an empty list', 200, [], undefined],
  ['nothing: null', 200, null, undefined],
  ['nothing: 404', 404, { error: 'not_found' }, undefined],
  ['another entry: a service without the parameter', 200, { ...external, external_id: 'X' }, undefined],
  ['nothing: 204', 204, undefined, undefined],
])('finds an entry by external ID, or none, when the response is %s', async (_, status, value, id) => {
  const service = await serveResponse(status, JSON.stringify(value))
  expect((await service.api().findTimeEntryByExternalId('JIRA-1'))?.id).toBe(id)
})

test.each([
  ['is empty', undefined],
  ['has only the ID', { id: 7 }],
  ['is about something else', { success: true }],
])('reads a record again after an update whose response %s', async (_, body) => {
  const service = await startServer((response, { method }) => {
    if (method === 'PATCH') response.end(body && JSON.stringify(body))
    else response.end(JSON.stringify(entry))
  })
  expect(await service.api().updateTimeEntry(7, { notes: 'x' })).toEqual({ record: entry, isRead: true })
  expect(requestsOf(service)).toEqual(['PATCH /api/v1/timesheets/7', 'GET /api/v1/timesheets/7'])
})

test('reads an expense from the list after an update with an empty response', async () => {
  const service = await startServer((response, { method }) => {
    if (method === 'PATCH') response.writeHead(204).end()
    else response.end('[{"id":6},{"id":7,"amount":"3"}]')
  })
  const record = { id: 7, amount: '3' }
  expect(await service.api().updateExpense('7', { amount: '3' })).toMatchObject({ record, isRead: true })
  const failure = await rejectionOf(service.api().updateExpense(8, {}))
  expect(failure).toMatchObject({ code: 'rejected', status: 204 })
})

test.each<[string, (api: Api, options?: { key: string }) => Promise<unknown>]>([
  ['a time entry', (api, options) => api.createTimeEntry({}, options)],
  ['an expense', (api, options) => api.createExpense({}, options)],
])('sends the idempotency key when %s is created', async (_, create) => {
  const service = await serveResponse(201, JSON.stringify(entry))
  await create(service.api(), { key: 'k-1' })
  await create(service.api())
  expect(service.requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['k-1', undefined])
})

const nearby = '{"spent_on_gteq":"2024-02-28","spent_on_lt":"2024-03-02"}'

test.each<[string, string | undefined, (string | null)[]]>([
  ['the days around its date', '2024-02-29', [nearby]],
  ['all days when its date is missing', undefined, [null]],
  ['all days when its date is invalid', 'soon', [null]],
])('requests a single expense from %s', async (_, on, expected) => {
  const service = await serveResponse(200, '[{"id":6},{"id":7,"amount":"3"}]')
  expect(await service.api().getExpense('7', on)).toMatchObject({ id: 7, amount: '3' })
  const queries = service.requests.map(({ url }) => new URL(url, service.origin).searchParams.get('q'))
  expect(queries).toEqual(expected)
})

test('finds a single expense that moved to another day in the whole list', async () => {
  const service = await startServer((response, { url }) =>
    response.end(url.includes('?q=') ? '[{"id":6}]' : '[{"id":6},{"id":7}]'),
  )
  expect(await service.api().getExpense(7, '2024-02-29')).toMatchObject({ id: 7 })
  expect(await rejectionOf(service.api().getExpense(8, '2024-02-29'))).toMatchObject({
    code: 'not_found',
    message: 'There is no expense 8.',
  })
})

test('reads the created entry when the response has only its ID', async () => {
  const service = await startServer((response, { method }) => {
    if (method === 'POST') response.writeHead(201).end('{"id":7}')
    else response.end(JSON.stringify([entry]))
  })
  expect(await service.api().createTimeEntry({ notes: 'Review' })).toEqual(entry)
})

test.each([
  ['', 'its response is empty'],
  ['{"success":true}', 'its response is not a valid time entry'],
  ['{"id":7,"time_start":"soon"}', 'its response is not a valid time entry'],
])('a create with the response "%s" reports that the entry may exist', async (body, message) => {
  const service = await serveResponse(201, body)
  const failure = await rejectionOf(service.api().createTimeEntry({}))
  expect(failure).toBeInstanceOf(InvalidResponseError)
  expect(failure).toMatchObject({
    code: 'rejected',
    status: 201,
    message: `The service accepted the time entry, but ${message}. The time entry may exist.`,
  })
})

test.each([401, 404, 422])(
  'the outcome of a create is unknown when reading it fails with %i',
  async (status) => {
    const service = await startServer((response, { method }) => {
      if (method === 'POST') response.writeHead(201).end('{"id":7}')
      else response.writeHead(status).end()
    })
    const failure = await rejectionOf(service.api().createTimeEntry({ notes: 'Review' }))
    expect(failure).toBeInstanceOf(InvalidResponseError)
    expect(failure.message).toContain('The time entry may exist.')
  },
)

test.each<[string, (api: Api) => Promise<unknown>]>([
  ['create', (api) => api.createTimeEntry({})],
  ['update', (api) => api.updateTimeEntry(7, {})],
  ['update of an expense', (api) => api.updateExpense(7, {})],
])('an accepted %s counts as sent when reading its record fails with 429', async (_, change) => {
  const service = await startServer((response, { method, url }) => {
    if (method === 'GET') response.writeHead(429).end()
    else if (url.endsWith('/expenses/7')) response.end()
    else response.end('{"id":7}')
  })
  expect(await rejectionOf(change(service.api()))).toMatchObject({ code: 'unreachable', isUnsent: false })
})

test.each([
  [200, ''],
  [200, '{"id":7}'],
  [204, ''],
])('a delete succeeds with status %i and the body "%s"', async (status, body) => {
  const service = await serveResponse(status, body)
  await service.api().deleteTimeEntry(7)
  await service.api().deleteExpense(7)
})

test.each([
  [200, 'deleted'],
  [404, 'Not Found'],
])('a delete has an unknown outcome with status %i and the body "%s"', async (status, body) => {
  const service = await serveResponse(status, body)
  expect(await rejectionOf(service.api().deleteTimeEntry(7))).toBeInstanceOf(InvalidResponseError)
  expect(await rejectionOf(service.api().deleteExpense(7))).toBeInstanceOf(InvalidResponseError)
})

test.each(['', '.', '..'])('the ID "%s" never becomes the path of a list', async (id) => {
  const service = await serveResponse(200, '[]')
  expect(await rejectionOf(service.api().deleteTimeEntry(id))).toMatchObject({ code: 'not_found' })
  expect(service.requests).toEqual([])
})

test('a raw request returns the response unchanged', async () => {
  const service = await serveResponse(200, '{"a":[{"time_start":1}]}', { 'x-total-count': '1' })
  const response = await service.api().raw('GET', '/anything', { query: { q: '{}' } })
  expect(response.value).toEqual({ a: [{ time_start: 1 }] })
  expect(response.headers.get('x-total-count')).toBe('1')
})

test('any JSON response gives a result or a TtError', { tags: 'slow' }, async () => {
  const value = fc.jsonValue()
  const record = fc.dictionary(
    fc.constantFrom(
      ...['id', 'time_start', 'time_end', 'task_link', 'task_link_id', 'project', 'amount', 'name', 'active'],
    ),
    fc.oneof(value, fc.nat(), fc.constant('2024-05-01')),
  )
  const expenses = record.map((expense) => ({ expense }))
  const bodies = fc.oneof(value, record, fc.array(record), expenses)
  const statuses = fc.constantFrom(200, 200, 201, 401, 403, 404, 409, 422, 429, 500)
  let response = new Response()
  const baseUrl = 'http://localhost/api/v1'
  const fetch = async () => response.clone()
  const api = createApi(createHttp({ baseUrl, token: () => 'local', userAgent: 'tt', fetch }))
  await fc.assert(
    fc.asyncProperty(bodies, statuses, async (body, status) => {
      response = new Response(JSON.stringify(body), { status })
      for (const [, call] of calls) {
        await call(api).catch((error: unknown) => expect(error).toBeInstanceOf(TtError))
      }
    }),
    { numRuns: 200 },
  )
})
