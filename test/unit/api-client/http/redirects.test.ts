import { expect, test } from 'vitest'
import { rejectionOf, serveResponse, startServer } from '../test-server.js'

const json = { 'content-type': 'application/json' }

test('follows a redirect within the origin, with the token', async () => {
  const service = await startServer((response, { url }) => {
    if (url.startsWith('/api/v1/')) response.writeHead(302, { location: '/v2/timesheets' }).end()
    else response.writeHead(200, json).end('[]')
  })
  const response = await service.http().request('GET', '/timesheets')
  expect(response.value).toEqual([])
  expect(response.url.href).toBe(`${service.origin}/v2/timesheets`)
  expect(service.requests.map(({ headers }) => headers.authorization)).toEqual(
    Array(2).fill('Bearer secret-token'),
  )
})

test.each([307, 308])('a redirect with status %i preserves method and body', async (status) => {
  const service = await startServer((response, { url }) => {
    if (url.startsWith('/api/v1/')) response.writeHead(status, { location: '/v2/timesheets' }).end()
    else response.writeHead(201, json).end('{"id":1}')
  })
  await service.http().request('POST', '/timesheets', { body: { notes: 'x' } })
  expect(service.requests[1]).toMatchObject({ method: 'POST', url: '/v2/timesheets', body: '{"notes":"x"}' })
})

test.each(['GET', 'POST'])(
  'rejects a redirect of %s to another origin and sends nothing there',
  async (method) => {
    const other = await serveResponse(200, '[]')
    const service = await serveResponse(307, '', { location: `${other.origin}/api/v1/timesheets` })
    const failure = await rejectionOf(service.http().request(method, '/timesheets'))
    expect(failure).toMatchObject({ code: 'rejected', status: 307 })
    expect(failure.message).toContain(other.origin)
    expect(failure.message).toContain('The token was not sent there.')
    expect(other.requests).toEqual([])
  },
)

test.each([
  ['GET', { location: '/api/v1/timesheets' }, 302, 'more than 5 times', 6],
  ['GET', {}, 302, 'without a valid target', 1],
  ['GET', { location: 'http://[' }, 302, 'without a valid target', 1],
  ['POST', { location: '/login' }, 302, 'redirects POST to /login', 1],
  ['GET', { location: 'mailto:a@example.com' }, 301, 'redirects to mailto:', 1],
])('rejects a redirect of %s with the headers %j', async (method, headers, status, message, requests) => {
  const service = await serveResponse(status, '', headers as Record<string, string>)
  expect(await rejectionOf(service.http().request(method, '/timesheets'))).toMatchObject({
    code: 'rejected',
    message: expect.stringContaining(message),
  })
  expect(service.requests).toHaveLength(requests)
})
