import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, rmSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { listen } from '../../../../src/service/http/listener.js'
import { withAuthorizationServer } from '../../../../src/service/oauth/authorization-server.js'
import { startCleanUp } from '../../../../src/service/operation/clean-up.js'
import { createLog } from '../../../../src/service/operation/log.js'
import { createMetrics, type Metrics } from '../../../../src/service/operation/metrics.js'
import { createObserver } from '../../../../src/service/operation/observer.js'
import {
  checkReadiness,
  metricsApp,
  withOperationEndpoints,
} from '../../../../src/service/operation/operation-endpoints.js'
import { schemaVersion } from '../../../../src/service/storage/schema.js'
import { literal, sql } from '../../../../src/service/storage/sql.js'
import { openStorage, type Storage } from '../../../../src/service/storage/storage.js'
import { describedHost } from '../../../support/described-responses.js'
import { mountSmallDisk } from '../../../support/small-disk.js'
import {
  clock,
  createServiceFixture,
  type Database,
  databases,
  type ServiceFixture,
  temporarySqlite,
  useDatabase,
} from '../fixtures.js'
import { passwordCost } from '../oauth/test-service.js'

interface LogLine {
  level: string
  request_id: string
  duration_ms: number
}

let database: Database
let at: ServiceFixture
let metrics: Metrics
let lines: LogLine[]
let isStopping: boolean

/** Runs the tests of a block with a database; starts without requests. */
function useService(open: () => Promise<Database>) {
  const opened = useDatabase(open)
  beforeEach(async () => {
    database = opened
    at = await createServiceFixture(database.storage)
    metrics = createMetrics({ version: '1.2.3' })
    lines = []
    isStopping = false
  })
}

/**
 * Starts the service and returns its URL.
 *
 * @param options.isDescribed whether responses are compared with the OpenAPI document, which reads them completely first
 */
async function start(storage = database.storage, { isDescribed = true } = {}): Promise<string> {
  const write = (text: string) => void lines.push(JSON.parse(text))
  const log = createLog(write, { format: 'json', level: 'debug', clock })
  const service = withAuthorizationServer(at.app, {
    ...{ storage, clock, publicUrl: undefined, host: '127.0.0.1', trustedProxies: undefined, passwordCost },
    onSignIn: metrics.countSignIn,
    onError: (error) => at.errors.push(error),
  })
  const app = withOperationEndpoints(service, { storage, isStopping: () => isStopping })
  const observer = createObserver(log, metrics)
  const listener = await listen(isDescribed ? describedHost(app) : app, {
    host: '127.0.0.1',
    port: 0,
    observer,
  })
  onTestFinished(() => listener.close())
  return listener.url
}

/** Returns a storage whose database is closed. */
async function closedStorage(): Promise<Storage> {
  const { storage, close } = await temporarySqlite()
  await close()
  return storage
}

/** Returns the values of a metric by the text of their labels. */
async function valuesOf(metric: string): Promise<Record<string, number>> {
  const rows = (await metrics.text()).split('\n').filter((line) => new RegExp(`^${metric}[{ ]`).test(line))
  return Object.fromEntries(
    rows.map((row) => [
      row.slice(metric.length, row.lastIndexOf(' ')),
      Number(row.slice(row.lastIndexOf(' '))),
    ]),
  )
}

describe.each(databases)('operation over %s', (_, open) => {
  useService(open)

  it('is healthy even while it stops or has no database', async () => {
    isStopping = true
    const url = await start(await closedStorage())
    const response = await fetch(`${url}/healthz`)
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }])
  })

  it.each([
    ['is ready with a database that has all migrations', {}, {}],
    ['is not ready while it stops', { running: false }, { stops: true }],
    [
      'is not ready without a database',
      { database: false, migrations: false, disk: false },
      { isClosed: true },
    ],
  ])(
    '%s',
    async (_, missing, { stops = false, isClosed = false }: { stops?: boolean; isClosed?: boolean }) => {
      const url = await start(isClosed ? await closedStorage() : database.storage)
      isStopping = stops
      const response = await fetch(`${url}/readyz`)
      const disk = database.storage.dialect === 'sqlite' ? { disk: true } : {}
      const checks = { database: true, migrations: true, ...disk, running: true, ...missing }
      const [code, status] = Object.keys(missing).length > 0 ? [503, 'not_ready'] : [200, 'ready']
      expect([response.status, await response.json()]).toEqual([code, { status, checks }])
    },
  )

  it.each([
    [schemaVersion - 1, 503],
    [schemaVersion + 1, 200],
  ])('with schema version %i, its readiness has the status %i', async (version, status) => {
    const { storage } = database
    const set = async (value: number) => {
      const statement =
        storage.dialect === 'sqlite' ? sql`pragma user_version =` : sql`update schema_version set version =`
      await storage.queries.all(sql`${statement} ${literal(value)}`)
    }
    const url = await start()
    await set(version)
    const response = await fetch(`${url}/readyz`).finally(() => set(schemaVersion))
    expect(response.status).toBe(status)
  })

  it('shows each check in the metrics', async () => {
    const { storage } = database
    metrics = createMetrics({
      ...{ version: '1.2.3', disk: storage.disk },
      readiness: () => checkReadiness(storage, isStopping),
    })
    isStopping = true
    const isReady = { '{check="database"}': 1, '{check="migrations"}': 1, '{check="running"}': 0 }
    const ofDisk = storage.disk ? { '{check="disk"}': 1 } : {}
    expect(await valuesOf('tt_ready')).toEqual({ ...isReady, ...ofDisk })
    if (!storage.disk) return
    const [free, size] = [await valuesOf('tt_disk_free_bytes'), await valuesOf('tt_disk_size_bytes')]
    expect(size['']).toBeGreaterThan(free[''] ?? 0)
  })

  it('does not measure the time in which a client sends its body', { tags: 'slow' }, async () => {
    const url = await start()
    const head = `POST /api/v1/timesheets HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${at.users[0]}\r\nContent-Length: 2\r\n\r\n{`
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(head))
    onTestFinished(() => void socket.destroy())
    await new Promise((resolve) => setTimeout(resolve, 1500))
    socket.write('}')
    const [text] = await once(socket, 'data')
    expect(String(text)).toMatch(/^HTTP\/1.1 422 /)
    const count = async () => (await valuesOf('tt_http_request_duration_seconds_bucket'))[bucket]
    const bucket = '{le="1",method="POST",route="/api/v1/timesheets"}'
    await vi.waitFor(async () => expect(await count()).toBe(1))
    expect(lines.at(-1)?.duration_ms).toBeGreaterThan(1000)
  })

  it('allows only GET and HEAD', async () => {
    const url = await start()
    const post = await fetch(`${url}/readyz`, { method: 'POST' })
    expect([post.status, post.headers.get('Allow')]).toEqual([405, 'GET, HEAD'])
    const head = await fetch(`${url}/readyz`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  it('measures requests by method, route and status', async () => {
    const url = await start()
    const [user] = at.users
    const headers = { Authorization: `Bearer ${user}` }
    await fetch(`${url}/api/v1/timesheets?q=${encodeURIComponent('{"notes_cont":"secret"}')}`, { headers })
    await fetch(`${url}/api/v1/timesheets/7`, { headers })
    await fetch(`${url}/api/v1/timesheets/8`, { headers })
    await fetch(`${url}/nonesuch/secret`, { headers })
    await fetch(`${url}/api/v1/expenses`, { method: 'PROPFIND', headers })
    await vi.waitFor(async () =>
      expect(await valuesOf('tt_http_requests_total')).toEqual({
        '{method="GET",route="/api/v1/timesheets",status="200"}': 1,
        '{method="GET",route="/api/v1/timesheets/{id}",status="404"}': 2,
        '{method="GET",route="unknown",status="404"}': 1,
        '{method="other",route="/api/v1/expenses",status="405"}': 1,
      }),
    )
    const counts = await valuesOf('tt_http_request_duration_seconds_count')
    expect(counts['{method="GET",route="/api/v1/timesheets/{id}"}']).toBe(2)
    expect((await fetch(`${url}/metrics`)).status).toBe(404)
    const app = metricsApp(metrics, { storage: database.storage, isStopping: () => false })
    const response = await app.fetch(new Request('http://local/metrics'), {})
    expect(response.headers.get('Content-Type')).toMatch(/^text\/plain; version=0\.0\.4/)
    expect(await response.text()).toContain('tt_info{version="1.2.3"} 1')
    expect(await valuesOf('nodejs_eventloop_lag_p99_seconds')).toEqual({ '': expect.any(Number) })
  })

  it('measures a request by the route that responds to it, however its path is written', async () => {
    const { port } = new URL(await start())
    const authorization = `Bearer ${at.users[0]}`
    const paths = [
      '/api/v1/./projects?x=/../1',
      '/x/%2e%2e/api/v1/projects',
      `http://127.0.0.1:${port}/api/v1/projects`,
    ]
    for (const path of [...paths, '//127.0.0.1/api/v1/projects']) {
      const response = get({ host: '127.0.0.1', port, path, headers: { authorization } })
      const [message] = (await once(response, 'response')) as [IncomingMessage]
      await once(message.resume(), 'end')
    }
    await vi.waitFor(async () =>
      expect(await valuesOf('tt_http_requests_total')).toEqual({
        '{method="GET",route="/api/v1/projects",status="200"}': 3,
        '{method="GET",route="unknown",status="404"}': 1,
      }),
    )
  })

  it('counts the outcomes of sign-ins', async () => {
    const url = await start()
    const attempt = () =>
      fetch(`${url}/api/v1/authenticate`, {
        method: 'POST',
        body: new URLSearchParams({ email: 'a@example.org', password: 'wrong', application: 'test' }),
      })
    for (let count = 0; count < 6; count++) await attempt()
    expect(await valuesOf('tt_sign_ins_total')).toEqual({
      '{outcome="success"}': 0,
      '{outcome="wrong"}': 5,
      '{outcome="blocked"}': 1,
    })
  })

  it('logs each request with its user, and neither query, token nor path', async () => {
    const url = await start()
    const [user] = at.users
    const headers = { Authorization: `Bearer ${user}`, 'X-Request-Id': 'proxy-1', Cookie: 'session=secret' }
    const query = `q=${encodeURIComponent('{"notes_cont":"secret"}')}`
    const response = await fetch(`${url}/api/v1/timesheets?${query}`, { headers })
    expect(response.headers.get('X-Request-Id')).toBe('proxy-1')
    const other = await fetch(`${url}/api/v1/secret`, { headers: { 'X-Request-Id': 'two words' } })
    await vi.waitFor(() => expect(lines).toHaveLength(2))
    expect(lines).toEqual([
      {
        ...{ level: 'info', time: clock().toISOString(), message: 'Request' },
        ...{ request_id: 'proxy-1', method: 'GET', route: '/api/v1/timesheets', status: 200, user_id: user },
        duration_ms: expect.any(Number),
      },
      expect.objectContaining({
        request_id: other.headers.get('X-Request-Id'),
        route: 'unknown',
        status: 404,
      }),
    ])
    expect(lines[1]?.request_id).toMatch(/^[0-9a-f-]{36}$/)
    expect(JSON.stringify(lines)).not.toContain('secret')
  })

  it('logs health checks for debugging only', async () => {
    const url = await start()
    await fetch(`${url}/healthz`)
    isStopping = true
    await fetch(`${url}/readyz`)
    await vi.waitFor(() => expect(lines.map(({ level }) => level)).toEqual(['debug', 'warn']))
  })
})

describe('a client that disconnects', () => {
  useService(temporarySqlite)

  it.each([
    ['before its body is complete', 'POST /api/v1/timesheets HTTP/1.1\r\nContent-Length: 100', '{"notes": '],
    ['while a form is being sent', `${form}\r\nContent-Length: 100`, 'email=a'],
    ['while a body without length is being sent', `${form}\r\nTransfer-Encoding: chunked`, '5\r\nemail\r\n'],
  ])('%s is no error', async (_, head, body) => {
    const socket = await send(await start(), head, body)
    socket.destroy()
    await vi.waitFor(() => expect(lines).toHaveLength(1))
    expect(lines[0]).toMatchObject({ level: 'info', status: 499, aborted: true })
    expect(at.errors).toEqual([])
  })

  it('during a list is no error', { tags: 'slow' }, async () => {
    await at.storeEntries(1000, { notes: 'x'.repeat(10_000) })
    const head = `GET /api/v1/timesheets HTTP/1.1\r\nAuthorization: Bearer ${at.users[0]}`
    const socket = await send(await start(database.storage, { isDescribed: false }), head, '')
    await new Promise((resolve) => socket.once('data', resolve))
    socket.destroy()
    await vi.waitFor(() => expect(lines).toHaveLength(1))
    expect(lines[0]).toMatchObject({ level: 'info', status: 200, aborted: true, user_id: at.users[0] })
    expect(at.errors).toEqual([])
  })
})

const form = 'POST /api/v1/authenticate HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded'

/** Sends the head of a request and the beginning of its body. */
function send(url: string, head: string, body: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(`${head}\r\nHost: ${hostname}:${port}\r\n\r\n${body}`, () => resolve(socket))
    })
    socket.on('error', reject)
  })
}

it('a port for metrics has no other paths', async () => {
  const storage = await closedStorage()
  const app = metricsApp(createMetrics({ version: '1' }), { storage, isStopping: () => false })
  const status = async (path: string) => (await app.fetch(new Request(`http://local${path}`), {})).status
  expect(await Promise.all(['/metrics', '/healthz', '/', '/api/v1/companies'].map(status))).toEqual([
    200, 200, 404, 404,
  ])
})

it('measures the connections of a pool', async () => {
  let waiting = 0
  const metrics = createMetrics({ version: '1', poolState: () => ({ active: 3, idle: 2, waiting }) })
  waiting = 4
  const text = await metrics.text()
  expect(text).toContain('tt_database_connections{state="active"} 3')
  expect(text).toContain('tt_database_connections{state="idle"} 2')
  expect(text).toContain('tt_database_waiting_requests 4')
})

it.each([
  { outcome: 'success', open: async () => (await temporarySqlite()).storage },
  { outcome: 'failure', open: closedStorage },
])('counts clean-ups by outcome: $outcome', async ({ outcome, open }) => {
  metrics = createMetrics({ version: '1' })
  const lastSuccess = 'tt_clean_up_last_success_timestamp_seconds'
  expect(await valuesOf(lastSuccess)).toEqual({ '': 0 })
  const storage = await open()
  onTestFinished(() => storage.close())
  const { countCleanUp: onDone, countFailedCleanUp: onError } = metrics
  const cleanUp = startCleanUp({ storage, clock, onDone, onError })
  const expected = { '{outcome="success"}': 0, '{outcome="failure"}': 0, [`{outcome="${outcome}"}`]: 1 }
  await vi.waitFor(async () => expect(await valuesOf('tt_clean_up_runs_total')).toEqual(expected))
  await cleanUp.stop()
  const { '': seconds = 0 } = await valuesOf(lastSuccess)
  expect(seconds > 0).toBe(outcome === 'success')
})

it('is not ready with a full disk', { tags: 'slow' }, async ({ skip }) => {
  const directory = mountSmallDisk(4)
  if (directory === undefined) return skip('this user cannot mount a file system')
  const storage = await openStorage(`sqlite:${join(directory, 'team.db')}`)
  expect(await checkReadiness(storage, false)).toMatchObject({ database: true, disk: true })
  const filler = join(directory, 'filler')
  const { status } = spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=1k'])
  expect(status).toBe(1)
  await expect.poll(() => checkReadiness(storage, false)).toMatchObject({ database: true, disk: false })
  rmSync(filler)
  await expect.poll(() => checkReadiness(storage, false)).toMatchObject({ database: true, disk: true })
  expect(readdirSync(directory).filter((name) => name.includes('check'))).toEqual([])
  await storage.close()
})
