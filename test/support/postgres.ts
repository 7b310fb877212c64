import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { findFreePort } from './ports.js'
import {
  clusterOf,
  createCluster,
  execute,
  giveToPostgres,
  run,
  serverPid,
  spawnServer,
  untilReady,
} from './postgres-cluster.js'
import { temporaryDirectory } from './process.js'

export { execute, findPostgresPrograms } from './postgres-cluster.js'

/** A PostgreSQL server of its own, on a loopback port and a socket in its directory. */
export interface PostgresServer {
  port: number
  /** Returns the URL of a database on this server. */
  url(database?: string): string
  /** Stops the server at once, like a power cut, and waits until it has ended. */
  kill(): Promise<void>
  /** Stops the server and disconnects all clients. */
  stop(): Promise<void>
  /** Starts the server again after `kill` or `stop`. */
  start(): Promise<void>
  /** Ends the recovery of a standby, which then accepts writes. */
  promote(): void
}

/** Starts a separate PostgreSQL server on a free loopback port and returns its URL. It stops with the test. */
export async function startPostgres(): Promise<string> {
  return (await startPostgresServer()).url()
}

/** Starts a separate PostgreSQL server with these settings; `standbyOf` makes it a replica. It stops with the test. */
export async function startPostgresServer(
  options: { settings?: Record<string, string>; standbyOf?: PostgresServer } = {},
): Promise<PostgresServer> {
  const directory = temporaryDirectory()
  const port = await findFreePort()
  const { standbyOf } = options
  if (standbyOf) copyServer(directory, standbyOf)
  else createCluster(directory)
  const server = serverIn(directory, port, options.settings)
  await server.start()
  onTestFinished(() => server.stop())
  return server
}

function serverIn(directory: string, port: number, settings: Record<string, string> = {}): PostgresServer {
  let child: ChildProcess | undefined
  const end = async (signal: NodeJS.Signals) => {
    const running = child
    child = undefined
    if (!running || running.exitCode !== null) return
    const exit = new Promise((resolve) => running.once('exit', resolve))
    process.kill(serverPid(directory), signal)
    await exit
  }
  return {
    port,
    url: (database = 'postgres') => `postgres://tt@127.0.0.1:${port}/${database}`,
    kill: () => end('SIGQUIT'),
    stop: () => end('SIGINT'),
    async start() {
      child = spawnTestServer(directory, port, settings)
      await untilReady(port, child)
    },
    promote: () => run('pg_ctl', 'promote', '-D', clusterOf(directory)),
  }
}

/** A database on the server that all files of this run share. */
export interface SharedDatabase {
  name: string
  url: string
  drop(): Promise<void>
}

/**
 * Creates a database on the server that all files of this run share.
 *
 * @param template the name of a database without connections to copy, instead of an empty one
 */
export async function createSharedDatabase(template = 'template1'): Promise<SharedDatabase> {
  const directory = process.env.TT_TEST_POSTGRES
  if (directory === undefined) throw new Error('shared-postgres.ts is no global setup of this project.')
  const url = await sharedServer(directory)
  const name = `test_${process.pid}_${++databases}`
  await execute(url, `create database ${name} template ${template}`)
  return {
    name,
    url: url.replace(/postgres$/, name),
    drop: () => execute(url, `drop database ${name} with (force)`),
  }
}

let databases = 0

/** Returns the URL of the shared server. The first caller of all processes starts it, the others wait for it. */
async function sharedServer(directory: string): Promise<string> {
  const [lock, urlFile] = [join(directory, 'starting'), join(directory, 'url')]
  try {
    mkdirSync(lock)
  } catch {
    while (!existsSync(urlFile)) await sleep(50)
    return readFileSync(urlFile, 'utf8')
  }
  createCluster(directory)
  const port = await findFreePort()
  const child = spawnTestServer(directory, port)
  await untilReady(port, child)
  child.unref()
  // The other processes must not read a partial file.
  writeFileSync(`${urlFile}.new`, `postgres://tt@127.0.0.1:${port}/postgres`)
  renameSync(`${urlFile}.new`, urlFile)
  return readFileSync(urlFile, 'utf8')
}

/** Stops the shared server if a test has started it. */
export async function stopSharedServer(directory: string): Promise<void> {
  const pidFile = join(clusterOf(directory), 'postmaster.pid')
  if (!existsSync(pidFile)) return
  process.kill(serverPid(directory), 'SIGINT')
  while (existsSync(pidFile)) await sleep(20)
}

/** Starts a server that does not need to survive a power cut, and that outlives the worker that starts it. */
const spawnTestServer = (directory: string, port: number, settings: Record<string, string> = {}) =>
  spawnServer(directory, port, { fsync: 'off', full_page_writes: 'off', ...settings }, true)

/** Copies a running server as a standby that follows it. */
function copyServer(directory: string, { port }: PostgresServer) {
  giveToPostgres(directory)
  const connection = ['-h', '127.0.0.1', '-p', String(port), '-U', 'tt']
  const options = ['--write-recovery-conf', '--checkpoint=fast', '--no-sync', '-D', clusterOf(directory)]
  run('pg_basebackup', ...connection, ...options)
}
