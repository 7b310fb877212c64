// Starts a PostgreSQL server for the benchmark, with its default settings.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuMsWithChildren } from './processor-time.js'

const versionsDirectory = '/usr/lib/postgresql'

/** PostgreSQL refuses to run as root. */
const asPostgres = process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--'] : []

/**
 * Starts a server whose data is in the directory; undefined when none is installed.
 * @param {string} directory
 */
export async function startPostgres(directory) {
  const versions = existsSync(versionsDirectory) ? readdirSync(versionsDirectory) : []
  const newest = versions.sort((a, b) => Number(b) - Number(a))[0]
  if (newest === undefined) return undefined
  const programs = join(versionsDirectory, newest, 'bin')
  mkdirSync(directory)
  chmodSync(directory, 0o755)
  if (asPostgres.length > 0) spawnSync('chown', ['postgres', directory])
  const cluster = join(directory, 'cluster')
  command(join(programs, 'initdb'), '--auth=trust', '--username=tt', '--no-sync', '-D', cluster)
  const port = await freePort()
  const [program = '', ...argv] = [
    ...asPostgres,
    ...[join(programs, 'postgres'), '-D', cluster, '-h', '127.0.0.1', '-p', String(port), '-k', directory],
  ]
  const child = spawn(program, argv, { stdio: 'ignore' })
  /** @param {string} database */
  const url = (database) => `postgres://tt@127.0.0.1:${port}/${database}`
  while (!(await runs(url('postgres'), child))) await sleep(50)
  return {
    url,
    /** Returns the processor time of all processes of the server; NaN where the system does not show it. */
    cpuMs: () =>
      cpuMsWithChildren(Number(readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0])),
    async stop() {
      command(join(programs, 'pg_ctl'), 'stop', '-m', 'fast', '-D', cluster)
    },
  }
}

/** Returns a port on which nothing listens. @returns {Promise<number>} */
async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  server.close()
  await once(server, 'close')
  return port
}

/**
 * Runs a statement, or several without values.
 * @param {string} url
 * @param {string} text
 */
export async function execute(url, text) {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}

/** @param {string} url @param {import('node:child_process').ChildProcess} child */
async function runs(url, child) {
  if (child.exitCode !== null) throw new Error(`postgres exited with ${child.exitCode}.`)
  return execute(url, 'select 1').then(
    () => true,
    () => false,
  )
}

/** @param {string[]} argv */
function command(...argv) {
  const [program = '', ...rest] = [...asPostgres, ...argv]
  const { status, stderr } = spawnSync(program, rest, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${argv[0]}: ${stderr}`)
}
