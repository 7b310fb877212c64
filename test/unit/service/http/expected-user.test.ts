import { beforeEach, describe, expect, test } from 'vitest'
import { scopes } from '../../../../src/api-client/types.js'
import { authenticateByToken } from '../../../../src/service/accounts/authentication.js'
import * as administration from '../../../../src/service/admin/administration.js'
import { type App, createApp } from '../../../../src/service/http/app.js'
import type { RequestTrace } from '../../../../src/service/http/request-context.js'
import { RecordBatches } from '../../../../src/service/http/response.js'
import { collectionRoutes, recordRoutes } from '../../../../src/service/http/routes.js'
import { assignSql, identifier, sql } from '../../../../src/service/storage/sql.js'
import {
  createServiceFixture,
  databases,
  now,
  observed,
  type ServiceFixture,
  useDatabase,
} from '../fixtures.js'

describe.each(databases)('%s', (_, open) => {
  const database = useDatabase(open)
  let at: ServiceFixture
  let app: App
  let token: string
  let time: Date
  let trace: RequestTrace
  /** The statements of the last request, outside of transactions. */
  let statements: string[]
  beforeEach(prepare)

  async function prepare() {
    const { storage } = database
    at = await createServiceFixture(storage)
    time = now
    const clock = () => time
    token = await administration.issueToken(storage, 'a@example.org', { scopes, name: 'test', clock })
    const queries = observed(storage.queries, ({ texts }) => statements.push(texts.join('?').trim()))
    app = createApp({ storage: { queries }, clock, ...authenticateByToken({ queries }, clock) })
  }

  /** Sends a request as the listener passes it on. */
  async function send(method: string, path: string, body?: unknown): Promise<[number, unknown]> {
    statements = []
    trace = { id: 'x' }
    const text = body === undefined ? '' : JSON.stringify(body)
    const headers = new Headers({ Authorization: `Bearer ${token}`, 'Content-Length': `${text.length}` })
    const response = await app.serve(
      { method, url: `http://local/api/v1${path}`, headers, text: async () => text, isRepeatable: true },
      { trace },
    )
    const sent = response.body instanceof RecordBatches ? await response.body.text() : response.body
    return [response.status, typeof sent === 'string' ? JSON.parse(sent) : sent]
  }
  const entry = (fields?: object) => at.createBody('/timesheets', fields)
  const notes = () =>
    database.storage.queries.all(sql`select notes from time_entries union all select notes from expenses`)

  test('one statement checks a known token and reads or changes the record', async () => {
    const [status, created] = await send('POST', '/timesheets', entry())
    expect([status, statements.length]).toEqual([201, 3])
    const path = `/timesheets/${(created as { id: number }).id}`
    const requests: [string, string, unknown?][] = [
      ['GET', path],
      ['GET', '/timesheets?per_page=50'],
      ['GET', `/timesheets?q=${encodeURIComponent('{"time_start_gteq":"2024-05-06"}')}`],
      ['PATCH', path, { notes: 'a' }],
      ['POST', '/timesheets', entry()],
    ]
    for (const [method, address, body] of requests) {
      const [outcome, value] = await send(method, address, body)
      expect([method, address, outcome < 400, statements.length]).toEqual([method, address, true, 1])
      expect(Object.keys([value].flat()[0] as object)).toEqual(Object.keys(created as object))
      expect([trace.userId]).toEqual([at.users[0]])
    }
    // Without a record, the token may be the reason.
    expect([(await send('GET', '/timesheets/999999'))[0], statements.length]).toEqual([404, 2])
  })

  test('reads have the same records and totals as before', async () => {
    for (const day of [1, 2, 3]) await send('POST', '/timesheets', entry({ time_start: `2024-05-0${day}` }))
    for (const hour of [7, 8, 9])
      await send('POST', '/timesheets', entry({ time_start: `2024-05-01T0${hour}:00:00Z`, notes: 'ü"' }))
    const pages = ['/timesheets?per_page=2', '/timesheets?per_page=2&page=2']
    for (const path of ['/timesheets', ...pages, '/projects']) {
      const ordinary = await app.fetch(
        new Request(`http://local/api/v1${path}`, { headers: { Authorization: `Bearer ${token}` } }),
      )
      expect((await send('GET', path))[1]).toEqual(await ordinary.json())
    }
  })

  const changes: [string, () => Promise<unknown>][] = [
    ['revoked', () => update('tokens', { revoked_at: 1 })],
    ['of a deactivated user', () => update('users', { active: 0 })],
    ['expired by an administrator', () => update('tokens', { expires_at: now.getTime() })],
    ['deleted', () => database.storage.queries.all(sql`delete from tokens`)],
    [
      'a legacy key that is not accepted any more',
      async () => {
        await update('tokens', { kind: 'key' })
        await send('GET', '/projects')
        await update('company', { legacy_keys: 0 })
      },
    ],
    [
      'a legacy key that is too old now',
      async () => {
        await update('tokens', { kind: 'key', created_at: now.getTime() - 3 * 86_400_000 })
        await send('GET', '/projects')
        await update('company', { legacy_key_days: 2 })
      },
    ],
  ]
  const update = (table: 'tokens' | 'users' | 'company', values: Record<string, unknown>) =>
    database.storage.queries.all(sql`update ${identifier(table)} set ${assignSql(values)}`)

  const bodies = (): Readonly<Record<string, unknown>> => ({
    'POST /timesheets': entry({ notes: 'after' }),
    'PATCH /timesheets': { notes: 'after' },
    'POST /expenses': at.createBody('/expenses', { notes: 'after' }),
    'PATCH /expenses': { expense: { notes: 'after' } },
  })
  type Request = [method: string, path: string, body?: unknown]
  /** The IDs of the user's records, by the path of their collection. */
  type Ids = Readonly<Record<string, number>>

  async function createRecords(): Promise<Ids> {
    const create = async (path: string, body: unknown) =>
      ((await send('POST', path, body))[1] as { id: number }).id
    return {
      '/timesheets': await create('/timesheets', entry({ notes: 'before', external_id: 'before' })),
      '/expenses': await create('/expenses', at.createBody('/expenses', { notes: 'before' })),
    }
  }

  /** A request of each method to each route. */
  const allRequests = (ids: Ids): Request[] =>
    [
      ...Object.entries(collectionRoutes).map(([path, methods]) => ({ path, methods, end: '' })),
      ...Object.entries(recordRoutes).map(([path, methods]) => ({ path, methods, end: `/${ids[path]}` })),
    ].flatMap(({ path, methods, end }) =>
      Object.keys(methods).map((method): Request => {
        const query = path.endsWith('find_by_external_id') ? '?external_id=before' : ''
        return [method, `${path}${end}${query}`, bodies()[`${method} ${path}`]]
      }),
    )

  /** Requests that need other statements, or none. */
  const furtherRequests = (ids: Ids): Request[] => [
    ['GET', '/timesheets?per_page=1'],
    ['GET', '/timesheets?per_page=1&page=2'],
    ['GET', '/timesheets?per_page=0'],
    ['GET', '/timesheets/999999'],
    ['POST', '/timesheets', entry({ external_id: 'before' })],
    ['POST', '/timesheets', { notes: 1 }],
    ['PATCH', `/timesheets/${ids['/timesheets']}`, { external_id: 'x' }],
    ['PATCH', `/timesheets/${ids['/timesheets']}`, { notes: 1 }],
    ['DELETE', '/timesheets/999999'],
  ]

  test.each(changes)('a request with a known token that is %s has no effect', async (_name, change) => {
    let requests: Request[] | undefined
    for (let index = 0; index < (requests?.length ?? 1); index++) {
      await prepare()
      const ids = await createRecords()
      requests = [...allRequests(ids), ...furtherRequests(ids)]
      await change()
      const [method, path, body] = requests[index] as Request
      expect([method, path, ...(await send(method, path, body))]).toEqual([method, path, 401, null])
      expect(trace.userId).toBeUndefined()
      expect(await notes()).toEqual([{ notes: 'before' }, { notes: 'before' }])
    }
  })

  test('a request to each route has a result while its token is valid', async () => {
    for (const [method, path, body] of allRequests(await createRecords())) {
      const [status] = await send(method, path, body)
      expect([method, path, status < 300]).toEqual([method, path, true])
    }
  })

  test('a known token expires', async () => {
    await update('tokens', { kind: 'oauth', expires_at: now.getTime() + 1000 })
    expect((await send('GET', '/projects'))[0]).toBe(200)
    time = new Date(now.getTime() + 999)
    expect((await send('GET', '/projects'))[0]).toBe(200)
    time = new Date(now.getTime() + 1000)
    expect((await send('GET', '/projects'))[0]).toBe(401)
  })

  test('the use of a known token is recorded each hour', async () => {
    const usedAt = async () =>
      (await database.storage.queries.all<{ used_at: number }>(sql`select used_at from tokens`))[0]?.used_at
    for (const minutes of [0, 59.9999, 60, 119, 120]) {
      time = new Date(now.getTime() + minutes * 60_000)
      await send('GET', '/projects')
      const recorded = Math.floor(minutes / 60) * 60
      expect([minutes, await usedAt()]).toEqual([minutes, now.getTime() + recorded * 60_000])
    }
  })

  test('a new time zone of the company applies at once', async () => {
    await send('POST', '/timesheets', entry({ time_start: '2024-05-07T23:00:00Z' }))
    const path = `/timesheets?q=${encodeURIComponent('{"time_start_gteq":"2024-05-08"}')}`
    expect((await send('GET', path))[1]).toHaveLength(1)
    await update('company', { time_zone: 'UTC' })
    expect((await send('GET', path))[1]).toHaveLength(0)
  })

  test('a new visibility of the company applies at once', async () => {
    await send('GET', '/projects')
    await update('company', { visibility: 'assigned' })
    expect((await send('GET', '/projects'))[1]).toEqual([])
    expect((await send('POST', '/timesheets', entry()))[0]).toBe(422)
    await update('company', { visibility: 'open' })
    expect((await send('GET', '/projects'))[1]).not.toEqual([])
    expect((await send('POST', '/timesheets', entry()))[0]).toBe(201)
  })

  test('a known token with too few permissions is rejected as before', async () => {
    token = await administration.issueToken(database.storage, 'a@example.org', {
      ...{ scopes: ['service:read'], name: 'reader', clock: () => time },
    })
    for (let round = 1; round <= 2; round++) {
      expect((await send('GET', '/projects'))[0]).toBe(200)
      expect((await send('POST', '/timesheets', entry()))[0]).toBe(403)
      expect((await send('DELETE', '/projects'))[0]).toBe(405)
    }
    await update('tokens', { scopes: 'service:write' })
    expect((await send('GET', '/projects'))[0]).toBe(403)
    expect((await send('POST', '/timesheets', entry()))[0]).toBe(201)
  })
})
