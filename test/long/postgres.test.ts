import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { scopes } from '../../src/api-client/types.js'
import { createApp } from '../../src/service/http/app.js'
import type { ConnectionOptions } from '../../src/service/storage/postgres/pool.js'
import { sql } from '../../src/service/storage/sql.js'
import { openStorage, type Storage } from '../../src/service/storage/storage.js'
import { startPgBouncer, untilWaiting } from '../support/pgbouncer.js'
import { listenOnFreePort } from '../support/ports.js'
import {
  createSharedDatabase,
  execute,
  findPostgresPrograms,
  startPostgresServer,
} from '../support/postgres.js'
import { isInstalled } from '../support/process.js'
import { createServiceFixture } from '../unit/service/fixtures.js'

const hasPostgres = findPostgresPrograms() !== undefined
const reason = hasPostgres ? '' : ' (skipped: no PostgreSQL server is installed)'
let url: string
let drop: () => Promise<void>

async function open(options: ConnectionOptions = {}, location = url): Promise<Storage> {
  const storage = await openStorage(location, options)
  onTestFinished(() => storage.close())
  return storage
}

/** Ends all other connections to the database, as an administrator or a failover does. */
const terminateAll = () =>
  execute(
    url,
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  )

describe.skipIf(!hasPostgres)(`a storage over PostgreSQL${reason}`, () => {
  beforeEach(async () => {
    ;({ url, drop } = await createSharedDatabase())
  })
  afterEach(() => drop())

  it('loses and doubles no create while all connections are terminated under load', async () => {
    const at = await createServiceFixture(await open({ poolSize: 5 }))
    const statuses = new Set<number>()
    let requests = 0
    /** Sends a request until its outcome is known, as a client does. */
    const send = async (...request: Parameters<typeof at.send>) => {
      for (;;) {
        const response = await at.send(...request)
        requests++
        statuses.add(response.status)
        if (response.status !== 503) return response
        expect(response.headers.get('Retry-After')).toMatch(/^\d+$/)
        expect(await response.json()).toMatchObject({ error: 'unavailable' })
      }
    }
    let isRunning = true
    const client = async (number: number) => {
      let created = 0
      for (; isRunning; created++) {
        const body = { time_start: '2024-05-08T09:00:00Z', task_link_id: at.link }
        const headers = { 'Idempotency-Key': `${number}-${created}` }
        const response = await send('POST', '/timesheets', body, undefined, headers)
        const { id } = (await response.json()) as { id: number }
        expect((await send('PATCH', `/timesheets/${id}`, { notes: 'x' })).status).toBe(200)
        expect((await send('GET', '/timesheets?per_page=2')).status).toBe(200)
      }
      return created
    }
    const clients = Array.from({ length: 10 }, (_, number) => client(number))
    for (let round = 0; round < 10; round++) {
      const enough = requests + 25
      await expect.poll(() => requests, { interval: 5 }).toBeGreaterThan(enough)
      await terminateAll()
    }
    isRunning = false
    const created = (await Promise.all(clients)).reduce((sum, count) => sum + count, 0)
    expect([...statuses].filter((status) => ![200, 201, 503].includes(status))).toEqual([])
    expect(await at.ids('/timesheets')).toHaveLength(created)
  })

  it('repeats reads on another connection when all connections were terminated', async () => {
    const at = await createServiceFixture(await open({ poolSize: 5 }))
    await Promise.all(Array.from({ length: 10 }, () => at.get('/companies')))
    for (let round = 0; round < 10; round++) {
      await terminateAll()
      const responses = await Promise.all(Array.from({ length: 10 }, () => at.get('/companies')))
      expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
    }
    expect(at.errors).toEqual([])
  })

  it('stores one of several changes with the same entity tag on two nodes', async () => {
    const storage = await open({ poolSize: 5 })
    const at = await createServiceFixture(storage)
    const authenticate = async () => ({ userId: at.users[0], scopes: new Set(scopes) })
    const nodes = [storage, await open({ poolSize: 5 })].map((one) =>
      createApp({ storage: one, clock: () => new Date(), authenticate }),
    )
    const send = async (node: number, method: string, ifMatch: string, id: number, fields: object) =>
      nodes[node]?.fetch(
        new Request(`http://local/api/v1/timesheets/${id}`, {
          method,
          headers: { Authorization: 'Bearer any', 'If-Match': ifMatch },
          ...(method === 'PATCH' ? { body: JSON.stringify(fields) } : {}),
        }),
      )
    // An external ID needs a transaction; other fields are changed in one statement.
    for (const other of [{}, { external_id: 'x' }])
      for (let round = 0; round < 10; round++) {
        const body = { time_start: '2024-05-08T09:00:00Z', task_link_id: at.link }
        const created = await at.send('POST', '/timesheets', body)
        const { id, etag } = (await created.json()) as { id: number; etag: string }
        const responses = await Promise.all(
          Array.from({ length: 8 }, (_, n) => send(n % 2, 'PATCH', etag, id, { ...other, notes: `${n}` })),
        )
        const changed = responses.filter((response) => response?.status === 200)
        expect(changed).toHaveLength(1)
        expect(responses.filter((response) => response?.status === 412)).toHaveLength(7)
        expect(await (await at.get(`/timesheets/${id}`)).json()).toEqual([await changed[0]?.json()])
        const tag = changed[0]?.headers.get('ETag') ?? ''
        const deletions = await Promise.all([0, 1].map((node) => send(node, 'DELETE', tag, id, {})))
        expect(deletions.map((response) => response?.status).sort()).toEqual([204, 404])
      }
  })

  it('repeats a transaction that was rolled back with its connection, and none whose end is unknown', async () => {
    const { queries } = await open()
    const terminateSelf = sql`select pg_terminate_backend(pg_backend_pid())`
    let runs = 0
    await queries.transaction(async (transaction) => {
      await transaction.all(sql`insert into tasks (name) values (${`task ${++runs}`})`)
      if (runs < 3) await transaction.all(terminateSelf)
    })
    expect(await queries.all(sql`select name from tasks`)).toEqual([{ name: 'task 3' }])

    await execute(
      url,
      `create function end_connection() returns trigger language plpgsql as
         $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$;
       create constraint trigger at_commit after insert on tasks deferrable initially deferred
         for each row execute function end_connection()`,
    )
    const committing = queries.transaction(async (transaction) => {
      runs++
      await transaction.all(sql`insert into tasks (name) values ('lost')`)
    })
    await expect(committing).rejects.toMatchObject({ name: 'DatabaseUnavailableError', isRepeatable: false })
    expect(runs).toBe(4)
  })

  it('repeats a transaction after a deadlock', async () => {
    const { queries } = await open()
    await queries.all(sql`insert into tasks (name) values ('one'), ('two')`)
    let waiting = 0
    const runs = [0, 0]
    const change = (index: number, names: string[]) =>
      queries.transaction(async (transaction) => {
        runs[index] = (runs[index] ?? 0) + 1
        // Otherwise it could lock its first row again before the other one locks it, and deadlock once more.
        if (runs[index] === 2) await changes[1 - index]
        for (const name of names) {
          await transaction.all(sql`update tasks set name = name || '!' where name like ${`${name}%`}`)
          waiting++
          await expect.poll(() => waiting, { interval: 5 }).toBeGreaterThan(1)
        }
      })
    const changes = [change(0, ['one', 'two']), change(1, ['two', 'one'])]
    await Promise.all(changes)
    expect(runs.toSorted()).toEqual([1, 2])
    expect(await queries.all(sql`select name from tasks order by name`)).toEqual([
      { name: 'one!!' },
      { name: 'two!!' },
    ])
  })

  it('responds 503 while no connection is free, and 200 again', async () => {
    const storage = await open({ poolSize: 1, connectMs: 100 })
    const at = await createServiceFixture(storage)
    const blocked = await storage.queries.transaction(() => at.get('/companies'))
    expect([blocked.status, blocked.headers.get('Retry-After')]).toEqual([503, '2'])
    expect(storage.poolState?.()).toEqual({ active: 0, idle: 1, waiting: 0 })
    expect((await at.get('/companies')).status).toBe(200)
  })

  it('responds 503 while a table is locked, cancels the statements, and keeps the connections', async () => {
    const storage = await open({ poolSize: 3 })
    const at = await createServiceFixture(storage)
    const entry = { time_start: '2024-05-08T09:00:00Z', task_link_id: at.link }
    const { id } = (await (await at.send('POST', '/timesheets', entry)).json()) as { id: number }
    storage.limits.statementMs = 200
    const locker = await connectTo(url)
    await locker.query('begin; lock table time_entries in access exclusive mode')
    const responses = await Promise.all([
      at.get('/timesheets'),
      at.send('POST', '/timesheets', entry),
      at.send('PATCH', `/timesheets/${id}`, { notes: 'x' }),
      at.send('DELETE', `/timesheets/${id}`),
      at.get('/companies'),
    ])
    expect(responses.map(({ status }) => status)).toEqual([503, 503, 503, 503, 200])
    const { rows } = await locker.query('select pid from pg_stat_activity where wait_event_type = $1', [
      'Lock',
    ])
    expect(rows).toEqual([])
    await locker.query('rollback')
    expect(await at.ids('/timesheets')).toEqual([id])
  })

  it('writes whatever the clock of the database shows, and while it is set', async () => {
    await execute(
      url,
      `create table clock (ahead interval);
       insert into clock values ('-3 days');
       create function public.clock_timestamp() returns timestamptz language sql as
         'select pg_catalog.clock_timestamp() + ahead from clock';
       do $$ begin
         execute format('alter database %I set search_path = public, pg_catalog', current_database());
       end $$`,
    )
    const storage = await open()
    const at = await createServiceFixture(storage)
    storage.limits.statementMs = 5000
    for (const ahead of ['-3 days', '2 days', '-1 day']) {
      await execute(url, `update clock set ahead = '${ahead}'`)
      const entry = { time_start: '2024-05-08T09:00:00Z', task_link_id: at.link }
      const created = await at.send('POST', '/timesheets', entry)
      expect(created.status).toBe(201)
      const { id } = (await created.json()) as { id: number }
      expect((await at.send('PATCH', `/timesheets/${id}`, { notes: ahead })).status).toBe(200)
    }
    expect(await at.ids('/timesheets')).toHaveLength(3)
  })

  it('ends a transaction that stays idle', async () => {
    const storage = await open()
    storage.limits.idleInTransactionMs = 50
    const idle = storage.queries.transaction(async (transaction) => {
      await sleep(500)
      await transaction.all(sql`select 1`)
    })
    await expect(idle).rejects.toMatchObject({ name: 'DatabaseUnavailableError' })
    expect(await storage.queries.all(sql`select 1 as one`)).toEqual([{ one: 1 }])
  })

  it('sets limits only within transactions, and prepares statements only if it may', async () => {
    const storage = await open({ poolSize: 1 })
    Object.assign(storage.limits, { statementMs: 2000, idleInTransactionMs: 3000 })
    const limits = sql`select current_setting('statement_timeout') as statement,
      current_setting('idle_in_transaction_session_timeout') as idle, count(*) as prepared from pg_prepared_statements`
    const inside = await storage.queries.transaction((transaction) => transaction.all(limits))
    expect(inside).toEqual([{ statement: '2s', idle: '3s', prepared: 0 }])
    expect(await storage.queries.all(limits)).toEqual([{ statement: '0', idle: '0', prepared: 0 }])
    const { queries } = await open({ poolSize: 1, preparesStatements: true })
    await queries.all(sql`select ${1}::int as one`)
    expect(await queries.all(sql`select ${2}::int as one`)).toEqual([{ one: 2 }])
    const count = sql`select count(*) as count from pg_prepared_statements where statement like 'select $1::int%'`
    expect(await queries.all(count)).toEqual([{ count: 1 }])
  })

  it('cancels no statement after the one that took too long', async () => {
    const { proxy, location } = await startProxy()
    const storage = await open({ poolSize: 1 }, location)
    /** Runs a statement that ends after its limit, but before its cancel request is delivered. */
    const runTooLong = async (cancelDelayMs: number) => {
      Object.assign(proxy, { cancelDelayMs })
      storage.limits.statementMs = 200
      await storage.queries.all(sql`select pg_sleep(0.3)`)
      storage.limits.statementMs = 10_000
    }
    const runNext = () => storage.queries.all(sql`select pg_backend_pid() as pid, pg_sleep(1)`)
    const [before] = await runNext()
    await runTooLong(400)
    expect(await runNext()).toEqual([before])
    await runTooLong(1600)
    const [after] = await runNext()
    expect(after).not.toEqual(before)
    expect(proxy.cancelRequests).toBeGreaterThan(1)
  })

  it('sends a cancel request again only after the one before', async () => {
    const { proxy, location } = await startProxy()
    const storage = await open({ poolSize: 1 }, location)
    Object.assign(proxy, { cancelDelayMs: 600 })
    storage.limits.statementMs = 200
    const error = await storage.queries.all(sql`select pg_sleep(3)`).catch((error) => error)
    expect(error.cause.message).toContain('due to user request')
    expect(proxy.cancelRequests).toBe(1)
  })

  it('cancels no change after a reading of the clock that took too long', async () => {
    const { proxy, location } = await startProxy()
    const storage = await open({ poolSize: 1 }, location)
    const at = await createServiceFixture(storage)
    // The first call, for the reading, ends after its limit; the second one, in the change, waits until a late cancel.
    await execute(
      url,
      `create sequence calls;
       create function public.clock_timestamp() returns timestamptz language plpgsql as $$ begin
         perform pg_sleep(case nextval('calls') when 1 then 2.1 when 2 then 0.7 else 0 end);
         return pg_catalog.clock_timestamp();
       end $$;
       do $$ begin
         execute format('alter database %I set search_path = public, pg_catalog', current_database());
       end $$`,
    )
    await terminateAll()
    Object.assign(proxy, { cancelDelayMs: 1300 })
    storage.limits.statementMs = 2000
    const entry = { time_start: '2024-05-08T09:00:00Z', task_link_id: at.link }
    expect((await at.send('POST', '/timesheets', entry)).status).toBe(201)
    expect(proxy.cancelRequests).toBeGreaterThan(0)
  })

  it('gives up a connection without responses', async () => {
    const { proxy, location } = await startProxy()
    const storage = await open({ poolSize: 2 }, location)
    const at = await createServiceFixture(storage)
    storage.limits.statementMs = 50
    proxy.isSilent = true
    expect((await at.get('/companies')).status).toBe(503)
    proxy.isSilent = false
    expect((await at.get('/companies')).status).toBe(200)
  })

  it.skipIf(!isInstalled('pgbouncer'))(
    `executes no write that PgBouncer sends after its response${isInstalled('pgbouncer') ? '' : ' (skipped: it is not installed)'}`,
    async () => {
      const pooled = await startPgBouncer(url)
      const storage = await open({}, pooled)
      const at = await createServiceFixture(storage)
      const entry = { time_start: '2024-05-08T09:00:00Z', task_link_id: at.link, notes: 'before' }
      const { id } = (await (await at.send('POST', '/timesheets', entry)).json()) as { id: number }
      const other = await connectTo(pooled)
      storage.limits.statementMs = 100
      // PgBouncer discards a statement of a disconnected client only if its buffer of 4 kB contains the whole statement.
      const longNotes = 'after '.repeat(2000)
      /** Sends a request while another client has the only connection, until after the response. */
      const sendWhileBusy = async (...request: Parameters<typeof at.send>) => {
        await other.query('begin')
        const { status } = await at.send(...request)
        await other.query('commit')
        await untilWaiting(pooled, 0)
        return status
      }
      expect(await sendWhileBusy('POST', '/timesheets', { ...entry, notes: longNotes })).toBe(503)
      expect(await sendWhileBusy('PATCH', `/timesheets/${id}`, { notes: longNotes })).toBe(503)
      const direct = await connectTo(url)
      const { rows } = await direct.query('select id, notes from time_entries')
      expect(rows).toEqual([{ id: String(id), notes: 'before' }])
      expect((await at.send('PATCH', `/timesheets/${id}`, { notes: 'again' })).status).toBe(200)
    },
  )
})

/** Connects to the database at this URL until the end of the test. */
async function connectTo(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  client.on('error', () => {}) // The database is dropped with the test.
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

it.skipIf(!hasPostgres)(`responds 503 while PostgreSQL restarts, and 200 again${reason}`, async () => {
  const server = await startPostgresServer()
  const at = await createServiceFixture(await open({ connectMs: 200 }, server.url()))
  await server.kill()
  const stopped = await at.get('/companies')
  expect([stopped.status, stopped.headers.get('Retry-After')]).toEqual([503, '2'])
  expect(await stopped.text()).not.toMatch(/127\.0\.0\.1|ECONN|postgres/i)
  await server.start()
  expect((await at.get('/companies')).status).toBe(200)
})

/** `80877102`: the code of a cancel request, after its length (postgresql.org/docs, section 55.7). */
const isCancelRequest = (data: Buffer) => data.length === 16 && data.readInt32BE(4) === 80_877_102

/** Starts a proxy to the database that can keep data without closing connections, and delay cancel requests. */
async function startProxy() {
  const sockets = new Set<Socket>()
  const proxy = { isSilent: false, cancelDelayMs: 0, cancelRequests: 0 }
  const server: Server = createServer((client) => {
    const upstream = connect(Number(new URL(url).port), '127.0.0.1')
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('error', () => to.destroy()).on('close', () => to.destroy())
      from.on('data', (data) => {
        if (proxy.isSilent) return
        if (!isCancelRequest(data)) return void to.write(data)
        proxy.cancelRequests++
        setTimeout(() => to.destroyed || to.write(data), proxy.cancelDelayMs)
      })
    }
  })
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const port = await listenOnFreePort(server)
  return { proxy, location: url.replace(/:\d+\//, `:${port}/`) }
}
