import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createApi } from '../../src/api-client/endpoints.js'
import { createHttp } from '../../src/api-client/http/client.js'
import { entryTimesType, scopes } from '../../src/api-client/types.js'
import { type App, createApp } from '../../src/service/http/app.js'
import { listen } from '../../src/service/http/listener.js'
import { insertInto, sql } from '../../src/service/storage/sql.js'
import {
  clock,
  createServiceFixture,
  databases,
  q,
  type ServiceFixture,
  useDatabase,
} from '../unit/service/fixtures.js'

describe.each(databases)('lists over %s', (_, open) => {
  const database = useDatabase(open)
  let at: ServiceFixture
  beforeEach(async () => {
    at = await createServiceFixture(database.storage)
  })

  /** Stores entries in random order, many of them with the same start. */
  async function storeEntries(count: number): Promise<unknown[]> {
    const rows = Array.from({ length: count }, (_, index) => ({
      user_id: at.users[0],
      time_start: 1_700_000_000_000 + ((index * 7919) % Math.ceil(count / 3)),
      notes: `note ${index}`,
      task_link_id: at.link,
      created_at: 0,
      updated_at: 0,
    }))
    const stored: { id: number; time_start: number }[] = []
    for (let from = 0; from < count; from += 500) {
      const insert = insertInto('time_entries', ...rows.slice(from, from + 500))
      stored.push(
        ...(await database.storage.queries.all<(typeof stored)[number]>(
          sql`${insert} returning id, time_start`,
        )),
      )
    }
    return stored.sort((a, b) => a.time_start - b.time_start || a.id - b.id).map(({ id }) => id)
  }

  const getTimes = (path: string) =>
    at.send('GET', path, undefined, undefined, { accept: `${entryTimesType}, application/json;q=0.9` })

  it.each([0, 1, 499, 500, 501, 2500, 2501])(
    'of %i entries and of their times are complete and in order, with one entry per line',
    async (count) => {
      const expected = await storeEntries(count)
      const responses = [await at.get('/timesheets'), await getTimes('/timesheets')]
      const [text = '', times = ''] = await Promise.all(responses.map((response) => response.text()))
      const types = responses.map(({ headers }) => headers.get('Content-Type'))
      expect(types).toEqual([expect.stringMatching(/^application\/json/), entryTimesType])
      for (const { headers } of responses) {
        expect(headers.get('X-Total-Count')).toBeNull()
        expect(headers.get('Link')).toBe('</api/v1/timesheets>; rel="first last"')
      }
      for (const body of [text, times]) expect(body.split('\n')).toHaveLength(Math.max(count, 1))
      const records = JSON.parse(text) as Record<string, unknown>[]
      expect(records.map(({ id }) => id)).toEqual(expected)
      const instantOf = (time: unknown) => (time === null ? null : Date.parse(String(time)))
      expect(JSON.parse(times)).toEqual(
        records.map(({ id, time_start, time_end, task_link_id, updated_at }) => ({
          ...{ id, task_link_id, time_start: instantOf(time_start), time_end: instantOf(time_end) },
          updated_at: instantOf(updated_at),
        })),
      )
    },
  )

  it('have times only for filters and pages, with the same errors, and only of entries', async () => {
    const expected = await storeEntries(10)
    const filtered = await getTimes(`/timesheets?${q({ notes_cont: 'note 7', id_gteq: 1 })}`)
    expect(await filtered.json()).toHaveLength(1)
    const page = await getTimes('/timesheets?per_page=3')
    expect([page.headers.get('Content-Type'), await page.json()]).toMatchObject([
      entryTimesType,
      { length: 3 },
    ])
    expect((await getTimes(`/timesheets?${q({ colour_eq: 1 })}`)).status).toBe(400)
    for (const path of [`/timesheets/${expected[0]}`, '/task_links', '/expenses']) {
      const response = await getTimes(path)
      expect([response.status, response.headers.get('Content-Type')]).toEqual([
        200,
        'application/json; charset=utf-8',
      ])
      expect(await response.text()).toBe(await (await at.get(path)).text())
    }
    for (const accept of ['*/*', 'application/json', 'application/vnd.tt.other+json']) {
      const response = await at.send('GET', '/timesheets', undefined, undefined, { accept })
      expect(response.headers.get('Content-Type')).toMatch(/^application\/json/)
    }
  })

  it('stay consistent and allow writes while a slow client reads', async () => {
    const expected = await storeEntries(6000)
    const reader = (await at.get('/timesheets')).body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = (await reader?.read())?.value ?? ''
    const body = { time_start: '2000-01-01T00:00:00Z', task_link_id: at.link }
    expect((await at.send('POST', '/timesheets', body)).status).toBe(201)
    expect((await at.send('DELETE', `/timesheets/${expected[0]}`)).status).toBe(204)
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) text += part.value
    expect((JSON.parse(text) as { id: number }[]).map(({ id }) => id)).toEqual(expected)
  })

  it.each(['records', 'columns'])('of %s end when the database fails, and report the error', async (form) => {
    await storeEntries(600)
    const accept = form === 'records' ? 'application/json' : `${entryTimesType}, application/json;q=0.9`
    // Not at.get, which reads the whole response.
    const response = await at.app.fetch(
      new Request('http://local/api/v1/timesheets', { headers: { accept } }),
    )
    const { queries } = database.storage
    await queries.all(sql`alter table time_entries rename to elsewhere`)
    try {
      await expect(response.text()).rejects.toThrow()
      expect(at.errors).toHaveLength(1)
    } finally {
      await queries.all(sql`alter table elsewhere rename to time_entries`)
    }
  })

  describe('with a limit', () => {
    const limited = (maxListRecords: number) =>
      createApp({
        ...{ storage: database.storage, clock, maxListRecords },
        authenticate: async () => ({ userId: at.users[0], scopes: new Set(scopes) }),
      })
    const get = (app: App, url: string, headers = {}) => app.fetch(new Request(url, { headers }))

    /** Follows Link from a URL and returns the bodies, after checking the headers of each part. */
    async function parts(app: App, path: string, total: number, headers = {}) {
      const first = `http://local/api/v1${path}`
      const bodies: unknown[][] = []
      for (let url: string | undefined = first; url; ) {
        const response = await get(app, url, headers)
        expect(response.status).toBe(200)
        const links = linksOf(response)
        const isOnly = !links.next && bodies.length === 0
        expect(response.headers.get('X-Total-Count')).toBe(isOnly ? null : String(total))
        if (bodies.length > 0) expect(links.first).toBe(first)
        bodies.push((await response.json()) as unknown[])
        if (!links.next && bodies.length > 1) expect(links.last).toBe(url)
        url = links.next
      }
      return bodies
    }

    it.each([
      [10, 10, [10]],
      [11, 10, [10, 1]],
      [2600, 1300, [1300, 1300]],
      [2600, 600, [600, 600, 600, 600, 200]],
    ])('of %i entries with a limit of %i have parts of %j', async (count, limit, sizes) => {
      const expected = await storeEntries(count)
      const app = limited(limit)
      const records = (await parts(app, '/timesheets', count)) as { id: number }[][]
      expect(records.map(({ length }) => length)).toEqual(sizes)
      expect(records.flat().map(({ id }) => id)).toEqual(expected)
      const times = (await parts(app, '/timesheets', count, { accept: entryTimesType })) as { id: number }[][]
      expect(times.map(({ length }) => length)).toEqual(sizes)
      expect(times.flat().map(({ id }) => id)).toEqual(expected)
    })

    it('keep q in all parts, for every kind of record', async () => {
      await storeEntries(30)
      const path = `/timesheets?${q({ notes_cont: '1' })}`
      const all = await (await at.get(path)).json()
      expect((await parts(limited(4), path, 12)).flat()).toEqual(all)
      const { queries } = database.storage
      const days = ['2024-05-01', '2024-05-01', '2024-05-02', '2024-05-03']
      const amount = { amount: '1.00', amount_units: 10_000, currency: 'EUR', created_at: 0, updated_at: 0 }
      await queries.all(
        insertInto('expenses', ...days.map((spent_on) => ({ ...amount, spent_on, user_id: at.users[0] }))),
      )
      const expenses = await (await at.get('/expenses')).json()
      expect((await parts(limited(1), '/expenses', 4)).flat()).toEqual(expenses)
    })

    it('continue after the same record when records are added and deleted', async () => {
      const expected = await storeEntries(30)
      const app = limited(10)
      const first = await get(app, 'http://local/api/v1/timesheets')
      for (const id of expected.slice(5, 12)) await at.send('DELETE', `/timesheets/${id}`)
      const next = await get(app, linksOf(first).next ?? '')
      expect(((await next.json()) as { id: number }[]).map(({ id }) => id)).toEqual(expected.slice(12, 22))
    })

    it.each([
      'x',
      '',
      Buffer.from('[1]').toString('base64url'),
      Buffer.from('["1",2]').toString('base64url'),
      `${Buffer.from('[1,2]').toString('base64url')}&per_page=5`,
    ])('reject after=%s', async (text) => {
      const response = await at.get(`/timesheets?after=${text}`)
      expect([response.status, await response.json()]).toEqual([
        400,
        { error: 'bad_request', message: expect.stringContaining('after'), errors: {} },
      ])
      expect((await at.get('/expenses?after=WyJcdTAwMDAiLDFd')).status).toBe(400)
    })

    it('are complete for the client', async () => {
      const expected = await storeEntries(2600)
      const app = limited(700)
      const listener = await listen(app, { host: '127.0.0.1', port: 0 })
      onTestFinished(() => listener.close())
      const api = createApi(
        createHttp({ baseUrl: `${listener.url}/api/v1`, userAgent: 'test', token: () => 'x' }),
      )
      expect((await api.listTimeEntries()).map(({ id }) => id)).toEqual(expected)
      for (const list of [api.streamTimeEntries(), api.streamEntryTimes()]) {
        const ids: unknown[] = []
        for await (const batch of list) ids.push(...batch.map(({ id }) => id))
        expect(ids).toEqual(expected)
      }
    })
  })

  it('link to the last page from a page beyond the end', async () => {
    await storeEntries(5)
    const response = await at.get('/timesheets?per_page=2&page=9')
    expect([await response.json(), response.headers.get('X-Total-Count')]).toEqual([[], '5'])
    expect(Object.keys(linksOf(response))).toEqual(['first', 'prev', 'last'])
    expect(linksOf(response).prev).toContain('page=3')
    const empty = await at.get('/expenses?per_page=2')
    expect(empty.headers.get('X-Total-Count')).toBe('0')
    expect(Object.keys(linksOf(empty))).toEqual(['first', 'last'])
  })
})

/** Returns the addresses of a Link header as clients resolve them. */
function linksOf(response: Response): Record<string, string> {
  const links = (response.headers.get('Link') ?? '').matchAll(/<([^>]+)>; rel="(\w+)"/g)
  return Object.fromEntries(
    [...links].map(([, url = '', rel = '']) => [rel, new URL(url, 'http://local').href]),
  )
}
