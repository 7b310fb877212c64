import { describe, expect, it, onTestFinished, test, vi } from 'vitest'
import { createApi } from '../../../../src/api-client/endpoints.js'
import { createHttp } from '../../../../src/api-client/http/client.js'
import { identifier, sql } from '../../../../src/service/storage/sql.js'
import { newProfile } from '../../import-export/importer/fixtures.js'
import {
  createServiceFixture,
  databases,
  observed,
  q,
  sendTo,
  temporaryPostgres,
  useDatabase,
  useServiceFixture,
  usesPostgresServer,
  waitsForLock,
} from '../fixtures.js'

const start = '2024-05-08T09:30:00+02:00'

describe.each(databases)('the Idempotency-Key over %s', (_, open) => {
  const database = useDatabase(open)
  const at = useServiceFixture(database)

  /** Creates a record with this key; returns the status and the record or error. */
  const post = async (path: string, key: string, fields: object | string, user?: number) => {
    const text = path === '/expenses' ? `{"expense": ${fields}}` : fields
    const own = typeof fields === 'string' ? text : at.createBody(path, fields)
    const response = await at.send('POST', path, own, user, { 'Idempotency-Key': key })
    return [response.status, await response.json()] as [number, Record<string, unknown>]
  }

  describe.each(['/timesheets', '/expenses'])('of POST %s', (path) => {
    it('returns the stored record and changes nothing', async () => {
      const [status, first] = await post(path, 'k-1', { notes: 'first', external_id: null })
      expect(status).toBe(201)
      expect(await post(path, 'k-1', { external_id: null, notes: 'first' })).toEqual([200, first])
      expect(await (await at.get(path)).json()).toEqual([first])
    })

    it.each([
      ['another value', { notes: 'second' }],
      ['a missing field', {}],
      ['a further field', { notes: 'first', external_id: 'X-1' }],
      ['an invalid value', { notes: ['first'] }],
      ['deeply nested values', `{"notes": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ])('rejects a request with %s', async (_, fields) => {
      const [, first] = await post(path, 'k-1', { notes: 'first' })
      const [status, { errors }] = await post(path, 'k-1', fields)
      expect([status, errors]).toEqual([
        422,
        { 'Idempotency-Key': [expect.stringContaining('other fields')] },
      ])
      expect(await (await at.get(path)).json()).toEqual([first])
    })

    it('returns a record of an earlier version, whose fields are unknown', async () => {
      const [, first] = await post(path, 'k-1', { notes: 'first' })
      const table = path === '/expenses' ? 'expenses' : 'time_entries'
      await database.storage.queries.all(sql`update ${identifier(table)} set idempotency_fingerprint = null`)
      const stored = { ...first, etag: expect.any(String) }
      expect(await post(path, 'k-1', { notes: 'second' })).toEqual([200, stored])
    })

    it('creates one record for parallel requests', async () => {
      const responses = await Promise.all([1, 2, 3, 4].map(() => post(path, 'k-1', {})))
      expect(responses.map(([status]) => status).sort()).toEqual([200, 200, 200, 201])
      expect(new Set(responses.map(([, { id }]) => id)).size).toBe(1)
      expect(await at.ids(path)).toHaveLength(1)
    })

    it('belongs to one user', async () => {
      const [, own] = await post(path, 'k-1', {})
      const [status, other] = await post(path, 'k-1', {}, at.users[1])
      expect(status).toBe(201)
      expect(other.id).not.toBe(own.id)
      expect(await post(path, 'k-1', {}, at.users[1])).toEqual([200, other])
      expect(await post(path, 'k-1', {})).toEqual([200, own])
    })

    it('is neither returned nor accepted as a field', async () => {
      const [, record] = await post(path, 'k-1', { idempotency_key: 'k-2' })
      expect(Object.keys(record)).not.toContain('idempotency_key')
      expect((await at.get(`${path}?${q({ idempotency_key_eq: 'k-1' })}`)).status).toBe(400)
      expect((await post(path, 'k-2', {}))[0]).toBe(201)
    })

    it('does not change the response for an external ID in use', async () => {
      const [, first] = await post(path, 'k-1', { external_id: 'X-1' })
      expect(await post(path, 'k-2', { external_id: 'X-1' })).toEqual([200, first])
      expect(await post(path, 'k-1', { external_id: 'X-1' })).toEqual([200, first])
    })

    it('prevents a repeated request from restoring a deleted record', async () => {
      const [, { id }] = await post(path, 'k-1', {})
      expect((await at.send('DELETE', `${path}/${id}`)).status).toBe(204)
      const [status, { errors }] = await post(path, 'k-1', {})
      expect([status, errors]).toEqual([409, { 'Idempotency-Key': [expect.stringContaining('deleted')] }])
      expect(await at.ids(path)).toEqual([])
      expect((await post(path, 'k-1', {}, at.users[1]))[0]).toBe(201)
    })

    it('can be used again after a rejected request', async () => {
      expect((await post(path, 'k-1', { notes: 5 }))[0]).toBe(422)
      expect((await post(path, 'k-1', {}))[0]).toBe(201)
    })

    it.each([
      ['empty', ''],
      ['too long', 'k'.repeat(256)],
      ['with a space', 'k 1'],
      ['with other than ASCII', 'k\u00e9'],
    ])('is rejected when it is %s', async (_, key) => {
      const [status, { message }] = await post(path, key, {})
      expect([status, message]).toEqual([400, expect.stringContaining('Idempotency-Key')])
      expect(await at.ids(path)).toEqual([])
    })

    it.each(['k'.repeat(255), '"8e03978e-40d5-43e8-bc93-6894a57f9324"'])('may be %s', async (key) => {
      expect((await post(path, key, {}))[0]).toBe(201)
    })
  })

  it('is found by a request that loses the race between check and insert', async () => {
    const { queries } = database.storage
    let first: Promise<unknown> | undefined
    const late = observed(queries, async ({ texts: [text = ''] }) => {
      // The request that found no record inserts only after another request has inserted.
      if (/^\s*insert into "time_entries"/.test(text)) first ??= post('/timesheets', 'k-1', {})
      await first
    })
    const response = await sendTo({ storage: { queries: late } }, at.users[0], '/timesheets', {
      ...{ method: 'POST', headers: { 'Idempotency-Key': 'k-1' } },
      body: { time_start: start, task_link_id: at.link },
    })
    expect(response.status).toBe(200)
    expect(await first).toEqual([201, await response.json()])
  })
})

test.runIf(usesPostgresServer)(
  'a create that is repeated during the deletion of its record over PostgreSQL does not restore it',
  async () => {
    const { storage, close } = await temporaryPostgres()
    onTestFinished(close)
    const at = await createServiceFixture(storage)
    const post = () =>
      at.send('POST', '/timesheets', { time_start: start, task_link_id: at.link }, at.users[0], {
        'Idempotency-Key': 'k-1',
      })
    expect((await post()).status).toBe(201)
    let isAnswered = false
    const repeated = await storage.queries.transaction(async (transaction) => {
      await transaction.all(sql`delete from time_entries`)
      await transaction.all(sql`
        insert into spent_keys (user_id, records, idempotency_key) values (${at.users[0]}, 'time_entries', 'k-1')`)
      const response = post().finally(() => {
        isAnswered = true
      })
      await vi.waitUntil(async () => isAnswered || (await waitsForLock(storage)))
      return { response }
    })
    // The request comes before the deletion.
    expect((await repeated.response).status).toBe(200)
    expect(await at.ids('/timesheets')).toEqual([])
  },
)

test('a request to the local workspace has headers, such as the Idempotency-Key', async () => {
  const { fetch } = (await newProfile()).workspace
  const baseUrl = 'http://localhost/api/v1'
  const api = createApi(createHttp({ baseUrl, token: () => 'local', userAgent: 'tt', fetch }))
  const create = () => api.createExpense({ spent_on: '2024-05-08', amount: '3' }, { key: 'k-1' })
  expect((await create()).id).toBe((await create()).id)
  expect(await api.listExpenses()).toHaveLength(1)
})
