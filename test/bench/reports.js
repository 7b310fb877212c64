// Measures reports: time and peak resident memory by number of entries, compared with Timewarrior.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { serve } from './service.js'
import { costOnce, median, node, outputOf, rounds, run, seconds, tt, verdict, write } from './timing.js'

/** @typedef {import('./timing.js').Timed} Timed */
/** @typedef {import('./timing.js').Cost} Cost */

const sizes = [1000, 17_000, 100_000, ...(process.env.BENCH_MILLION === '0' ? [] : [1_000_000])]
/** The maximum number of entries for Timewarrior, which takes most of an hour for more. */
const maxTimewEntries = 100_000
const bounds = { timew: 0.2, growth: 12, peakMb: 250, floor: 2, socket: 2 }

// A million entries at about eight a day start in 1549.
const all = [tt, 'report', '--by', 'project', '--since', '1500-01-01', '--json']
const week = [tt, 'report', 'week', '--json']
const floor = fileURLToPath(new URL('./floor.js', import.meta.url))

/** @param {string} directory */
export async function reportReports(directory) {
  const version = timewVersion()
  write(
    `\nReports, compared with ${version === undefined ? 'timew (missing: not installed)' : `timew ${version}`}\n`,
  )
  if (sizes.length < 4) write('  Skipped 1,000,000 entries (BENCH_MILLION=0).\n')
  /** @type {Map<string, number>} the time for the previous size, by name */
  const before = new Map()
  for (const entries of sizes) {
    const home = join(directory, `report-${entries}`)
    mkdirSync(home)
    await reportSize(home, entries, before, version !== undefined)
    rmSync(home, { recursive: true })
  }
}

/**
 * @param {string} home
 * @param {number} entries
 * @param {Map<string, number>} before
 * @param {boolean} withTimew
 */
async function reportSize(home, entries, before, withTimew) {
  write(`\n${entries.toLocaleString('en')} entries\n`)
  run({ name: 'seed', argv: [tt, 'admin', 'seed', '--entries', String(entries), '-q'], home })
  const repetitions = Math.min(rounds, entries > 100_000 ? 1 : 3)
  /** @param {string} name @param {number} ms */
  const growth = (name, ms) => {
    const last = before.get(name)
    before.set(name, ms)
    return last === undefined ? undefined : ms / last
  }
  /** @param {string} name @param {Cost} cost @param {{ ofAll?: boolean, timewMs?: number | undefined }} [more] */
  const print = (name, { ms, peakMb }, { ofAll = false, timewMs } = {}) => {
    const growthFactor = growth(name, ms)
    write(`  ${name.padEnd(38)} ${seconds(ms)}  peak ${peakMb.toFixed(0).padStart(4)} MB`)
    write(verdict(peakMb, bounds.peakMb, ' MB'))
    if (growthFactor !== undefined) {
      const bound = ofAll && entries === 1_000_000 ? bounds.growth : undefined
      write(`  ${growthFactor.toFixed(1)} × the previous size${verdict(growthFactor, bound, '')}`)
    }
    if (timewMs !== undefined) {
      const bound = entries === 100_000 ? bounds.timew : undefined
      write(`  ${(ms / timewMs).toFixed(3)} × timew${verdict(ms / timewMs, bound, '')}`)
    }
    write('\n')
  }

  const local = cost({ name: 'tt report', argv: all, home }, repetitions)
  const timewMs = withTimew ? timeTimew(home, entries, growth) : undefined
  print('tt report --by project, local', local, { ofAll: true, timewMs })
  if (entries >= 100_000) printFloor(home, local, repetitions)
  await overSocket(home, async (env, port) => {
    const client = { home: join(home, 'client'), env }
    print('the same over a socket, first run', cost({ name: 'first', argv: all, ...client }, 1), {
      ofAll: true,
    })
    const [beside = local, again = local] = costs(
      [
        { name: 'tt report', argv: all, home },
        { name: 'again', argv: all, ...client },
      ],
      3,
    )
    print('the same over a socket, later runs', again, { ofAll: true, timewMs })
    const ratio = again.ms / beside.ms
    const bound = entries >= 17_000 ? bounds.socket : undefined
    write(`  ${'over a socket'.padEnd(38)} ${ratio.toFixed(2)} × local${verdict(ratio, bound, '')}\n`)
    print('tt report week, local', cost({ name: 'week', argv: week, home }, 3))
    print('tt report week, over a socket', cost({ name: 'week', argv: week, ...client }, 3))
    const bytes = [await bytesFor(week, client, port), await bytesFor(all, client, port)]
    const [ofWeek = '', ofAll = ''] = bytes.map((count) => (count / 1000).toFixed(0))
    write(`  The service sent ${ofWeek} kB for the week, ${ofAll} kB for all.\n`)
  })
}

/**
 * Prints what reading and adding up the same rows costs, and the report as a ratio to it.
 * @param {string} home
 * @param {Cost} local
 * @param {number} repetitions
 */
function printFloor(home, local, repetitions) {
  const argv = [floor, join(home, 'workspace.db')]
  const { ms } = cost({ name: 'floor', argv, home }, repetitions)
  const ratio = local.ms / ms
  write(`  ${'Node that adds up the same rows'.padEnd(38)} ${seconds(ms)}`)
  write(`  tt report is ${ratio.toFixed(2)} ×${verdict(ratio, bounds.floor, '')}\n`)
}

/**
 * Returns the median time and the highest peak.
 * @param {Timed} command
 * @param {number} times
 * @returns {Cost}
 */
function cost(command, times) {
  const [only] = costs([command], times)
  return /** @type {Cost} */ (only)
}

/**
 * Returns the median time and the highest peak of each command. The commands run in turn, so that changes in the speed of
 * the machine affect all of them.
 * @param {Timed[]} commands
 * @param {number} times
 * @returns {Cost[]}
 */
function costs(commands, times) {
  /** @type {Cost[][]} */
  const measured = commands.map(() => [])
  for (let round = 0; round < times; round++)
    commands.forEach((command, index) => void measured[index]?.push(costOnce(command)))
  return measured.map((runs) => ({
    ms: median(runs.map(({ ms }) => ms)),
    peakMb: Math.max(...runs.map(({ peakMb }) => peakMb)),
  }))
}

/**
 * Times `timew summary :all` with the same entries; undefined for too many. Throws if its total differs.
 * @param {string} home
 * @param {number} entries
 * @param {(name: string, ms: number) => number | undefined} growth
 */
function timeTimew(home, entries, growth) {
  if (entries > maxTimewEntries) {
    write(`  Skipped timew summary :all: it takes too long.\n`)
    return undefined
  }
  const database = join(home, 'timew')
  exportTo(database, home)
  const summary = {
    ...{ name: 'timew', program: 'timew', argv: ['summary', ':all'] },
    env: { TIMEWARRIORDB: database },
  }
  // The first run creates its list of tags.
  if (entries < maxTimewEntries) run(summary)
  const startedNs = process.hrtime.bigint()
  const text = outputOf(summary)
  const ms = Number(process.hrtime.bigint() - startedNs) / 1e6
  const [, hours, minutes, rest] = /(\d+):(\d\d):(\d\d)\s*$/.exec(text) ?? []
  const sum = Number(hours) * 3600 + Number(minutes) * 60 + Number(rest)
  const own = JSON.parse(outputOf({ name: 'tt report', argv: all, home })).seconds
  if (sum !== own) throw new Error(`The total of timew is ${sum} seconds, that of tt ${own}.`)
  const growthFactor = growth('timew', ms)
  const more = growthFactor === undefined ? '' : `  ${growthFactor.toFixed(1)} × the previous size`
  write(`  ${'timew summary :all'.padEnd(38)} ${seconds(ms)}${more}\n`)
  return ms
}

/**
 * Writes the entries of the local workspace in the format of Timewarrior: a file for each month.
 * @param {string} database
 * @param {string} home
 */
function exportTo(database, home) {
  const argv = [tt, 'log', '--since', '1500-01-01', '--json', '--fields', 'time_start,time_end,project,task']
  const entries = JSON.parse(outputOf({ name: 'tt log', argv, home }))
  /** @type {Map<string, string[]>} */
  const months = new Map()
  for (const { time_start: start, time_end: end, project, task } of entries) {
    const [from, to] = [start, end].map((time) => new Date(time).toISOString())
    const month = String(from).slice(0, 7)
    const lines = months.get(month) ?? []
    months.set(month, lines)
    lines.push(`inc ${compact(from)} - ${compact(to)} # ${JSON.stringify(project)} ${JSON.stringify(task)}\n`)
  }
  mkdirSync(join(database, 'data'), { recursive: true })
  writeFileSync(join(database, 'timewarrior.cfg'), '')
  for (const [month, lines] of months)
    writeFileSync(join(database, 'data', `${month}.data`), lines.sort().join(''))
}

/** Formats a time as 20240501T090000Z. @param {string | undefined} time */
function compact(time) {
  return String(time).replace(/[-:]|\.\d+/g, '')
}

/**
 * Serves the local workspace of `home` while `work` runs.
 * @param {string} home
 * @param {(env: Record<string, string>, port: number) => Promise<void>} work
 */
async function overSocket(home, work) {
  const argv = [tt, 'admin', 'user', 'token', 'you@localhost', '--json']
  const { token } = JSON.parse(outputOf({ name: 'token', argv, home }))
  const served = await serve(home, ['--database', `sqlite:${join(home, 'workspace.db')}`])
  try {
    await work({ TT_BASE_URL: served.url, TT_TOKEN: token }, served.port)
  } finally {
    await served.stop()
  }
}

/**
 * Counts the bytes that the service at the port sends for a command.
 * @param {string[]} argv
 * @param {{ home: string, env: Record<string, string> }} client
 * @param {number} port
 */
async function bytesFor(argv, { home, env }, port) {
  let bytes = 0
  const counting = createServer((socket) => {
    const service = connect(port, '127.0.0.1')
    service.on('data', (piece) => {
      bytes += piece.length
    })
    socket.on('error', () => service.destroy())
    service.on('error', () => socket.destroy())
    socket.pipe(service).pipe(socket)
  })
  await once(counting.listen(0, '127.0.0.1'), 'listening')
  const address = counting.address()
  const counted = new URL(String(env.TT_BASE_URL))
  counted.port = String(typeof address === 'object' && address ? address.port : 0)
  const child = spawn(node, argv, {
    env: { PATH: process.env.PATH, TT_HOME: `${home}-counted`, ...env, TT_BASE_URL: counted.href },
    stdio: 'ignore',
  })
  const [status] = await once(child, 'close')
  counting.close()
  if (status !== 0) throw new Error(`${argv.join(' ')} exited ${status}.`)
  return bytes
}

function timewVersion() {
  const { status, stdout } = spawnSync('timew', ['--version'], { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}
