// Measures reports: time and peak resident memory by number of entries, compared with Timewarrior.
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeTimewarriorFiles } from '../support/timewarrior-files.js'
import { serve } from './service.js'
import { costOnce, median, outputOf, rounds, run, seconds, tt, verdict, write } from './timing.js'

/** @typedef {import('./timing.js').Timed} Timed */
/** @typedef {import('./timing.js').Cost} Cost */

const sizes = [1000, 17_000, 100_000, ...(process.env.BENCH_MILLION === '0' ? [] : [1_000_000])]
/** The maximum number of entries for Timewarrior, which takes most of an hour for more. */
const maxTimewEntries = 100_000
const bounds = { timew: 0.2, growth: 12, peakMb: 250, floor: 2, socket: 2 }

// A million entries at about eight a day start in 1549.
const all = [tt, 'report', '--by', 'project', '--since', '1500-01-01', '--json']
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
  /** @param {string} name @param {Cost} cost @param {number} [timewMs] */
  const print = (name, { ms, peakMb }, timewMs) => {
    const growthFactor = growth(name, ms)
    write(`  ${name.padEnd(38)} ${seconds(ms)}  peak ${peakMb.toFixed(0).padStart(4)} MB`)
    write(verdict(peakMb, bounds.peakMb, ' MB'))
    if (growthFactor !== undefined) {
      const bound = entries === 1_000_000 ? bounds.growth : undefined
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
  print('tt report --by project, local', local, timewMs)
  if (entries >= 100_000) printFloor(home, local, repetitions)
  await overSocket(home, (env) => {
    const client = { home: join(home, 'client'), env }
    print('the same over a socket, first run', costOnce({ name: 'first', argv: all, ...client }))
    const [beside = local, again = local] = costs(
      [
        { name: 'tt report', argv: all, home },
        { name: 'again', argv: all, ...client },
      ],
      3,
    )
    print('the same over a socket, later runs', again, timewMs)
    const ratio = again.ms / beside.ms
    const bound = entries >= 17_000 ? bounds.socket : undefined
    write(`  ${'over a socket'.padEnd(38)} ${ratio.toFixed(2)} × local${verdict(ratio, bound, '')}\n`)
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
  const env = { TIMEWARRIORDB: database }
  const summary = { name: 'timew', program: 'timew', argv: ['summary', ':all'], env }
  // The first run creates its list of tags.
  if (entries < maxTimewEntries) run(summary)
  const startedMs = performance.now()
  const text = outputOf(summary)
  const ms = performance.now() - startedMs
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
 * Writes the entries of the local workspace for Timewarrior.
 * @param {string} database
 * @param {string} home
 */
function exportTo(database, home) {
  const argv = [tt, 'log', '--since', '1500-01-01', '--json', '--fields', 'time_start,time_end,project,task']
  /** @type {Record<string, string>[]} */
  const entries = JSON.parse(outputOf({ name: 'tt log', argv, home }))
  const finished = entries.map(({ time_start: start = '', time_end: end = '', project = '', task = '' }) => ({
    from: Date.parse(start),
    to: Date.parse(end),
    tags: [project, task],
  }))
  writeTimewarriorFiles(database, finished)
}

/**
 * Serves the local workspace of `home` while `work` runs.
 * @param {string} home
 * @param {(env: Record<string, string>) => void} work
 */
async function overSocket(home, work) {
  const argv = [tt, 'admin', 'user', 'token', 'you@localhost', '--json']
  const { token } = JSON.parse(outputOf({ name: 'token', argv, home }))
  const served = await serve(home, ['--database', `sqlite:${join(home, 'workspace.db')}`])
  try {
    work({ TT_BASE_URL: served.url, TT_TOKEN: token })
  } finally {
    await served.stop()
  }
}

function timewVersion() {
  const { status, stdout } = spawnSync('timew', ['--version'], { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}
