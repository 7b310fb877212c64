import { expect, test } from 'vitest'
import { type Handler, rejectionOf, startServer } from '../test-server.js'

/** Responds to `GET /projects` with one project a page; `links` gives the Link header of each page. */
function pages(links: (page: number, origin: string) => string | undefined): Handler {
  return (response, { url }, origin) => {
    const page = Number(new URL(url, origin).searchParams.get('page') ?? 1)
    const link = links(page, origin)
    response.writeHead(200, { 'content-type': 'application/json', ...(link ? { link } : {}) })
    response.end(JSON.stringify([{ id: page }]))
  }
}

const next = (page: number) => `<?page=${page + 1}>`

test.each<[string, (page: number, origin: string) => string]>([
  ['an absolute address', (page, origin) => `<${origin}/api/v1/projects?page=${page + 1}>; rel="next"`],
  ['a path', (page) => `</api/v1/projects?page=${page + 1}>; rel="next"`],
  ['a query alone', (page) => `${next(page)}; rel=next`],
  [
    'one of several links',
    (page) => `<?page=1>; rel="first", ${next(page)}; title="a, \\"b\\"; <c>"; rel="next"`,
  ],
  [
    'one of several relations',
    (page) => `<?page=9>; rel="last",${next(page)} ; REL="archives Next"; rel=last`,
  ],
  [
    'a link beside one about another page',
    (page) => `<?page=9>; rel=next; anchor="/x", ${next(page)}; rel=next`,
  ],
  ['a link after an attribute without a value', (page) => `<?page=9>; crossorigin, ${next(page)}; rel=next`],
  ['a link between empty elements', (page) => `,, ${next(page)}; rel=next,,`],
  ['a link with a malformed title', (page) => `${next(page)}; title*=UTF-8''%zz; rel=next`],
])('follows the next page given by %s', async (_, link) => {
  const service = await startServer(
    pages((page, origin) => (page < 3 ? link(page, origin) : '<?page=1>; rel="prev"')),
  )
  expect((await service.api().listProjects()).map(({ id }) => id)).toEqual([1, 2, 3])
  expect(service.requests.map(({ headers }) => headers.authorization)).toEqual(
    Array(3).fill('Bearer secret-token'),
  )
})

test('sends the query with the first page and uses the URLs of the service for the others', async () => {
  const service = await startServer(pages((page) => (page < 2 ? '<?page=2&q=other>; rel="next"' : undefined)))
  await service.api().listProjects({ name_eq: 'a+b' })
  expect(service.requests.map(({ url }) => url)).toEqual([
    '/api/v1/projects?q=%7B%22name_eq%22%3A%22a%2Bb%22%7D',
    '/api/v1/projects?page=2&q=other',
  ])
})

test('rejects a page that links to an earlier page', async () => {
  const service = await startServer(pages((page) => `<?page=${page === 3 ? 2 : page + 1}>; rel="next"`))
  expect(await rejectionOf(service.api().listProjects())).toMatchObject({
    code: 'rejected',
    message: 'The list of projects has too many or repeated pages.',
  })
  expect(service.requests).toHaveLength(3)
})

test('rejects a next page at another origin and sends nothing there', async () => {
  const other = await startServer(pages(() => undefined))
  const service = await startServer(pages(() => `<${other.baseUrl}/projects?page=2>; rel="next"`))
  const failure = await rejectionOf(service.api().listProjects())
  expect(failure.code).toBe('rejected')
  expect(failure.message).toContain(`${other.origin}. The token was not sent there.`)
  expect(other.requests).toEqual([])
})

test('stops after 10,000 pages of a list without end', { tags: 'slow' }, async () => {
  let page = 0
  const service = await startServer(() => {})
  const api = service.api({
    fetch: async () => new Response('[]', { headers: { link: `<?page=${++page}>; rel="next"` } }),
  })
  expect((await rejectionOf(api.listProjects())).message).toContain('too many or repeated pages')
  expect(page).toBe(10_000)
})

test.each([
  ...['', 'nonsense', '<', '<?page=2', '<?page=2>', '<?page=2>; rel', '<http://[>; rel="next"', ';;;,,,<>'],
])('the Link header "%s" names no next page', async (link) => {
  const service = await startServer(pages(() => link))
  expect(await service.api().listProjects()).toHaveLength(1)
})
