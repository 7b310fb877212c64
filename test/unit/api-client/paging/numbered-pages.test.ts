import { describe, expect, test } from 'vitest'
import type { KnownCapabilities } from '../../../../src/api-client/capabilities.js'
import { createApi } from '../../../../src/api-client/endpoints.js'
import { rejectionOf, startServer } from '../test-server.js'

interface PagedService {
  /** The ids of the records, or how to get them at each request. */
  ids: number[] | (() => number[])
  perPage: number
  /** Headers of a page; `count` is the number of records now. */
  headers?: ((page: number, count: number) => Record<string, string>) | Record<string, string> | undefined
  /** The response to a page past the end: an empty list, an error, or the last page. */
  pastEnd?: number | 'empty' | 'last'
  ignoresPage?: boolean
  /** Returns the status of an error in response to a request for the second page. */
  failure?: () => number | undefined
}

const range = (count: number, first = 1) => Array.from({ length: count }, (_, index) => first + index)

/** Starts a service that pages its time entries and expenses as the options say. */
async function pagedService({
  ids,
  perPage,
  headers,
  pastEnd = 'empty',
  ignoresPage,
  failure,
}: PagedService) {
  const remembered = new Map<string, unknown>()
  const warnings: string[] = []
  const service = await startServer((response, { url }, origin) => {
    const pageParameter = new URL(url, origin).searchParams.get('page')
    const now = typeof ids === 'function' ? ids() : ids
    const last = Math.max(1, Math.ceil(now.length / perPage))
    const status = pageParameter === '2' ? failure?.() : undefined
    if (status !== undefined) return void response.writeHead(status).end('{}')
    const requested = ignoresPage ? 1 : Number(pageParameter ?? 1)
    if (requested > last && typeof pastEnd === 'number') return void response.writeHead(pastEnd).end('{}')
    const page = requested > last && pastEnd === 'last' ? last : requested
    const records = now.slice((page - 1) * perPage, page * perPage)
    const announced = typeof headers === 'function' ? headers(page, now.length) : headers
    response.writeHead(200, { 'content-type': 'application/json', ...announced })
    response.end(JSON.stringify(records.map((id) => ({ id, time_start: '2024-05-01T09:00:00Z' }))))
  })
  const options = { capabilities: inMemory(remembered), warn: (text: string) => warnings.push(text) }
  const newApi = () => createApi(service.http(), options)
  const queries = () => service.requests.splice(0).map(({ url }) => new URL(url, service.origin).searchParams)
  const pages = () => queries().map((query) => query.get('page') ?? 'none')
  return { api: newApi(), newApi, remembered, warnings, queries, pages }
}

type Api = ReturnType<typeof createApi>

/** Returns the capabilities of a service that are known, which are stored in the map. */
function inMemory(values: Map<string, unknown>): KnownCapabilities {
  return {
    get: (name) => (values.has(name) ? { value: values.get(name) as never, at: new Date(0) } : undefined),
    set: (name, value) => void values.set(name, value),
  }
}

const filter = { notes_cont: 'a' }

async function readWhole(api: Api) {
  const list = await api.listTimeEntries(filter)
  return { ids: list.map(({ id }) => id), incomplete: list.incomplete }
}

async function readInBatches(api: Api) {
  const ids: unknown[] = []
  let incomplete: string | undefined
  for await (const batch of api.streamTimeEntries(filter)) {
    ids.push(...batch.map(({ id }) => id))
    incomplete = batch.incomplete
  }
  return { ids, incomplete }
}

describe.each([
  ['read whole', readWhole],
  ['read in batches', readInBatches],
])('a list that is %s', (_, read) => {
  test.each<[string, PagedService['headers']]>([
    ['X-Total-Count', (_page, count) => ({ 'x-total-count': String(count) })],
    ['X-Total', (_page, count) => ({ 'X-Total': String(count), 'X-Per-Page': '2', 'X-Page': '1' })],
    ['X-Total-Pages', (_page, count) => ({ 'X-Total-Pages': String(Math.ceil(count / 2)) })],
    ['Total', (_page, count) => ({ Total: String(count), 'Per-Page': '2' })],
    [
      'Content-Range',
      (page, count) => ({ 'Content-Range': `items ${page * 2 - 2}-${page * 2 - 1}/${count}` }),
    ],
  ])('has all pages that %s announces', async (_name, headers) => {
    const ids = range(18)
    const { api, pages, remembered, warnings } = await pagedService({ ids, perPage: 2, headers })
    expect(await read(api)).toEqual({ ids, incomplete: undefined })
    expect(pages()).toEqual(['none', ...range(8, 2).map(String)])
    expect([...remembered]).toEqual([])
    expect(warnings).toEqual([])
  })

  test('sends the filter and the page size of the service with each page', async () => {
    const headers = { 'X-Total-Count': '4', 'X-Per-Page': '2' }
    const { api, queries } = await pagedService({ ids: range(4), perPage: 2, headers })
    await read(api)
    const q = '{"notes_cont":"a"}'
    expect(queries().map((query) => Object.fromEntries(query))).toEqual([
      { q },
      { q, page: '2', per_page: '2' },
    ])
  })

  test.each<number | 'empty' | 'last'>(['empty', 400, 404, 'last'])(
    'without pagination headers has all pages (past the end: %s)',
    async (pastEnd) => {
      const ids = range(60)
      const { api, warnings } = await pagedService({ ids, perPage: 20, pastEnd })
      expect(await read(api)).toEqual({ ids, incomplete: undefined })
      expect(warnings).toEqual([])
    },
  )

  test('has all pages although a gateway rejects the second one once', async () => {
    const failures = [405]
    const { api } = await pagedService({ ids: range(60), perPage: 20, failure: () => failures.pop() })
    expect(await read(api)).toEqual({ ids: range(60), incomplete: undefined })
  })

  test('needs no second request when its first page is not full', async () => {
    const { api, pages } = await pagedService({ ids: range(19), perPage: 20 })
    await read(api)
    expect(pages()).toEqual(['none'])
  })

  test('is requested by page only once from a service that ignores the parameter', async () => {
    const ids = range(30)
    const { newApi, pages, remembered } = await pagedService({ ids, perPage: 30, ignoresPage: true })
    for (const _time of [1, 2, 3]) expect(await read(newApi())).toEqual({ ids, incomplete: undefined })
    expect(pages()).toEqual(['none', '2', 'none', 'none'])
    expect([...remembered]).toEqual([['pageSize /timesheets', null]])
  })

  test.each<[number | 'empty', string[]]>([
    ['empty', ['none', '2', 'none']],
    [404, ['none', '2', '2', 'none']],
  ])(
    'is requested by page again when it grows beyond a first page (past the end: %s)',
    async (pastEnd, requests) => {
      let ids = range(22)
      const { newApi, pages } = await pagedService({ ids: () => ids, perPage: 25, pastEnd })
      expect((await read(newApi())).ids).toEqual(ids)
      ids = range(21)
      await read(newApi())
      expect(pages()).toEqual(requests)
      ids = range(30)
      expect(await read(newApi())).toEqual({ ids, incomplete: undefined })
    },
  )

  test('has each record once when pages shift while they are read', async () => {
    let ids = range(6)
    const { api } = await pagedService({
      ids: () => {
        const now = ids
        ids = [ids.length + 1, ...ids].sort((a, b) => (a > 6 || b > 6 ? b - a : a - b))
        return now
      },
      perPage: 3,
      headers: (_page, count) => ({ 'X-Total-Count': String(count) }),
    })
    const { ids: found } = await read(api)
    expect(found).toEqual([...new Set(found)])
    expect(found).toEqual(expect.arrayContaining(range(6)))
  })

  test('is incomplete when a record is deleted while it is read, because another one may be skipped', async () => {
    let ids = range(6)
    const { api, warnings } = await pagedService({
      ids: () => {
        const now = ids
        ids = range(5, 2)
        return now
      },
      perPage: 2,
      headers: (_page, count) => ({ 'X-Total-Count': String(count) }),
    })
    expect((await read(api)).incomplete).toBe('it changed while it was read')
    expect(warnings).toEqual(['The list of time entries is incomplete: it changed while it was read.'])
  })

  const announced = { headers: { 'X-Total-Count': '18' } }

  test.each<[string, Partial<PagedService>, string]>([
    ['whose service ignores the parameter', { ...announced, ignoresPage: true }, '18 records, and 2'],
    [
      'whose service refuses the second page',
      { ...announced, pastEnd: 400, ids: [1, 2] },
      '18 records, and 2',
    ],
    [
      'with fewer pages than announced',
      { headers: { 'X-Total-Pages': '9' }, ids: range(4) },
      '9 pages, and 2',
    ],
    ['with fewer records than announced', { ...announced, ids: range(5) }, '18 records, and 5'],
  ])('%s is incomplete', async (_name, options, counts) => {
    const reason = `the service announces ${counts} could be read`
    const { api, warnings } = await pagedService({ ids: range(18), perPage: 2, ...options })
    expect((await read(api)).incomplete).toBe(reason)
    await read(api)
    expect(warnings).toEqual([`The list of time entries is incomplete: ${reason}.`])
  })

  test('is complete when the headers announce fewer records than received', async () => {
    const { api, pages } = await pagedService({
      ids: range(30),
      perPage: 30,
      headers: { 'X-Total-Count': '2', 'X-Total-Pages': 'many', 'X-Page': '-1' },
    })
    expect(await read(api)).toEqual({ ids: range(30), incomplete: undefined })
    expect(pages()).toEqual(['none'])
  })

  test('is incomplete when linked pages have fewer records than announced', async () => {
    const { api, pages } = await pagedService({
      ids: [1, 2],
      perPage: 1,
      headers: (page) => ({
        link: page === 2 ? '<?page=1>; rel="first"' : '<?page=2>; rel="next"',
        'X-Total-Count': '3',
      }),
    })
    expect(await read(api)).toEqual({
      ids: [1, 2],
      incomplete: 'the service announces 3 records, and 2 could be read',
    })
    expect(pages()).toEqual(['none', '2'])
  })

  test('needs no second request when Link names the last page', async () => {
    const headers = { link: '<?page=1>; rel="first last"' }
    const { api, pages, remembered } = await pagedService({ ids: range(25), perPage: 25, headers })
    expect((await read(api)).ids).toEqual(range(25))
    expect(pages()).toEqual(['none'])
    expect([...remembered]).toEqual([])
  })

  test('is incomplete when the service fails on the parameter', async () => {
    const { api, remembered } = await pagedService({ ids: range(25), perPage: 25, pastEnd: 500 })
    const { ids, incomplete } = await read(api)
    expect(ids).toEqual(range(25))
    expect(incomplete).toMatch(/^whether it has a second page is not known\. The service at .* \(500\)$/)
    expect([...remembered]).toEqual([])
  })

  test('fails when a service that has sent a second page before fails', async () => {
    let status: number | undefined
    const { api } = await pagedService({ ids: range(50), perPage: 25, failure: () => status })
    expect((await read(api)).ids).toHaveLength(50)
    status = 500
    expect(await rejectionOf(read(api))).toMatchObject({ code: 'unreachable', status: 500 })
  })

  test('fails when an announced page is missing', async () => {
    const headers = { 'X-Total-Count': '2' }
    const { api } = await pagedService({ ids: [1], perPage: 1, pastEnd: 503, headers })
    expect(await rejectionOf(read(api))).toMatchObject({ code: 'unreachable', status: 503 })
  })
})

test('an expense that is absent from an incomplete list is not reported as missing', async () => {
  const { api } = await pagedService({
    ids: [1, 2],
    perPage: 2,
    headers: { 'X-Total-Count': '18' },
  })
  expect((await api.getExpense(2)).id).toBe(2)
  for (const on of [undefined, '2024-05-01'])
    expect(await rejectionOf(api.getExpense(3, on))).toMatchObject({
      code: 'rejected',
      message:
        'Cannot tell whether expense 3 exists: the list is incomplete ' +
        '(the service announces 18 records, and 2 could be read).',
    })
})
