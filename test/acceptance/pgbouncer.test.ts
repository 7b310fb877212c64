import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { documentedPgBouncer, documentedRoleSetting } from '../support/pgbouncer.js'
import {
  execute,
  findPostgresPrograms,
  type PostgresServer,
  startPostgresServer,
} from '../support/postgres.js'
import {
  expectRecords,
  readPreviousDump,
  readPreviousService,
  type Send,
} from '../support/previous-service.js'
import { isInstalled, startServeProcess, temporaryDirectory, tt } from '../support/process.js'

const missing = [
  ...(findPostgresPrograms() ? [] : ['PostgreSQL']),
  ...['pgbouncer', 'psql'].filter((program) => !isInstalled(program)),
]
const password = 'a-password-of-the-role'

test('two nodes upgrade and serve a database through PgBouncer with the example in docs/hosting', async ({
  skip,
}) => {
  skip(missing.length > 0, `${missing} is not installed`)
  const server = await startPostgresServer()
  const direct = await createPreviousDatabase(server)
  const bouncer = await documentedPgBouncer(server, password)
  const database = await bouncer.start()
  // Both start at once. They open more connections to PgBouncer, 2 × 30, than it opens to PostgreSQL, 20.
  const options = ['--database', database, '--pool-size', '30', '--quiet']
  // Longer than usual, because a busy machine takes longer: a statement that is not cancelled would still wait.
  options.push('--statement-timeout', '3', '--connection-timeout', '10')
  const start = () => startServeProcess(temporaryDirectory(), ...options)
  const nodes = await Promise.all([start(), start()])
  let output = ''
  for (const { child } of nodes) child.stderr?.on('data', (text: string) => (output += text))
  let requests = 0
  // Each request has a connection of its own: one that was unused for 5 s may just be closed.
  const send: Send = (path, init) =>
    fetch(new URL(path, nodes[++requests % 2]?.url), {
      ...init,
      headers: { ...init?.headers, connection: 'close' },
    })

  const previous = readPreviousService('postgres')
  await expectRecords(previous, send)
  await expect.poll(() => direct('select count(*)::int as count from sessions')).toEqual([{ count: 0 }])

  const email = previous.users.Ada?.email ?? ''
  const { tokens, link } = await addUsers(database, [`new-${email}`, `other-${email}`])
  const headers = { Authorization: `Bearer ${tokens[0]}` }
  const create = (notes: string, token = tokens[0]) =>
    send('/api/v1/timesheets', {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}` },
      body: JSON.stringify({ time_start: '2024-05-01T09:00:00Z', task_link_id: link, notes }),
    })
  const edit = async (number: number) => {
    const created = await create(`note ${number}`)
    if (created.status !== 201) return `${created.status}, not created`
    const { id } = (await created.json()) as { id: number }
    const body = JSON.stringify({ time_end: '2024-05-01T10:00:00Z' })
    return (await send(`/api/v1/timesheets/${id}`, { method: 'PATCH', headers, body })).status
  }
  const statuses = await Promise.all(Array.from({ length: 200 }, (_, number) => edit(number)))
  expect(new Set(statuses), output).toEqual(new Set([200]))
  const stored = `select count(*)::int as count, count(distinct notes)::int as notes from time_entries where notes like 'note %'`
  expect(await direct(stored)).toEqual([{ count: 200, notes: 200 }])
  const connections = `select count(*)::int as count from pg_stat_activity where application_name <> 'test' and datname = 'tt'`
  const [open] = await direct<{ count: number }>(connections)
  expect(open?.count).toBeGreaterThan(1)
  expect(open?.count).toBeLessThanOrEqual(20)

  // A locked table: all statements are cancelled, also those that waited for one of the 20 connections of PgBouncer when
  // their time ended. No limit remains on the connections for others.
  await direct('begin; lock table time_entries in access exclusive mode')
  // Each node has 8 requests of each user: it processes 16 at once. Together they need more than 20.
  const blocked = await Promise.all(
    Array.from({ length: 32 }, (_, number) => create(`blocked ${number}`, tokens[number < 16 ? 0 : 1])),
  )
  expect(
    blocked.map(({ status }) => status),
    output,
  ).toEqual(Array(32).fill(503))
  const waiting = `select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock' and datname = 'tt'`
  await expect
    .poll(async () => {
      await direct('select pg_stat_clear_snapshot()') // A transaction otherwise sees the same activity again.
      return direct(waiting)
    })
    .toEqual([{ count: 0 }])
  await direct('rollback')
  await expect.poll(async () => (await create('after the lock')).status, { timeout: 15_000 }).toBe(201)
  // This waits for all 20 connections: PgBouncer opens those again that were given up.
  expect(await settings(database, 20)).toEqual(new Set(['0 0']))
  expect((await create('with the whole pool')).status, `${output}\n${bouncer.log()}`).toBe(201)
  expect(await direct(`select id from time_entries where notes like 'blocked %'`)).toEqual([])

  await bouncer.stop()
  expect((await create('without PgBouncer')).status).toBe(503)
  await bouncer.start()
  expect((await create('after the restart')).status).toBe(201)
  for (const { child } of nodes) expect(child.exitCode).toBeNull()
})

/**
 * Creates the database `tt` of schema version 4 with expired sessions, and requires the password of its owner. Returns a
 * function that runs statements with a direct connection, the same one for all.
 */
async function createPreviousDatabase(server: PostgresServer) {
  await execute(server.url(), `alter role tt password '${password}'`)
  await execute(server.url(), documentedRoleSetting())
  await execute(server.url(), 'create database tt')
  await execute(server.url('tt'), readPreviousDump())
  await execute(server.url('tt'), 'update sessions set expires_at = 1')
  await execute(
    server.url('tt'),
    `do $$ begin
       execute format('copy (select ''host all all all scram-sha-256'') to %L', current_setting('hba_file'));
       perform pg_reload_conf();
     end $$`,
  )
  const url = server.url('tt').replace('tt@', `tt:${password}@`)
  const client = new pg.Client({ connectionString: url, application_name: 'test' })
  await client.connect()
  onTestFinished(() => client.end())
  const withWrongPassword = () =>
    execute(url.replace(password, 'wrong'), 'select 1').catch(({ code }) => code)
  await expect.poll(withWrongPassword).toBe('28P01')
  return async <Row extends object>(text: string): Promise<Row[]> => (await client.query(text)).rows
}

/** Adds these users; returns their tokens and a task link that they can see. */
async function addUsers(database: string, emails: string[]): Promise<{ tokens: string[]; link: number }> {
  const home = temporaryDirectory()
  const json = async <Value>(...argv: string[]) => {
    const { status, stdout, stderr } = await tt(home, ['admin', ...argv, '--json'], { TT_DATABASE: database })
    expect(status, stderr).toBe(0)
    return JSON.parse(stdout) as Value
  }
  await json('projects', 'add', 'Acme/Website')
  const { id: link } = await json<{ id: number }>('tasks', 'add', 'Acme/Website/Drawing')
  const tokens: string[] = []
  for (const email of emails) tokens.push((await json<{ token: string }>('user', 'add', email)).token)
  return { tokens, link }
}

/** Returns the time limits of this number of connections of PgBouncer that are in use at once. */
async function settings(database: string, count: number): Promise<Set<string>> {
  const values = `current_setting('statement_timeout') || ' ' || current_setting('idle_in_transaction_session_timeout')`
  const pool = new pg.Pool({ connectionString: database, max: count })
  const rows = await Promise.all(
    Array.from({ length: count }, () =>
      pool.query<{ value: string }>(`select ${values} as value, pg_sleep(0.2)`),
    ),
  )
  await pool.end()
  return new Set(rows.flatMap(({ rows: [row] }) => row?.value ?? 'missing'))
}
