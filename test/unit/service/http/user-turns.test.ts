import { beforeEach, expect, it } from 'vitest'
import { scopes } from '../../../../src/api-client/types.js'
import { type App, createApp, UserTurns } from '../../../../src/service/http/app.js'
import type { HttpResponse } from '../../../../src/service/http/response.js'
import { clock, observed, temporarySqlite, useDatabase, useServiceFixture } from '../fixtures.js'

const [longLists, requests] = [8, 16]

const database = useDatabase(temporarySqlite)
const at = useServiceFixture(database)
let app: App
beforeEach(async () => {
  app = createApp({
    ...{ storage: database.storage, clock, maxWaitMs: 50 },
    authenticate: async (token) => ({ userId: Number(token), scopes: new Set(scopes) }),
  })
  for (const user of at.users) await at.storeEntries(600, { user })
})

const send = ({
  user = at.users[0],
  method = 'GET',
  path = '/timesheets',
  accept = '*/*',
  text = async () => '',
} = {}): Promise<HttpResponse> => {
  const headers: Record<string, string> = {
    ...{ Authorization: `Bearer ${user}`, Accept: accept },
    ...(method === 'POST' ? { 'Content-Length': '2' } : {}),
  }
  return app.serve({
    ...{ method, url: `http://local/api/v1${path}`, text },
    headers: { get: (name) => headers[name] ?? null },
  })
}
const statusOf = async (sent?: Parameters<typeof send>[0]) => (await send(sent)).status
const chunksOf = ({ body }: HttpResponse) => (body as AsyncIterable<string>)[Symbol.asyncIterator]()

it.each([
  ['JSON', '*/*'],
  ['columns', 'application/vnd.tt.entry-times+json'],
])('sends eight long lists of a user at the same time, in %s, and rejects more', async (_, accept) => {
  const lists = await Promise.all(Array.from({ length: longLists }, () => send({ accept })))
  expect(lists.map(({ status }) => status)).toEqual(Array(longLists).fill(200))
  const { status, headers, body } = await send({ accept })
  expect([status, headers['Retry-After']]).toEqual([429, '2'])
  expect(JSON.parse(String(body))).toMatchObject({ error: 'too_many_requests', errors: {} })
  // Neither other lists of the user nor other users wait.
  expect(await statusOf({ path: '/timesheets?per_page=100' })).toBe(200)
  expect(await statusOf({ path: '/task_links' })).toBe(200)
  expect(await statusOf({ user: at.users[1] })).toBe(200)

  // A list ends with its last record, when the client disconnects, and when that happens before the first record.
  const [first, second, third] = lists.map(chunksOf)
  while (!(await first?.next())?.done);
  await second?.next()
  await second?.return?.()
  await third?.return?.()
  const more = [await send({ accept }), await send({ accept }), await send({ accept })]
  expect(more.map((response) => response.status)).toEqual([200, 200, 200])
  const waiting = statusOf({ accept })
  await chunksOf(more[0] as HttpResponse).return?.()
  expect(await waiting).toBe(200)
  expect(await statusOf({ accept })).toBe(429)
})

it('takes no turn for the long list of a HEAD request, and none after an error', async () => {
  const request = (method: string) =>
    new Request('http://local/api/v1/timesheets', {
      ...{ method, headers: { Authorization: `Bearer ${at.users[0]}` } },
    })
  for (let n = 0; n <= longLists; n++) expect((await app.fetch(request('HEAD'))).status).toBe(200)
  const { queries } = database.storage
  const failingQueries = observed(queries, ({ texts }) => {
    if (texts.join().includes('offset')) throw new Error('failed')
  })
  const failing = createApp({
    ...{ storage: { queries: failingQueries }, clock, maxWaitMs: 50, maxListRecords: 100 },
    authenticate: async (token) => ({ userId: Number(token), scopes: new Set(scopes) }),
  })
  for (let n = 0; n <= longLists; n++) expect((await failing.fetch(request('GET'))).status).toBe(500)
})

it('handles sixteen requests of a user at the same time, and rejects more', async () => {
  let finish = (_: string) => {}
  const body = new Promise<string>((resolve) => {
    finish = resolve
  })
  const create = () => send({ method: 'POST', text: () => body })
  const creating = Array.from({ length: requests }, create)
  expect(await statusOf({ path: '/companies' })).toBe(429)
  expect(await statusOf({ path: '/companies', user: at.users[1] })).toBe(200)
  const waiting = statusOf({ path: '/companies' })
  finish('{}')
  expect(await waiting).toBe(200)
  expect((await Promise.all(creating)).map(({ status }) => status)).toEqual(Array(requests).fill(422))
  expect(await Promise.all(Array.from({ length: 100 }, () => statusOf({ path: '/companies' })))).toEqual(
    Array(100).fill(200),
  )
})

it('begins turns in the order of the callers, and forgets those that have given up', async () => {
  const turns = new UserTurns(1, 20)
  expect(turns.begin(1)).toBeUndefined()
  expect(turns.begin(2)).toBeUndefined()
  await expect(turns.begin(1)).rejects.toMatchObject({ status: 429 })
  const order: string[] = []
  const callers = ['first', 'second'].map((name) => turns.begin(1)?.then(() => order.push(name)))
  turns.end(1)
  await callers[0]
  turns.end(1)
  await callers[1]
  expect(order).toEqual(['first', 'second'])
  turns.end(1)
  expect(turns.begin(1)).toBeUndefined()
})
