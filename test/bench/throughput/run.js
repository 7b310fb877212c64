// Measures `tt serve` compared with a minimal Fastify service and bare `node:http`: requests a second with one core for
// each server, and the processor time of each request. Run it with `npm run bench:service`.
import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median, tt, write } from '../timing.js'
import { fill, sqliteLocation } from './data.js'
import { execute, startPostgres } from './postgres.js'
import { printProfile } from './profile.js'
import { requestsOf, verify } from './requests.js'
import { pin, startServer } from './servers.js'

const rivals = fileURLToPath(new URL('../rivals/', import.meta.url))
const requireModule = createRequire(join(rivals, 'package.json'))
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const seconds = Number(process.env.BENCH_SECONDS ?? 2)
const onlyRows = process.env.BENCH_ROWS?.split(',')
const connections = 10

/** @typedef {import('./servers.js').Server} Server */
/** @typedef {import('./requests.js').Row} Row */
/** @typedef {Record<'tt' | 'fastify' | 'bare', Server>} Servers */
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

function installRivals() {
  if (existsSync(join(rivals, 'node_modules'))) return
  const { status, stderr } = spawnSync('npm', ['ci', '--prefix', rivals], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm could not install the rivals: ${stderr}`)
}

async function measureSqlite() {
  if (process.env.BENCH_DATABASE === 'postgres') return
  const [ours, theirs] = ['tt', 'fastify'].map((name) => sqliteLocation(directory, name))
  const data = await fill(directory, ours ?? '')
  copyFileSync((ours ?? '').slice(7), (theirs ?? '').slice(7))
  await measureDatabase('SQLite', data, theirs ?? '', [])
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
    await server.stop()
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
  const started = [ours, fastify]
  try {
    const rows = requestsOf(data).filter((row) => onlyRows?.includes(row.id) ?? true)
    const recorded = join(home, 'responses.json')
    writeFileSync(recorded, JSON.stringify(await verify(rows, ours.url, fastify.url)))
    const bare = await startServer([join(rivals, 'bare.js'), recorded], log('bare'), home)
    started.push(bare)
    write(`\n${name}${' '.repeat(30 - name.length)} requests/s    fastify            bare node:http`)
    write('     processor time (fastify, bare)\n')
    for (const row of rows) await measureRow(row, { tt: ours, fastify, bare }, databaseCpuMs)
  } finally {
    for (const server of started) await server.stop()
  }
  if (process.env.BENCH_PROFILE) printProfile(process.env.BENCH_PROFILE)
}

/** @param {Row} row @param {Servers} servers @param {() => number} [databaseCpuMs] */
async function measureRow(row, servers, databaseCpuMs = () => Number.NaN) {
  /** @type {Record<keyof Servers, Measurement[]>} */
  const all = { tt: [], fastify: [], bare: [] }
  const names = /** @type {(keyof Servers)[]} */ (Object.keys(servers))
  for (let round = 0; round <= rounds; round++) {
    for (const name of round % 2 ? [...names].reverse() : names) {
      const measurement = await load(
        row,
        servers[name],
        round === 0 ? Math.min(1, seconds) : seconds,
        databaseCpuMs,
      )
      if (round > 0) all[name].push(measurement)
    }
  }
  /** @param {keyof Servers} name @param {keyof Measurement} key */
  const of = (name, key) => median(all[name].map((measurement) => measurement[key]))
  /** @param {keyof Servers} name */
  const ratio = (name) => of('tt', 'perSecond') / of(name, 'perSecond')
  /** @param {number} value @param {number | undefined} goal */
  const against = (value, goal) =>
    `${value.toFixed(2)} (goal ${goal === undefined ? 'none' : `${goal}: ${value >= goal ? 'met' : 'missed'}`})`
  write(`  ${row.name.padEnd(28)} ${of('tt', 'perSecond').toFixed(0).padStart(8)}`)
  write(`    ${against(ratio('fastify'), row.goals.fastify).padEnd(20)}`)
  write(`    ${against(ratio('bare'), row.goals.bare).padEnd(20)}`)
  const [ours, fastify, bare] = names.map((name) => `${(of(name, 'cpuMs') * 1000).toFixed(0)} µs`)
  const database = of('tt', 'databaseMs')
  const inDatabase = Number.isNaN(database)
    ? ''
    : `; PostgreSQL ${(database * 1000).toFixed(0)} µs (${(of('fastify', 'databaseMs') * 1000).toFixed(0)} µs)`
  write(`   ${ours} (${fastify}, ${bare})${inDatabase}\n`)
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
    throw new Error(`${errors} errors and the statuses ${statuses} from ${server.url}`)
  return {
    perSecond: sent.total / elapsed,
    cpuMs: (server.cpuMs() - cpuBeforeMs) / sent.total,
    databaseMs: (databaseCpuMs() - databaseBeforeMs) / sent.total,
  }
}
