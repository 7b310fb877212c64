import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Scope } from '../../../../src/api-client/types.js'
import { TtError } from '../../../../src/lib/errors.js'
import { authenticateByToken } from '../../../../src/service/accounts/authentication.js'
import * as administration from '../../../../src/service/admin/administration.js'
import { createApp } from '../../../../src/service/http/app.js'
import { literal, sql } from '../../../../src/service/storage/sql.js'
import { describedApp } from '../../../support/described-responses.js'
import {
  clock,
  createServiceFixture,
  type Database,
  type ServiceFixture,
  sendTo,
  temporarySqlite,
} from '../fixtures.js'

let database: Database
let at: ServiceFixture
beforeEach(async () => {
  database = await temporarySqlite()
  at = await createServiceFixture(database.storage)
})
afterEach(() => database.close())

const ask = async (authorization?: string, method = 'GET', path = '/api/v1/timesheets') => {
  const app = createApp({
    storage: database.storage,
    clock,
    ...authenticateByToken(database.storage, clock),
  })
  const headers: Record<string, string> = authorization === undefined ? {} : { Authorization: authorization }
  return describedApp(app).fetch(new Request(`http://local${path}`, { method, headers }))
}
const issue = (scopes: Scope[]) =>
  administration.issueToken(database.storage, 'a@example.org', { scopes, name: 'test', clock })

it('responds 401 with an empty body and a challenge to a missing or unknown token', async () => {
  for (const authorization of [undefined, '', 'Basic YTpi', 'Bearer', 'Bearer a b']) {
    const response = await ask(authorization)
    expect([response.status, await response.text()]).toEqual([401, ''])
    expect(response.headers.get('WWW-Authenticate')).toBe('Bearer realm="tt"')
  }
  expect((await ask(undefined, 'PUT')).status).toBe(401)
  const response = await ask('Bearer tt_unknown')
  expect([response.status, await response.text()]).toEqual([401, ''])
  expect(response.headers.get('WWW-Authenticate')).toBe('Bearer realm="tt", error="invalid_token"')
})

it('responds 403 as documented when the scope is missing', async () => {
  const reads = await issue(['service:read'])
  const writes = await issue(['service:write'])
  const none = await issue([])
  expect((await ask(`bearer ${reads}`)).status).toBe(200)
  const head = await ask(`Bearer ${reads}`, 'HEAD')
  expect([head.status, await head.text(), head.headers.get('Content-Type')]).toEqual([
    ...[200, '', expect.stringContaining('json')],
  ])
  for (const response of [
    await ask(`Bearer ${writes}`),
    await ask(`Bearer ${none}`),
    await ask(`Bearer ${reads}`, 'POST'),
    await ask(`Bearer ${reads}`, 'DELETE', '/api/v1/expenses/1'),
  ]) {
    expect([response.status, await response.text()]).toEqual([403, '{"error":"insufficient_scope"}'])
    expect(response.headers.get('WWW-Authenticate')).toContain('error="insufficient_scope"')
  }
})

it('responds 404 and 405 in JSON', async () => {
  for (const path of ['/nothing', '/timesheets/abc', '/timesheets/-1', '/timesheets/0', '/expenses/1.5']) {
    const response = await at.get(path)
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ error: 'not_found', errors: {} })
  }
  expect((await at.get(`/timesheets/${'9'.repeat(30)}`)).status).toBe(404)
  for (const [method, path, allow] of [
    ['PUT', '/timesheets', 'GET, HEAD, POST'],
    ['POST', '/companies', 'GET, HEAD'],
    ['GET', '/expenses/1', 'PATCH, DELETE'],
    ['OPTIONS', '/timesheets/1', 'GET, HEAD, PATCH, DELETE'],
  ] as const) {
    const response = await at.send(method, path)
    expect([response.status, response.headers.get('Allow')]).toEqual([405, allow])
    expect(await response.json()).toMatchObject({ error: 'method_not_allowed' })
    expect(response.headers.get('If-Match-Supported')).toBe('?1')
  }
})

it('forbids caching, and to guess the type, of every response', async () => {
  const token = await issue(['service:read'])
  const responses = [
    ...[await at.get('/tasks'), await at.get('/nothing'), await at.send('DELETE', '/expenses/1')],
    ...[await ask(), await ask(`Bearer ${token}`), await ask(`Bearer ${token}`, 'POST')],
    await ask('', 'GET', '/nonesuch'),
  ]
  expect(responses.map(({ status }) => status)).toEqual([200, 404, 404, 401, 200, 403, 404])
  for (const { headers } of responses)
    expect([headers.get('Cache-Control'), headers.get('X-Content-Type-Options')]).toEqual([
      'no-store',
      'nosniff',
    ])
})

it('rejects a body that is not a JSON object or larger than 1 MiB', async () => {
  for (const body of ['', '{', '[]', '"x"', 'null', '1']) {
    const response = await at.send('POST', '/timesheets', body)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: 'bad_request' })
  }
  const large = { notes: 'x'.repeat(1024 * 1024) }
  for (const headers of [{}, { 'Content-Length': String(JSON.stringify(large).length) }]) {
    const options = { method: 'POST', headers, body: JSON.stringify(large) }
    const response = await describedApp(at.app).fetch(new Request('http://local/api/v1/timesheets', options))
    expect(response.status).toBe(413)
    expect(await response.json()).toMatchObject({ error: 'too_large', errors: {} })
  }
})

it('passes internal errors to onError and hides them from the client', async () => {
  await database.storage.queries.all(sql`alter table company rename to elsewhere`)
  const response = await at.get('/companies')
  expect(response.status).toBe(500)
  expect(await response.json()).toEqual({ error: 'internal', message: 'The service failed.', errors: {} })
  const cause = expect.objectContaining({ message: expect.stringContaining('company') })
  expect(at.errors).toEqual([expect.objectContaining({ cause })])
})

it('reports a full disk', async () => {
  const { queries } = database.storage
  const [size] = await queries.all<{ page_count: number }>(sql`pragma page_count`)
  await queries.all(sql`pragma max_page_count = ${literal(size?.page_count ?? 0)}`)
  const body = { time_start: '2024-05-08T08:00:00Z', task_link_id: at.link, notes: 'x'.repeat(60_000) }
  const response = await at.send('POST', '/timesheets', body)
  expect(response.status).toBe(507)
  expect(await response.json()).toMatchObject({
    error: 'internal',
    message: expect.stringMatching(/disk is full/),
  })
  expect(at.errors[0]).toBeInstanceOf(TtError)
  await queries.all(sql`pragma max_page_count = 1073741823`)
  expect((await at.send('POST', '/timesheets', body)).status).toBe(201)
})

it.each([
  ['the public URL', 'https://time.example.com'],
  ['no host of the request without a public URL', undefined],
])('uses %s for addresses in responses', async (_, publicUrl) => {
  const linkOf = async (path: string) =>
    (await sendTo({ storage: database.storage, publicUrl }, 1, path)).headers.get('Link')
  const list = `${publicUrl ?? ''}/api/v1/timesheets`
  expect(await linkOf('/timesheets?q=%7B%7D')).toBe(`<${list}?q=%7B%7D>; rel="first last"`)
  const page = `${list}?per_page=5&page=1`
  expect(await linkOf('/timesheets?per_page=5')).toBe(`<${page}>; rel="first", <${page}>; rel="last"`)
  expect(await linkOf('/timesheets/most_used_tasks')).toBe(`<${list}/most_used_tasks>; rel="first last"`)
})
