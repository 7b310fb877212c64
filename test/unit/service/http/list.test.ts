import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { scopes } from '../../../../src/api-client/types.js'
import { createApp } from '../../../../src/service/http/app.js'
import { linkHeader } from '../../../../src/service/http/list.js'
import { sql } from '../../../../src/service/storage/sql.js'
import {
  createServiceFixture,
  type Database,
  databases,
  observed,
  q,
  type ServiceFixture,
  sendTo,
  temporarySqlite,
  useDatabase,
} from '../fixtures.js'

it.each([
  ['with a page in between', 'https://tt.example/timesheets?per_page=10&page=2&q=%7B%7D'],
  ['with the page first', 'https://tt.example/timesheets?page=2&per_page=10'],
  [
    'with values that look like a page',
    'https://tt.example/t?xpage=PAGE&q=%26page%3DPAGE&page=PAGE&per_page=10',
  ],
  ['without a page', 'https://tt.example/t?q={"notes_cont":"a b ü page=PAGE"}&per_page=10'],
])('links pages of an address %s', (_, address) => {
  const links = linkHeader(address, { page: 2, perPage: 10 }, 45).split(', ')
  const pages: [string, number][] = [
    ['first', 1],
    ['prev', 1],
    ['next', 3],
    ['last', 5],
  ]
  expect(links).toEqual(
    pages.map(([rel, page]) => {
      const url = new URL(address)
      url.searchParams.set('page', String(page))
      return `<${url}>; rel="${rel}"`
    }),
  )
})

it('continues a long list after the last record of the part before', async () => {
  const { storage, close } = await temporarySqlite()
  const at = await createServiceFixture(storage)
  for (const hour of [6, 7, 8, 9])
    await at.send('POST', '/timesheets', { time_start: `2024-05-08T0${hour}:00:00Z`, task_link_id: at.link })
  const read = (path: string) => sendTo({ storage, maxListRecords: 3 }, at.users[0], path)
  const first = await read('/timesheets')
  await first.body?.cancel()
  const [, next = ''] = /<\/api\/v1([^>]*)>; rel="next"/.exec(first.headers.get('Link') ?? '') ?? []
  const second = await read(next)
  expect(await second.json()).toEqual([expect.objectContaining({ time_start: '2024-05-08T09:00:00.000Z' })])
  expect(second.headers.get('X-Total-Count')).toBe('4')
  await close()
})

describe.each(databases)('the total of a page over %s', (name, open) => {
  const database = useDatabase(open)
  let at: ServiceFixture
  let servers: [Server, Server]
  beforeEach(async () => {
    at = await createServiceFixture(database.storage)
    servers = [createServer(database), createServer(database)]
  })

  const entry = { time_start: '2024-05-08T09:00:00Z', notes: 'Page' }
  const create = async (user = at.users[0]) => {
    const response = await at.send('POST', '/timesheets', { ...entry, task_link_id: at.link }, user)
    expect(response.status).toBe(201)
    return ((await response.json()) as { id: number }).id
  }

  const totalOf = async (server: Server, user = at.users[0], filter = '') =>
    (await server.get(`/timesheets?per_page=1${filter}`, user)).headers.get('X-Total-Count')

  it('is right after every change, whichever server or program makes it', { tags: 'slow' }, async () => {
    const [user, other] = at.users
    const { queries } = database.storage
    const pages = ['', `&${q({ notes_eq: 'Page' })}`, `&${q({ time_start_lt: '2024-05-08T10:00:00Z' })}`]
    const changes = {
      create: () => create(),
      createForOther: () => create(other),
      edit: async (id: number) => at.send('PATCH', `/timesheets/${id}`, { notes: 'Other' }),
      delay: async (id: number) =>
        at.send('PATCH', `/timesheets/${id}`, { time_start: '2024-05-09T09:00:00Z' }),
      remove: async (id: number) => at.send('DELETE', `/timesheets/${id}`),
      addExpense: async () =>
        at.send('POST', '/expenses', { expense: { spent_on: '2024-05-08', amount: 1 } }),
      insert: async () =>
        queries.all(sql`insert into time_entries (user_id, time_start, notes, task_link_id, created_at, updated_at)
          select id, 1, 'Page', ${at.link}, 1, 1 from users`),
      editAll: async () => queries.all(sql`update time_entries set notes = 'Page'`),
      removeSome: async () => queries.all(sql`delete from time_entries where id % 3 = 0`),
      removeAll: async () => queries.all(sql`delete from time_entries where user_id = ${user}`),
      giveAway: async () => queries.all(sql`update time_entries set user_id = ${other} where id % 3 = 1`),
    }
    const names = fc.constantFrom(...(Object.keys(changes) as (keyof typeof changes)[]))
    await fc.assert(
      fc.asyncProperty(fc.array(names, { minLength: 1, maxLength: 20 }), async (steps) => {
        for (const step of ['create', 'create', 'create', ...steps] as const) {
          const [latest] = await queries.all<{ id: number }>(
            sql`select id from time_entries where user_id = ${user} order by id desc limit 1`,
          )
          await changes[step](latest?.id ?? 1)
          for (const page of pages) {
            const total = String((await at.ids(`/timesheets?${page.slice(1)}`)).length)
            for (const server of servers) expect(await totalOf(server, user, page)).toBe(total)
          }
        }
      }),
      { numRuns: name === 'SQLite' ? 12 : 3 },
    )
  })

  it('is right for the user whose record was given to another', async () => {
    const [user, other] = at.users
    const totals = () => Promise.all(at.users.map((id) => totalOf(servers[0], id)))
    const given = await create()
    for (const id of [user, user, other, other]) await create(id)
    expect(await totals()).toEqual(['3', '2'])
    await database.storage.queries.all(sql`update time_entries set user_id = ${other} where id = ${given}`)
    expect(await totals()).toEqual(['2', '3'])
  })

  it('is counted again only after a change of the same user', async () => {
    const [, other] = at.users
    const [server] = servers
    for (let count = 0; count < 3; count++) await create()
    const totalAndCounts = async () => {
      const before = server.counts()
      return [await totalOf(server), server.counts() - before]
    }
    expect(await totalAndCounts()).toEqual(['3', 1])
    expect(await totalAndCounts()).toEqual(['3', 0])
    await create(other)
    expect(await totalAndCounts()).toEqual(['3', 0])
    await create()
    expect(await totalAndCounts()).toEqual(['4', 1])
    expect(await totalAndCounts()).toEqual(['4', 0])
  })

  it('takes no statement of its own while nothing changes', async () => {
    const [server] = servers
    for (let count = 0; count < 3; count++) await create()
    const statements = async () => {
      const before = server.statements()
      const [record] = (await (await server.get('/timesheets?per_page=1', at.users[0])).json()) as object[]
      expect(record).not.toHaveProperty('list_version')
      return server.statements() - before
    }
    expect([await statements(), await statements()]).toEqual([2, 1])
  })

  it('is not that of a filter with another value', async () => {
    const ids = [await create(), await create(), await create(), await create()]
    const totalBefore = (id = 0) => totalOf(servers[0], undefined, `&${q({ id_lt: id })}`)
    expect([await totalBefore(ids[3]), await totalBefore(ids[2])]).toEqual(['3', '2'])
  })

  it('follows from a last page that is full', async () => {
    const ids = [await create(), await create(), await create(), await create()]
    const response = await at.get('/timesheets?per_page=2&page=2')
    expect(await response.json()).toMatchObject(ids.slice(2).map((id) => ({ id })))
    expect(response.headers.get('X-Total-Count')).toBe('4')
    expect(response.headers.get('Link')).not.toContain('rel="next"')
  })

  it.skipIf(name === 'SQLite')('is that of committed changes, which do not wait for each other', async () => {
    const [user] = at.users
    for (let count = 0; count < 3; count++) await create()
    const totals = () => Promise.all(servers.map((server) => totalOf(server)))
    /** Begins a transaction with an entry. Returns the function that commits it, or rolls it back with an error. */
    const begin = () =>
      new Promise<(error?: Error) => Promise<void>>((resolve) => {
        const ended = database.storage.queries.transaction(async (transaction) => {
          await transaction.all(sql`
            insert into time_entries (user_id, time_start, task_link_id, created_at, updated_at)
            values (${user}, 1, ${at.link}, 1, 1)`)
          await new Promise<void>((commit, rollBack) => {
            resolve((error) => {
              if (error) rollBack(error)
              else commit()
              return ended
            })
          })
        })
      })
    const [end, cancel] = await Promise.all([begin(), begin()])
    expect(await totals()).toEqual(['3', '3'])
    await create()
    expect(await totals()).toEqual(['4', '4'])
    await end()
    expect(await totals()).toEqual(['5', '5'])
    await expect(cancel(new Error('changed my mind'))).rejects.toThrow('changed my mind')
    expect(await totals()).toEqual(['5', '5'])
    await Promise.all(Array.from({ length: 20 }, () => create()))
    expect(await totals()).toEqual(['25', '25'])
  })
})

type Server = ReturnType<typeof createServer>

/** Returns a server with a cache of its own. */
function createServer({ storage }: Database) {
  let [counted, statements] = [0, 0]
  const queries = observed(storage.queries, ({ texts }) => {
    statements++
    if (texts.join('?').includes('count(*) as total')) counted++
  })
  const app = createApp({
    storage: { queries },
    clock: () => new Date(),
    authenticate: async (token) => ({ userId: Number(token), scopes: new Set(scopes) }),
  })
  return {
    /** Returns how often it has counted a list. */
    counts: () => counted,
    statements: () => statements,
    get: (path: string, user: number) =>
      app.fetch(new Request(`http://local/api/v1${path}`, { headers: { Authorization: `Bearer ${user}` } })),
  }
}
