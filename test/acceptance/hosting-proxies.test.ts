import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:tls'
import { expect, test } from 'vitest'
import { openSqlite } from '../../src/lib/sqlite/open.js'
import { findFreePort } from '../support/ports.js'
import { isInstalled } from '../support/process.js'
import { share } from '../support/share.js'
import { createCertificate, proxyNames, startTlsProxy } from '../support/tls-proxy.js'
import { type HostedService, setUpBehindProxy } from './hosted-service.js'

// The proxy does not depend on the database: chaos/chaos.test.ts runs services over PostgreSQL behind HAProxy.
test.for(share('proxies', proxyNames))('the walk-through works behind %s', async (proxy, { skip }) => {
  const missing = [proxy, 'curl', 'jq', 'openssl'].find((program) => !isInstalled(program))
  skip(missing !== undefined, `${missing} is not installed`)
  const [certificate, port] = [await createCertificate(), await findFreePort()]
  const { origin, httpPort } = await startTlsProxy(proxy, { servicePorts: [port], certificate })
  const service = await setUpBehindProxy(origin, { port, authority: certificate.certificate })
  expect(await service.tt('log')).toMatchObject([
    {
      client: 'Acme',
      project: 'Website',
      task: 'Design',
      notes: 'first page',
      running: false,
      pending: false,
    },
  ])

  const slowClient = isClosedWithoutHeaders(origin)
  await expectClientAddress(service)
  await expectPublicAddresses(service, httpPort)
  await expectConditions(service)
  await expectBodyLimits(service)
  await expectStreaming(service)
  await expectPendingChange(service)
  await slowClient
})

/** Creates an entry and returns the response. */
function createEntry({ fetch, origin, token }: HostedService, notes: string): Promise<Response> {
  const entry = {
    time_start: '2024-05-01T09:00:00Z',
    time_end: '2024-05-01T10:00:00Z',
    task_link_id: 1,
    notes,
  }
  return fetch(`${origin}/api/v1/timesheets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify(entry),
  })
}

/** The audit log has the address of the client, not that of the proxy or one that the client claims. */
async function expectClientAddress({ fetch, origin, tt }: HostedService) {
  const { status } = await fetch(`${origin}/api/v1/authenticate`, {
    method: 'POST',
    headers: { 'x-forwarded-for': '203.0.113.9' },
    body: new URLSearchParams({
      email: 'ada@example.com',
      password: 'a wrong password',
      application: 'test',
    }),
    localAddress: '127.0.0.2',
  })
  expect(status).toBe(401)
  expect(await tt('admin', 'audit', '--event', 'sign_in_failed')).toMatchObject([{ address: '127.0.0.2' }])
}

/** Addresses in responses are public, HTTP redirects to HTTPS, and metrics are not public. */
async function expectPublicAddresses(service: HostedService, httpPort: number) {
  const { fetch: fetchHttps, origin, port, token } = service
  const headers = { authorization: `Bearer ${token}` }
  for (const notes of ['first', 'second']) expect((await createEntry(service, notes)).status).toBe(201)
  const page = await fetchHttps(`${origin}/api/v1/timesheets?per_page=1`, { headers })
  expect(page.headers.get('link')).toContain(`<${origin}/api/v1/timesheets?`)
  await page.arrayBuffer()

  const redirect = await fetch(`http://localhost:${httpPort}/login?next=1`, { redirect: 'manual' })
  expect([301, 308]).toContain(redirect.status)
  expect(redirect.headers.get('location')).toMatch(/^https:\/\/localhost(:\d+)?\/login\?next=1$/)

  const metrics = await fetchHttps(`${origin}/metrics`)
  expect(metrics.status).toBe(404)
  await metrics.arrayBuffer()
  expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(404)
}

/** The proxy passes the conditions of requests and their announcement on. Each tag is good for one change. */
async function expectConditions(service: HostedService) {
  const created = await createEntry(service, 'conditional')
  expect(created.headers.get('if-match-supported')).toBe('?1')
  const { id, etag } = (await created.json()) as { id: number; etag: string }
  const send = async (method: string, tag: string, fields?: object) => {
    const response = await service.fetch(`${service.origin}/api/v1/timesheets/${id}`, {
      method,
      headers: { authorization: `Bearer ${service.token}`, 'if-match': tag },
      ...(fields ? { body: JSON.stringify(fields) } : {}),
    })
    return { status: response.status, text: await response.text() }
  }
  const changed = await send('PATCH', etag, { notes: 'first' })
  const statuses = [
    changed,
    await send('PATCH', etag, { notes: 'second' }),
    await send('DELETE', etag),
    await send('DELETE', (JSON.parse(changed.text) as { etag: string }).etag),
  ].map(({ status }) => status)
  expect(statuses).toEqual([200, 412, 412, 204])
}

/** A body of almost 1 MiB reaches the service, which finds the notes too long. A larger one does not create an entry. */
async function expectBodyLimits(service: HostedService) {
  const accepted = await createEntry(service, 'x'.repeat(1_040_000))
  expect(accepted.status).toBe(422)
  expect(await accepted.json()).toMatchObject({ errors: { notes: [expect.stringContaining('65536')] } })
  for (const size of [1.1, 4]) {
    // The service or the proxy responds, or closes the connection while the body arrives; a proxy may then respond with 502.
    const status = await createEntry(service, 'x'.repeat(size * 1024 * 1024)).then(
      async (response) => (await response.arrayBuffer()) && response.status,
      (error: NodeJS.ErrnoException) => error.code,
    )
    expect([413, 502, 'EPIPE', 'ECONNRESET']).toContain(status)
  }
}

/** The proxy passes a long list on while the client reads it, and does not store it. */
async function expectStreaming(service: HostedService) {
  const { fetch, origin, log, token } = service
  const count = await addLongEntries(service)
  const headers = { authorization: `Bearer ${token}` }
  const list = await fetch(`${origin}/api/v1/timesheets`, { headers })
  expect(list.headers.get('content-length')).toBeNull()
  const reader = list.body?.getReader()
  const chunks = [(await reader?.read())?.value ?? new Uint8Array()]
  // The log has an entry of each of these requests when its response has arrived.
  for (let n = 0; n < 20; n++) await (await fetch(`${origin}/api/v1/companies`, { headers })).arrayBuffer()
  const id = list.headers.get('x-request-id') ?? ''
  expect(id).not.toBe('')
  expect(log()).toContain('/api/v1/companies')
  expect(log()).not.toContain(id)

  for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
    chunks.push(part.value)
  expect(JSON.parse(Buffer.concat(chunks).toString())).toHaveLength(2 + count)
  await expect.poll(log).toContain(id)
}

/** Adds entries to the database, more than what is buffered with long notes and then 600 without, and returns their number. */
async function addLongEntries({ database: path }: HostedService): Promise<number> {
  const notes = '語'.repeat(60_000)
  const longCount = Math.ceil(maxBufferedBytes() / Buffer.byteLength(notes)) + 20
  const count = longCount + 600
  const database = await openSqlite(path)
  database
    .prepare(
      `WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < ?)
       INSERT INTO time_entries (user_id, time_start, time_end, notes, task_link_id, created_at, updated_at)
       SELECT time_entries.user_id, time_start, time_end, CASE WHEN number <= ? THEN ? END, task_link_id,
         time_entries.created_at, time_entries.updated_at
       FROM numbers, time_entries WHERE notes = 'second'`,
    )
    .run([count, longCount, notes])
  database.close()
  return count
}

/** Returns how much of a response the buffers of the connections to and from a proxy take at most (tcp(7)). */
function maxBufferedBytes(): number {
  const [received = 0, sent = 0] = ['tcp_rmem', 'tcp_wmem'].map((name) => {
    const path = `/proc/sys/net/ipv4/${name}`
    return existsSync(path) ? Number(readFileSync(path, 'utf8').trim().split(/\s+/).at(-1)) : 8 * 1024 ** 2
  })
  return 2 * (received + sent)
}

/** While the service is down, `tt` saves a change and sends it later. */
async function expectPendingChange({ tt, stop, start }: HostedService) {
  await stop()
  expect(await tt('start', 'Acme/Website/Design', '--notes', 'offline')).toMatchObject({ pending: true })
  await start()
  await tt('sync')
  expect(await tt('status')).toMatchObject({ notes: 'offline', pending: false })
}

/** A client that never completes the headers of its request is disconnected. */
function isClosedWithoutHeaders(origin: string): Promise<void> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve) => {
    const socket = connect({
      host: '127.0.0.1',
      servername: hostname,
      port: Number(port),
      rejectUnauthorized: false,
    })
    socket.on('secureConnect', () => socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n'))
    socket.on('error', () => {}).on('data', () => {})
    socket.on('close', () => resolve())
  })
}
