// Measures `tt serve` compared with a minimal Fastify service: requests a second with one core for each server, and the
// processor time of each request. Run it with `npm run bench:service`.
import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execute } from '../../support/postgres-cluster.js'
import { median, tt, write } from '../timing.js'
import { fill } from './data.js'
import { startPostgres } from './postgres.js'
import { printProfile } from './profile.js'
import { requestsOf, verify } from './requests.js'
import { pin, startServer } from './servers.js'

const rivals = fileURLToPath(new URL('../rivals/', import.meta.url))
const requireModule = createRequire(join(rivals, 'package.json'))
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const seconds = Number(process.env.BENCH_SECONDS ?? 2)
const onlyRows = process.env.BENCH_ROWS?.split(',')
const connections = 10
/** The least requests a second, as a ratio to the Fastify service or to the same requests over fewer entries. */
const bound = 0.9

/** @typedef {import('./servers.js').Server} Server */
/** @typedef {import('./requests.js').Row} Row */
/** @typedef {{ perSecond: number, cpuMs: number, databaseMs: number }} Measurement */

installRivals()
const directory = mkdtempSync(join(tmpdir(), 'tt-throughput-'))
chmodSync(directory, 0o755) // The PostgreSQL server runs as another user.
try {
  pin(process.pid, 1)
  const { version } = requireModule('fastify/package.json')
  write(`${rounds} rounds of ${seconds} s, ${connections} connections, medians; Node ${process.version}, `)
  write(`fastify ${version}\n`)
  await measureSqlite()
  await measurePostgres()
} finally {
  rmSync(directory, { recursive: true, force: true })
}

/**
 * Installs the versions of package.json, without scripts. Without a lock file, because all programs are measured in one run:
 * figures of different runs are not compared.
 */
function installRivals() {
  if (existsSync(join(rivals, 'node_modules'))) return
  const { status, stderr } = spawnSync('npm', ['install', '--ignore-scripts', '--no-package-lock'], {
    cwd: rivals,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`npm could not install the rivals: ${stderr}`)
}

async function measureSqlite() {
  if (process.env.BENCH_DATABASE === 'postgres') return
  const [ours, theirs] = [join(directory, 'tt.db'), join(directory, 'fastify.db')]
  const data = await fill(directory, `sqlite:${ours}`)
  copyFileSync(ours, theirs)
  await measureDatabase('SQLite', data, `sqlite:${theirs}`, [])
}

async function measurePostgres() {
  if (process.env.BENCH_DATABASE === 'sqlite') return
  const server = await startPostgres(join(directory, 'postgres'))
  if (!server) return write('\nPostgreSQL: missing, not installed\n')
  try {
    await execute(server.url('postgres'), 'create database tt')
    const data = await fill(directory, server.url('tt'))
    await execute(server.url('postgres'), 'create database fastify template tt')
    const prepared = ['--prepared-statements']
    await measureDatabase('PostgreSQL', data, server.url('fastify'), prepared, server.cpuMs)
  } finally {
    server.stop()
  }
}

/**
 * @param {string} name
 * @param {import('./data.js').Data} data
 * @param {string} rivalDatabase a copy of the database
 * @param {string[]} options of `tt serve`
 * @param {() => number} [databaseCpuMs] the processor time of the database server, if there is one
 */
async function measureDatabase(name, data, rivalDatabase, options, databaseCpuMs) {
  const home = join(directory, `home-${name}`)
  mkdirSync(home)
  const log = (/** @type {string} */ server) => join(home, `${server}.log`)
  const database = ['--database', data.database, ...options]
  const profile = process.env.BENCH_PROFILE
    ? ['--cpu-prof', `--cpu-prof-dir=${process.env.BENCH_PROFILE}`]
    : []
  const ours = await startServer(
    [...profile, tt, 'serve', '--port', '0', '--json', ...database],
    log('tt'),
    home,
  )
  const fastify = await startServer([join(rivals, 'fastify.js'), rivalDatabase], log('fastify'), home)
  try {
    const rows = requestsOf(data).filter((row) => onlyRows?.includes(row.id) ?? true)
    await verify(rows, ours.url, fastify.url)
    write(`\n${name}${' '.repeat(30 - name.length)} requests/s    compared with         processor time\n`)
    for (const row of rows) await measureRow(row, ours, fastify, databaseCpuMs)
  } finally {
    for (const server of [ours, fastify]) await server.stop()
  }
  if (process.env.BENCH_PROFILE) printProfile(process.env.BENCH_PROFILE)
}

/**
 * Measures a row with both servers, and with the same requests over fewer entries, in turn.
 * @param {Row} row
 * @param {Server} ours
 * @param {Server} fastify
 * @param {() => number} [databaseCpuMs]
 */
async function measureRow(row, ours, fastify, databaseCpuMs = () => Number.NaN) {
  const loads = [
    { name: 'tt', row, server: ours },
    { name: 'Fastify', row, server: fastify },
    ...(row.fewer ? [{ name: '1,000 entries', row: { ...row, requests: row.fewer }, server: ours }] : []),
  ].map((load) => ({ ...load, results: /** @type {Measurement[]} */ ([]) }))
  for (let round = 0; round <= rounds; round++) {
    const duration = round === 0 ? Math.min(1, seconds) : seconds
    for (const { row, server, results } of round % 2 ? [...loads].reverse() : loads) {
      const measurement = await load(row, server, duration, databaseCpuMs)
      if (round > 0) results.push(measurement)
    }
  }
  const medians = loads.map(({ name, results }) => ({
    name,
    perSecond: median(results.map(({ perSecond }) => perSecond)),
    cpu: [
      ...[median(results.map(({ cpuMs }) => cpuMs))],
      ...(Number.isNaN(databaseCpuMs()) ? [] : [median(results.map(({ databaseMs }) => databaseMs))]),
    ]
      .map((ms) => `${(ms * 1000).toFixed(0)} µs`)
      .join(' + PostgreSQL '),
  }))
  const [first] = medians
  for (const { name, perSecond, cpu } of medians) {
    const ratio = (first?.perSecond ?? 0) / perSecond
    const label = name === 'tt' ? row.name : ''
    const compared = name === 'tt' ? '' : `${ratio.toFixed(2)} × ${name}${ratio < bound ? ' (missed)' : ''}`
    write(`  ${label.padEnd(28)} ${perSecond.toFixed(0).padStart(8)}    ${compared.padEnd(30)}    ${cpu}\n`)
  }
}

/**
 * Sends the requests of a row for some seconds. Throws if a response has another status than expected.
 * @param {Row} row
 * @param {Server} server
 * @param {number} duration in seconds
 * @param {() => number} databaseCpuMs
 * @returns {Promise<Measurement>}
 */
async function load({ requests, status }, server, duration, databaseCpuMs) {
  const [cpuBeforeMs, databaseBeforeMs] = [server.cpuMs(), databaseCpuMs()]
  const { origin } = new URL(server.url)
  const result = await requireModule('autocannon')({ url: origin, connections, duration, requests })
  const { errors, statusCodeStats, requests: sent, duration: elapsed } = result
  const statuses = Object.keys(statusCodeStats)
  if (errors > 0 || statuses.join() !== String(status))
    throw new Error(`${errors} errors and the statuses ${statuses} from ${server.name} in ${elapsed} s`)
  return {
    perSecond: sent.total / elapsed,
    cpuMs: (server.cpuMs() - cpuBeforeMs) / sent.total,
    databaseMs: (databaseCpuMs() - databaseBeforeMs) / sent.total,
  }
}
