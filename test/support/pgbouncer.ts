import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { commandsOf, hostingPage, replaceAll } from './hosting-page.js'
import { findFreePort } from './ports.js'
import type { PostgresServer } from './postgres.js'
import { asPostgres, giveToPostgres, isReady } from './postgres-cluster.js'
import { root, run, temporaryDirectory } from './process.js'

/**
 * Starts PgBouncer in transaction mode with one connection to the server, and its default settings otherwise, in front of
 * the database at `url`. Returns the URL of the database behind it. It stops with the test.
 */
export async function startPgBouncer(url: string): Promise<string> {
  const { port, pathname } = new URL(url)
  const [directory, listenPort] = [temporaryDirectory(), await findFreePort()]
  const users = join(directory, 'users.txt')
  writeFileSync(users, '"tt" ""\n')
  const { start } = pgBouncer(
    directory,
    `[databases]
* = host=127.0.0.1 port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
admin_users = tt
pool_mode = transaction
default_pool_size = 1
`,
    `postgres://tt@127.0.0.1:${listenPort}${pathname}`,
  )
  return start()
}

/** Resolves when this number of clients of the PgBouncer at `url` wait for a connection to the server. */
export async function untilWaiting(url: string, clients: number): Promise<void> {
  const console = new pg.Client({ connectionString: url.replace(/[^/]*$/, 'pgbouncer') })
  await console.connect()
  const { pathname } = new URL(url)
  const count = async () => {
    const { rows } = await console.query<{ database: string; cl_waiting: string }>('show pools')
    return Number(rows.find(({ database }) => database === pathname.slice(1))?.cl_waiting)
  }
  while ((await count()) !== clients) await sleep(5)
  await console.end()
}

/** A PgBouncer that a test can stop and start again. */
export interface PgBouncer {
  /** Starts it, and returns the URL of the database behind it when it responds. */
  start(): Promise<string>
  /** Stops it and disconnects all clients. */
  stop(): Promise<void>
  /** Returns the last lines that it has logged. */
  log(): string
}

/**
 * Returns a PgBouncer with the files that docs/hosting.md describes except for addresses, in front of the database `tt` of
 * a server that requires the password of the role `tt`. It stops with the test.
 *
 * @param port of a proxy to which PgBouncer connects instead of the server
 */
export async function documentedPgBouncer(
  server: PostgresServer,
  password: string,
  port = server.port,
): Promise<PgBouncer> {
  const [directory, listenPort] = [temporaryDirectory(), await findFreePort()]
  const users = join(directory, 'userlist.txt')
  const command = replaceAll(
    commandsOf('Databases', (part) => part.startsWith('PgBouncer')),
    { '/etc/pgbouncer/userlist.txt': users },
  )
  const env = {
    ...{ PGHOST: '127.0.0.1', PGPORT: String(server.port), PGUSER: 'tt', PGPASSWORD: password },
    PATH: process.env.PATH,
  }
  const { status, stderr } = await run('sh', ['-ec', command], { env })
  if (status !== 0) throw new Error(`${command}: ${stderr}`)
  const example = readFileSync(join(root, 'docs', 'hosting', 'pgbouncer.ini'), 'utf8')
  const config = replaceAll(example, {
    'port=5432': `port=${port}`,
    'listen_port = 6432': `listen_port = ${listenPort}`,
    '/etc/pgbouncer/userlist.txt': users,
  })
  // Its socket is in /tmp without the setting, where another test may run one with the same port.
  const withSocket = config.replace('[pgbouncer]', `[pgbouncer]\nunix_socket_dir = ${directory}`)
  return pgBouncer(directory, withSocket, `postgres://tt:${password}@127.0.0.1:${listenPort}/tt`)
}

/** Returns the statement with which docs/hosting.md ends the statements of connections that are gone. */
export function documentedRoleSetting(): string {
  const [, statement] =
    /`(ALTER ROLE tt SET client_connection_check_interval [^`]*)`/.exec(hostingPage()) ?? []
  if (statement === undefined) throw new Error('The page has no setting of the role.')
  return statement
}

function pgBouncer(directory: string, text: string, url: string): PgBouncer {
  const config = join(directory, 'pgbouncer.ini')
  writeFileSync(config, text)
  giveToPostgres(directory)
  const [command = '', ...argv] = [...asPostgres, 'pgbouncer', config]
  let stop = async () => {}
  let output = ''
  onTestFinished(() => stop())
  return {
    async start() {
      const child = spawn(command, argv, { stdio: ['ignore', 'ignore', 'pipe'] })
      child.stderr.on('data', (text: Buffer) => {
        output += text
      })
      const exit = new Promise((resolve) => child.once('exit', resolve))
      stop = async () => {
        child.kill('SIGTERM')
        await exit
      }
      while (!(await isReady(url))) {
        if (child.exitCode !== null) throw new Error(`pgbouncer exited with ${child.exitCode}.`)
        await sleep(20)
      }
      return url
    },
    stop: () => stop(),
    log: () => output.split('\n').slice(-200).join('\n'),
  }
}
