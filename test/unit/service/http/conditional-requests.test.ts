import { describe, expect, it, onTestFinished } from 'vitest'
import { allowedVersions, checkVersion } from '../../../../src/service/resources/fields.js'
import { identifier, sql } from '../../../../src/service/storage/sql.js'
import {
  createServiceFixture,
  databases,
  observed,
  preparedSqlite,
  q,
  type ServiceFixture,
  sendTo,
  useDatabase,
  useServiceFixture,
} from '../fixtures.js'

type Fields = Record<string, unknown>
type Stored = Fields & { id: number; etag: string }

const paths = ['/timesheets', '/expenses'] as const
type Path = (typeof paths)[number]

/** Returns the body of a request with these fields. */
const bodyOf = (path: Path, fields: Fields) => (path === '/expenses' ? { expense: fields } : fields)

async function createRecord(at: ServiceFixture, path: Path, fields: Fields = {}): Promise<Stored> {
  const response = await at.send('POST', path, at.createBody(path, fields))
  expect(response.status).toBe(201)
  return (await response.json()) as Stored
}

describe('If-Match of a record with the tag "7"', () => {
  const check = (header: string | null) =>
    checkVersion(
      allowedVersions({ method: 'PATCH', url: '', headers: { get: () => header }, text: async () => '' }),
      ...([7, 'record'] as const),
    )

  it.each([null, '"7"', '  "7"\t', '*', '"x", "7","1"', ',, ,"7" ,', 'W/"7", "7"', '"a,b", "7"'])(
    '%j allows a change',
    (header) => {
      expect(() => check(header)).not.toThrow()
    },
  )

  it.each([
    ...['"1"', '"33a64df5"', '"07"', 'W/"7"', '"1", W/"7", ""', '7', '"7", other', '"7", *', '"7" "7"'],
    ...['', ' , ,', '"99999999999999999999"'],
  ])('%j prevents a change', (header) => {
    expect(() => check(header)).toThrow(expect.objectContaining({ status: 412 }))
  })
})

describe.each(databases)('entity tags over %s', (_, open) => {
  const database = useDatabase(open)
  const at = useServiceFixture(database)

  const change = (path: Path, id: number, fields: Fields, ifMatch?: string) =>
    at.send(
      'PATCH',
      `${path}/${id}`,
      bodyOf(path, fields),
      undefined,
      ifMatch === undefined ? {} : { 'If-Match': ifMatch },
    )
  const remove = (path: Path, id: number, ifMatch: string, user?: number) =>
    at.send('DELETE', `${path}/${id}`, undefined, user, { 'If-Match': ifMatch })
  const list = async (path: string) => (await (await at.get(path)).json()) as Stored[]
  const stored = async (path: Path, id: number) => (await list(`${path}?${q({ id_eq: id })}`))[0] as Stored

  describe.each(paths)('of %s', (path) => {
    it('are fields of every record, and headers of responses with one', async () => {
      const fields = at.createBody(path, { external_id: 'x' })
      const create = () => at.send('POST', path, fields, undefined, { 'Idempotency-Key': 'k-1' })
      const response = await create()
      const created = (await response.json()) as Stored
      expect(created.etag).toMatch(/^"[1-9]\d*"$/)
      expect(response.headers.get('ETag')).toBe(created.etag)
      const updated = await change(path, created.id, { notes: 'new' })
      const changed = (await updated.json()) as Stored
      const { etag } = changed
      expect(updated.headers.get('ETag')).toBe(etag)
      expect(etag).not.toBe(created.etag)
      const again = await create()
      expect([again.status, again.headers.get('ETag'), await again.json()]).toEqual([200, etag, changed])
      for (const query of ['', '?per_page=1', `?${q({ etag_eq: etag })}`])
        expect(await list(`${path}${query}`)).toMatchObject([{ etag }])
      if (path === '/expenses') return
      for (const one of [`/${created.id}`, '/find_by_external_id?external_id=x']) {
        const shown = await at.get(`${path}${one}`)
        expect(shown.headers.get('ETag')).toBe(etag)
        expect(await shown.json()).toMatchObject([{ etag }])
      }
    })

    it('differ after every change of the service or of another program', async () => {
      const { id, etag } = await createRecord(at, path)
      const table = path === '/expenses' ? 'expenses' : 'time_entries'
      const seen = [etag]
      const changes = [
        () => change(path, id, { notes: 'one' }),
        () => change(path, id, { notes: 'one' }),
        () => change(path, id, {}),
        () => change(path, id, { external_id: 'x' }),
        () => database.storage.queries.all(sql`update ${identifier(table)} set notes = 'two'`),
        () => database.storage.queries.all(sql`update ${identifier(table)} set notes = 'two'`),
      ]
      for (const apply of changes) {
        await apply()
        seen.push((await stored(path, id)).etag)
      }
      expect(new Set(seen).size).toBe(changes.length + 1)
      const other = await createRecord(at, path)
      expect(other.etag).not.toBe(etag)
    })

    it('prevent or allow changes and deletions', async () => {
      const record = await createRecord(at, path)
      const { id, etag } = record
      const noun = path === '/expenses' ? 'expense' : 'time entry'
      const problem = `does not contain the entity tag of the ${noun}`
      for (const header of ['"1"', `W/${etag}`])
        for (const response of [
          await change(path, id, { notes: 'new' }, header),
          await remove(path, id, header),
        ]) {
          expect(response.status).toBe(412)
          expect(await response.json()).toEqual({
            error: 'precondition_failed',
            message: `If-Match ${problem}.`,
            errors: { 'If-Match': [problem] },
          })
        }
      expect(await list(path)).toEqual([record])
      const changed = await change(path, id, { notes: 'new' }, `"1", ${etag}`)
      expect([changed.status, await changed.json()]).toMatchObject([200, { notes: 'new' }])
      const removed = await remove(path, id, `"1", ${changed.headers.get('ETag')}`)
      expect(removed.status).toBe(204)
      expect(await list(path)).toEqual([])
    })

    it('are compared after access and existence, and before the fields', async () => {
      const { id, etag } = await createRecord(at, path)
      expect((await remove(path, 999_999, etag)).status).toBe(404)
      expect((await remove(path, 999_999, '*')).status).toBe(404)
      expect((await remove(path, id, '"1"', at.users[1])).status).toBe(404)
      expect((await change(path, 999_999, {}, etag)).status).toBe(404)
      expect((await change(path, id, { notes: 5 }, '"1"')).status).toBe(412)
      expect((await change(path, id, { notes: 5 }, etag)).status).toBe(422)
      await createRecord(at, path, { external_id: 'x' })
      expect((await change(path, id, { external_id: 'x' }, '"1"')).status).toBe(412)
      expect((await change(path, id, { external_id: 'x' }, etag)).status).toBe(409)
      const unreadable = await at.send('PATCH', `${path}/${id}`, '{', undefined, { 'If-Match': '"1"' })
      expect(unreadable.status).toBe(400)
      expect((await stored(path, id)).etag).toBe(etag)
    })

    it.each([
      ['by several clients', {}],
      ['by several clients, which need a transaction', { external_id: 'x' }],
    ])('let one of several changes at once win: %s', async (_, fields) => {
      for (let round = 0; round < 10; round++) {
        const { id, etag } = await createRecord(at, path)
        const responses = await Promise.all(
          Array.from({ length: 6 }, (_, number) => change(path, id, { ...fields, notes: `${number}` }, etag)),
        )
        expect(responses.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412, 412])
        const winner = responses.find(({ status }) => status === 200)
        expect(await stored(path, id)).toEqual(await winner?.json())
        await remove(path, id, '*')
      }
    })

    it('let either a change or a deletion win', async () => {
      for (let round = 0; round < 10; round++) {
        const { id, etag } = await createRecord(at, path)
        const both = [change(path, id, { notes: 'new' }, etag), remove(path, id, etag)]
        const [changed, removed] = (await Promise.all(both)).map(({ status }) => status)
        expect([
          [200, 412],
          [404, 204],
        ]).toContainEqual([changed, removed])
      }
    })
  })

  it.each([
    ...[{ etag_eq: '1' }, { etag_eq: 1 }, { etag_eq: true }, { etag_eq: 'W/"1"' }],
    ...[{ etag_gteq: '"1"' }, { etag_lt: '"1"' }, { etag_cont: '"1"' }, { version_eq: 1 }],
  ])('reject the filter %j', async (filter) => {
    for (const path of paths) {
      const response = await at.get(`${path}?${q(filter)}`)
      expect([response.status, await response.json()]).toMatchObject([400, { error: 'invalid_query' }])
    }
  })

  it('belong to no other record than entries and expenses', async () => {
    expect((await at.get('/task_links')).headers.get('ETag')).toBeNull()
    expect((await at.get('/timesheets')).headers.get('ETag')).toBeNull()
    expect(await (await at.get('/projects')).json()).toEqual([expect.not.objectContaining({ etag: '' })])
  })

  it('are compared again in the statement that changes the record', async () => {
    const { queries } = database.storage
    const record = await createRecord(at, '/timesheets')
    let first: Promise<Response> | undefined
    const late = observed(queries, async ({ texts: [text = ''] }) => {
      if (/^\s*update "time_entries"/.test(text))
        first ??= change('/timesheets', record.id, { notes: 'first' })
      await first
    })
    const response = await sendTo({ storage: { queries: late } }, at.users[0], `/timesheets/${record.id}`, {
      ...{ method: 'PATCH', headers: { 'If-Match': record.etag }, body: { notes: 'second' } },
    })
    expect([(await first)?.status, response.status]).toEqual([200, 412])
    expect((await stored('/timesheets', record.id)).notes).toBe('first')
  })
})

describe('entity tags of a restored database', () => {
  const openCopy = preparedSqlite(async (storage) => {
    const at = await createServiceFixture(storage)
    return { users: at.users, link: at.link, record: await createRecord(at, '/expenses') }
  })

  /** Changes a record and creates another one in a copy of the same database; returns both. */
  async function continueCopy(): Promise<Stored[]> {
    const { storage, prepared, close } = await openCopy()
    onTestFinished(close)
    const { users, record } = prepared
    const send = async (method: string, path: string, notes: string) => {
      const body = { expense: { spent_on: '2024-05-08', amount: 1, notes } }
      return (await (await sendTo({ storage }, users[0], path, { method, body })).json()) as Stored
    }
    return [await send('PATCH', `/expenses/${record.id}`, 'x'), await send('POST', '/expenses', 'y')]
  }

  it('never equal those of other contents with the same ID', async () => {
    const [before, after] = [await continueCopy(), await continueCopy()]
    expect(before.map(({ id }) => id)).toEqual(after.map(({ id }) => id))
    expect(new Set([...before, ...after].map(({ etag }) => etag)).size).toBe(4)
  })
})
