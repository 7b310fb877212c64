import { EventEmitter, once } from 'node:events'
import { connect, Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { expect, it, onTestFinished, vi } from 'vitest'
import { type HostedApp, listen } from '../../../../src/service/http/listener.js'
import { sendRaw } from '../../api-client/auth/oauth/sign-in-fixtures.js'
import { createServiceFixture, temporarySqlite, useDatabase } from '../fixtures.js'

const database = useDatabase(temporarySqlite)

/** Listens on a free port until the end of the test. */
async function start(app: HostedApp, host = '127.0.0.1') {
  const server = await listen(app, { host, port: 0 })
  onTestFinished(() => server.close())
  return server
}

it('serves the app on a free port until it is closed', async () => {
  const { app } = await createServiceFixture(database.storage)
  const server = await start(app)
  expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/)
  const response = await fetch(`${server.url}/api/v1/companies`)
  expect(await response.json()).toMatchObject({ name: 'Acme' })
  expect(response.headers.get('Date')).not.toBeNull()
  await Promise.all([server.close(), server.close()])
  await server.close()
  await expect(fetch(`${server.url}/api/v1/companies`)).rejects.toThrow()
})

it('receives bodies and streams long lists over the socket', async () => {
  const { app, link, storeEntries } = await createServiceFixture(database.storage)
  await storeEntries(3000)
  const server = await start(app)
  const url = `${server.url}/api/v1/timesheets`
  const body = JSON.stringify({ time_start: '2024-05-08T08:00:00Z', task_link_id: link })
  expect((await fetch(url, { method: 'POST', body })).status).toBe(201)
  expect((await fetch(url, { method: 'POST', body: 'x'.repeat(2_000_000) })).status).toBe(413)
  expect(await (await fetch(url)).json()).toHaveLength(3001)
})

it('passes on both addresses of the connection', async () => {
  const server = await start({
    fetch: async (_, { remoteAddress, localAddress }) => Response.json([remoteAddress, localAddress]),
  })
  expect(await (await fetch(server.url)).json()).toEqual(['127.0.0.1', '127.0.0.1'])
})

it('finishes requests in flight and closes idle connections when it is closed', async () => {
  const events = new EventEmitter()
  const arrival = once(events, 'arrival')
  const server = await start({
    async fetch(request) {
      if (request.url.endsWith('/quick')) return new Response('quick')
      events.emit('arrival')
      await once(events, 'permission')
      return new Response('done')
    },
  })
  await (await fetch(`${server.url}/quick`)).text()
  const slow = fetch(`${server.url}/slow`)
  await arrival
  // Without these timers, the server closes only if it waits neither for idle connections nor for its time limit.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const socketTimeout = vi.spyOn(Socket.prototype, 'setTimeout').mockReturnThis()
  onTestFinished(() => {
    vi.useRealTimers()
    socketTimeout.mockRestore()
  })
  const closed = server.close()
  const { hostname, port } = new URL(server.url)
  const connecting = once(connect(Number(port), hostname), 'connect')
  await expect(connecting).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  events.emit('permission')
  expect(await (await slow).text()).toBe('done')
  await closed
})

it('responds to plain API requests like to those that fetch handles', async () => {
  const { app } = await createServiceFixture(database.storage)
  const server = await start(app)
  const list = '/api/v1/timesheets'
  const bodies = ['', '{', '[]', '{"time_start":7,"notes":"\u00dc\ud83d\ude00"}']
  const requests: [method: string, path: string, body?: string][] = [
    ['GET', list],
    ['GET', `${list}?q=%7B%22id_eq%22%3A1%7D&fields=id`],
    ['GET', `${list}?per_page=0`],
    ['GET', `${list}/999`],
    ['GET', '/api/v1/none'],
    ['DELETE', `${list}/999`],
    ...bodies.map((body): [string, string, string] => ['POST', list, body]),
  ]
  for (const [method, path, body] of requests) {
    const options = body === undefined ? { method } : { method, body }
    const direct = await fetch(`${server.url}${path}`, options)
    const viaFetch = await app.fetch(new Request(`${server.url}${path}`, options))
    const headers = [
      ...['content-type', 'cache-control', 'link', 'x-content-type-options', 'etag'],
      ...['idempotency-key-supported', 'if-match-supported'],
    ]
    const of = async (response: Response) => [
      ...[response.status, await response.text()],
      headers.map((name) => response.headers.get(name)),
    ]
    expect(await of(direct)).toEqual(await of(viaFetch))
    expect(direct.headers.get('content-length')).not.toBeNull()
  }
})

it('reports a port in use and an address of another machine', async () => {
  const { app } = await createServiceFixture(database.storage)
  const server = await start(app)
  const port = Number(new URL(server.url).port)
  await expect(listen(app, { host: '127.0.0.1', port })).rejects.toMatchObject({
    code: 'failure',
    message: `Another program already listens on 127.0.0.1:${port}.`,
  })
  await expect(listen(app, { host: '192.0.2.1', port: 0 })).rejects.toMatchObject({ code: 'failure' })
})

it.each([
  ['two Host headers', 'Host: 127.0.0.1\r\nhost: evil.example', 400],
  ['two equal Host headers', 'Host: 127.0.0.1\r\nHost: 127.0.0.1', 400],
  ['no Host header', 'Accept: */*', 400],
  ['a list of hosts', 'Host: 127.0.0.1, evil.example', 400],
  ['one Host header', 'Host: 127.0.0.1', 200],
])('responds to a request with %s', async (_, headers, status) => {
  const app = { fetch: vi.fn(async () => new Response('reached')) }
  const { url } = await start(app)
  const request = `GET /api/v1/companies HTTP/1.1\r\n${headers}\r\nConnection: close\r\n\r\n`
  const response = await sendRaw(new URL(url), request)
  expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(app.fetch).toHaveBeenCalledTimes(status === 200 ? 1 : 0)
})

it.for(['127.0.0.1', '::1'])(
  'responds to health checks with HTTP/1.0 on %s, which have no Host header',
  async (host, { skip }) => {
    skip(host === '::1' && !hasIpv6, 'this machine has no ::1')
    const { url } = await start({ fetch: async (request) => new Response(request.url) }, host)
    const response = await sendRaw(new URL(url), 'GET /healthz HTTP/1.0\r\n\r\n')
    expect(response).toMatch(/^HTTP\/1.1 200 /)
    expect(response).toContain(`http://${host === '::1' ? '[::1]' : host}/healthz`)
  },
)

const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
)
