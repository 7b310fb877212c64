import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { execute, type PostgresServer, startPostgresServer } from '../support/postgres.js'
import { temporaryDirectory, ttJson } from '../support/process.js'
import { printFigure } from './fixtures.js'
import { startHaproxy } from './haproxy.js'
import { startLoad } from './load.js'
import { createPooledDatabase, missingPrograms, skipReason, startNodes } from './shipped-files.js'

const seconds = Number(process.env.TT_CHAOS_SECONDS ?? 600)
const users = 6
const lockSeconds = 14

test.skipIf(missingPrograms.length > 0)(
  `three nodes behind HAProxy and PgBouncer as in docs/hosting lose and double nothing in ${seconds} seconds of failures${skipReason}`,
  async () => {
    const { primary, standby, databaseUrl } = await startDatabase()
    const home = temporaryDirectory()
    const { tokens, link } = await prepare(home, databaseUrl)
    const { origin, send, nodes, authority } = await startNodes(databaseUrl, 3)
    const load = startLoad(`${origin}/api/v1`, {
      ...{ tokens, link, home: temporaryDirectory() },
      ...{ fetch: send, authority },
    })

    let current = primary
    const events: [string, () => unknown][] = [
      ['all connections of the database terminated', () => terminateAll(current)],
      ['a node killed', () => nodes[0]?.child.kill('SIGKILL')],
      ['all connections of the database terminated', () => terminateAll(current)],
      ['PostgreSQL restarted', () => restart(current)],
      ['a table locked', () => lockTable(current)],
      ['all connections of the database terminated', () => terminateAll(current)],
      [
        'a standby promoted after its primary was killed',
        async () => {
          await primary.kill()
          standby.promote()
          current = standby
        },
      ],
    ]
    /** How many responses were 502 before each event, and at the end. */
    const gatewayErrors: number[] = []
    const pauseMs = Math.max(2000, ((seconds - lockSeconds) * 1000) / (events.length + 1))
    for (const [event, run] of events) {
      await sleep(pauseMs)
      const before = { ...load.statuses }
      gatewayErrors.push(before[502] ?? 0)
      await run()
      printFigure(`${event}; responses so far: ${JSON.stringify(before)}`)
    }
    await sleep(pauseMs)
    await load.stop()
    gatewayErrors.push(load.statuses[502] ?? 0)

    const stored = await readNotes(standby.url('tt'))
    const lost = [...load.confirmed].filter((notes) => !stored.includes(notes))
    const doubled = stored.filter((notes, index) => stored.indexOf(notes) !== index)
    printFigure(`${stored.length} entries, ${JSON.stringify(load.statuses)}`)
    expect({ lost, doubled }).toEqual({ lost: [], doubled: [] })
    expect(load.confirmed.size).toBeGreaterThan(users)
    // HAProxy responds 502 to the requests that the killed node has received: they may have been executed. Each user has
    // one request in flight.
    const killed = events.findIndex(([event]) => event === 'a node killed')
    const [after = 0, ...later] = gatewayErrors.slice(killed + 1)
    expect(gatewayErrors.slice(0, killed + 1)).toEqual(Array(killed + 1).fill(0))
    expect(after).toBeLessThanOrEqual(users)
    expect(later).toEqual(later.map(() => after))
    const unexpected = Object.keys(load.statuses).filter(
      (status) => !/^([24]\d\d|50[23]|no response)$/.test(status),
    )
    expect(unexpected).toEqual([])
    expect(nodes.map(({ child }) => child.exitCode ?? child.signalCode)).toEqual(['SIGKILL', null, null])
  },
)

/** Starts a primary with a synchronous standby, and PgBouncer over a proxy that connects to the primary while it responds. */
async function startDatabase() {
  const primary = await startPostgresServer()
  const standby = await startPostgresServer({
    standbyOf: primary,
    settings: { wal_retrieve_retry_interval: '200ms' },
  })
  // Without this, the standby may lack the last changes when the primary fails.
  await execute(primary.url(), "alter system set synchronous_standby_names = '*'")
  await execute(primary.url(), 'select pg_reload_conf()')
  const port = await startHaproxy([
    `server primary 127.0.0.1:${primary.port} check on-marked-up shutdown-backup-sessions`,
    `server standby 127.0.0.1:${standby.port} check backup`,
  ])
  return { primary, standby, databaseUrl: await createPooledDatabase(primary, port) }
}

async function prepare(home: string, databaseUrl: string) {
  const admin = <Value>(...argv: string[]) => ttJson<Value>(home, 'admin', ...argv, '--database', databaseUrl)
  await admin('projects', 'add', 'Website')
  const { id: link } = await admin<{ id: number }>('tasks', 'add', 'Website/Design')
  const tokens: string[] = []
  for (let user = 0; user < users; user++)
    tokens.push((await admin<{ token: string }>('user', 'add', `user${user}@example.com`)).token)
  return { tokens, link }
}

const terminateAll = (server: PostgresServer) =>
  execute(
    server.url(),
    `select pg_terminate_backend(pid) from pg_stat_activity
     where backend_type = 'client backend' and pid <> pg_backend_pid()`,
  )

async function restart(server: PostgresServer) {
  await server.stop()
  await server.start()
}

const lockTable = (server: PostgresServer) =>
  execute(
    server.url('tt'),
    `begin; lock table time_entries in access exclusive mode; select pg_sleep(${lockSeconds}); commit`,
  )

async function readNotes(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ notes: string }>('select notes from time_entries')
  await client.end()
  return rows.map(({ notes }) => notes)
}
