// Runs the programs of PostgreSQL, for the tests and for the benchmarks.
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

const versionsDirectory = '/usr/lib/postgresql'

/** Returns the directory of the PostgreSQL server programs, or undefined if none is installed. */
export function findPostgresPrograms() {
  const versions = existsSync(versionsDirectory) ? readdirSync(versionsDirectory) : []
  const [newest] = versions.sort((a, b) => Number(b) - Number(a))
  return newest && join(versionsDirectory, newest, 'bin')
}

/** The beginning of commands that run PostgreSQL or PgBouncer, which refuse to run as root. */
export const asPostgres = process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--'] : []

/** @param {string} directory */
export const clusterOf = (directory) => join(directory, 'cluster')

/**
 * Makes the user postgres the owner of a directory and of the files in it, where that user runs the programs.
 * @param {string} directory
 */
export function giveToPostgres(directory) {
  if (asPostgres.length === 0) return
  chmodSync(directory, 0o755)
  spawnSync('chown', ['-R', 'postgres', directory])
}

/** @param {string} directory */
export function createCluster(directory) {
  giveToPostgres(directory)
  run('initdb', '--auth=trust', '--username=tt', '--no-sync', '-D', clusterOf(directory))
}

/**
 * Runs a program of PostgreSQL. Throws Error if it fails.
 * @param {string} program
 * @param {string[]} argv
 */
export function run(program, ...argv) {
  const [command = '', ...rest] = [...asPostgres, programPath(program), ...argv]
  const { status, stderr } = spawnSync(command, rest, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program}: ${stderr}`)
}

/**
 * Starts a server on a loopback port and a socket in its directory.
 * @param {string} directory
 * @param {number} port
 * @param {Record<string, string>} [settings]
 * @param {boolean} [detached] whether it outlives the process that starts it
 */
export function spawnServer(directory, port, settings = {}, detached = false) {
  const [command = '', ...argv] = [
    ...[...asPostgres, programPath('postgres'), '-D', clusterOf(directory)],
    ...['-h', '127.0.0.1', '-p', String(port), '-k', directory],
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
  return spawn(command, argv, { stdio: 'ignore', detached })
}

/** @param {number} port @param {import('node:child_process').ChildProcess} child */
export async function untilReady(port, child) {
  while (!(await isReady(`postgres://tt@127.0.0.1:${port}/postgres`))) {
    if (child.exitCode !== null) throw new Error(`postgres exited with ${child.exitCode}.`)
    await sleep(20)
  }
}

/** Returns the process ID of a running server. @param {string} directory */
export function serverPid(directory) {
  return Number(readFileSync(join(clusterOf(directory), 'postmaster.pid'), 'utf8').split('\n')[0])
}

/**
 * Runs a statement, or several without values, with a connection of its own.
 * @param {string} url
 * @param {string} statement
 */
export async function execute(url, statement) {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {}) // Some tests end this connection.
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Whether a server responds to a statement. @param {string} url */
export const isReady = (url) =>
  execute(url, 'select 1').then(
    () => true,
    () => false,
  )

/** @param {string} program */
function programPath(program) {
  const programs = findPostgresPrograms()
  if (programs === undefined) throw new Error('No PostgreSQL server is installed.')
  return join(programs, program)
}
