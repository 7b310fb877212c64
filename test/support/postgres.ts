import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { findFreePort } from './ports.js'
import { temporaryDirectory } from './process.js'

/** Returns the directory of the PostgreSQL server programs, or undefined if none is installed. */
export function findPostgresPrograms(): string | undefined {
  const [newest] = versions().sort((a, b) => Number(b) - Number(a))
  return newest && join(versionsDirectory, newest, 'bin')
}

const versionsDirectory = '/usr/lib/postgresql'

function versions(): string[] {
  try {
    return readdirSync(versionsDirectory)
  } catch {
    return []
  }
}

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
    signalServer(directory, signal)
    await exit
  }
  return {
    port,
    url: (database = 'postgres') => `postgres://tt@127.0.0.1:${port}/${database}`,
    kill: () => end('SIGQUIT'),
    stop: () => end('SIGINT'),
    async start() {
      child = spawnServer(directory, port, settings)
      await untilReady(port, child)
    },
    promote() {
      run(join(programs(), 'pg_ctl'), 'promote', '-D', clusterOf(directory))
    },
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

/** Runs one statement with a connection of its own. */
export async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {}) // Some tests end this connection.
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Whether a server responds to a statement. */
export const isReady = (url: string) =>
  execute(url, 'select 1').then(
    () => true,
    () => false,
  )

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
  const child = spawnServer(directory, port)
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
  signalServer(directory, 'SIGINT')
  while (existsSync(pidFile)) await sleep(20)
}

/** The server does not need to survive a power cut, and no other program connects to it. */
const defaultSettings = { fsync: 'off', full_page_writes: 'off' }

function spawnServer(directory: string, port: number, settings: Record<string, string> = {}): ChildProcess {
  const flags = Object.entries({ ...defaultSettings, ...settings }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  const [command = '', ...argv] = [
    ...asPostgres(),
    join(programs(), 'postgres'),
    ...['-D', clusterOf(directory), '-h', '127.0.0.1', '-p', String(port), '-k', directory],
    ...flags,
  ]
  // The server must outlive the worker that starts it, and a worker must not wait for its output.
  return spawn(command, argv, { stdio: 'ignore', detached: true })
}

async function untilReady(port: number, child: ChildProcess): Promise<void> {
  while (!(await isReady(`postgres://tt@127.0.0.1:${port}/postgres`))) {
    if (child.exitCode !== null) throw new Error(`postgres exited with ${child.exitCode}.`)
    await sleep(20)
  }
}

function signalServer(directory: string, signal: NodeJS.Signals) {
  const [pid] = readFileSync(join(clusterOf(directory), 'postmaster.pid'), 'utf8').split('\n')
  process.kill(Number(pid), signal)
}

function createCluster(directory: string) {
  giveToPostgres(directory)
  run(join(programs(), 'initdb'), '--auth=trust', '--username=tt', '--no-sync', '-D', clusterOf(directory))
}

/** Copies a running server as a standby that follows it. */
function copyServer(directory: string, { port }: PostgresServer) {
  giveToPostgres(directory)
  const connection = ['-h', '127.0.0.1', '-p', String(port), '-U', 'tt']
  const options = ['--write-recovery-conf', '--checkpoint=fast', '--no-sync', '-D', clusterOf(directory)]
  run(join(programs(), 'pg_basebackup'), ...connection, ...options)
}

/** Makes the user postgres the owner of a directory and of the files in it, where that user runs the programs. */
export function giveToPostgres(directory: string) {
  if (asPostgres().length === 0) return
  chmodSync(directory, 0o755)
  spawnSync('chown', ['-R', 'postgres', directory])
}

function run(program: string, ...argv: string[]) {
  const [command = '', ...rest] = [...asPostgres(), program, ...argv]
  const { status, stderr } = spawnSync(command, rest, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program}: ${stderr}`)
}

/** The beginning of commands that run PostgreSQL or PgBouncer, which refuse to run as root. */
export const asPostgres = () => (process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--'] : [])

const clusterOf = (directory: string) => join(directory, 'cluster')

function programs(): string {
  const found = findPostgresPrograms()
  if (found === undefined) throw new Error('No PostgreSQL server is installed.')
  return found
}
