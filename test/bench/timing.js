// Times whole processes in turn, so that changes in the speed of the machine affect all of them.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const rounds = Number(process.env.BENCH_ROUNDS ?? 25)
export const node = process.execPath
export const tt = fileURLToPath(new URL('../../bin/tt.js', import.meta.url))
const preload = fileURLToPath(new URL('./peak.cjs', import.meta.url))

/**
 * @typedef {object} Timed
 * @property {string} name
 * @property {string} [program] default: Node
 * @property {string[]} argv
 * @property {string} [home]
 * @property {Record<string, string>} [env]
 * @property {string} [input] standard input
 *
 * @typedef {{ ms: number, peakMb: number }} Cost
 */

/** @type {Timed} */
export const bare = { name: 'node -e 0', argv: ['-e', '0'] }

/**
 * Returns the medians in milliseconds by name. Each round runs every command once; a first round is not counted.
 * @param {Timed[]} commands
 * @param {number} [pauseMs] the pause after each command, for what it leaves to another process
 */
export function measure(commands, pauseMs = 0) {
  /** @type {Map<string, number[]>} */
  const times = new Map(commands.map(({ name }) => [name, []]))
  for (let round = 0; round <= rounds; round++) {
    for (const command of commands) {
      const elapsedMs = run(command)
      if (pauseMs > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs)
      if (round > 0) times.get(command.name)?.push(elapsedMs)
    }
  }
  return new Map([...times].map(([name, all]) => [name, median(all)]))
}

/**
 * Runs a command once and returns its duration in milliseconds.
 * @param {Timed} command
 */
export function run(command) {
  const startedMs = performance.now()
  outputOf(command)
  return performance.now() - startedMs
}

/**
 * Runs a command once and returns its duration and its peak resident memory.
 * @param {Timed} command
 * @returns {Cost}
 */
export function costOnce(command) {
  const file = join(command.home ?? '.', 'peak')
  const argv = ['--require', preload, ...command.argv]
  const ms = run({ ...command, argv, env: { ...command.env, BENCH_PEAK: file } })
  return { ms, peakMb: Number(readFileSync(file, 'utf8')) / 1000 }
}

/**
 * Runs a command once and returns its stdout. Throws if it fails.
 * @param {Timed} command
 */
export function outputOf({ name, program = node, argv, home, env = {}, input }) {
  const { status, stdout, stderr } = spawnSync(program, argv, {
    // No other variables: NODE_EXTRA_CA_CERTS, for example, slows down bare Node and lowers every ratio.
    env: {
      PATH: process.env.PATH,
      ...(home ? { TT_HOME: home, XDG_CACHE_HOME: join(home, 'cache') } : {}),
      ...env,
    },
    ...(input === undefined ? {} : { input }),
    encoding: 'utf8',
    maxBuffer: Number.POSITIVE_INFINITY,
  })
  if (status !== 0) throw new Error(`${name} exited ${status}: ${stderr}`)
  return stdout
}

/**
 * Prints the medians as ratios to the first.
 * @param {Map<string, number>} medians the baseline first
 * @param {Record<string, number>} bounds
 */
export function report(medians, bounds) {
  const [[baseline, baselineMs] = ['', 1]] = medians
  write(`\n${baseline}: ${baselineMs.toFixed(1)} ms\n`)
  for (const [name, ms] of [...medians].slice(1)) {
    const ratio = ms / baselineMs
    write(`${line(name, ms, ratio)}${verdict(ratio, bounds[name], '')}\n`)
  }
}

/**
 * Formats one line of a report.
 * @param {string} name
 * @param {number} ms
 * @param {number} ratio
 */
export function line(name, ms, ratio) {
  return `  ${name.padEnd(34)} ${ms.toFixed(1).padStart(7)} ms  ${ratio.toFixed(2)} ×`
}

/**
 * @param {number} value
 * @param {number | undefined} bound
 * @param {string} unit
 */
export function verdict(value, bound, unit) {
  return bound === undefined ? '' : `  (at most ${bound}${unit}: ${value <= bound ? 'met' : 'missed'})`
}

/** @param {number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** Formats a duration in seconds. @param {number} ms */
export function seconds(ms) {
  return `${(ms / 1000).toFixed(2).padStart(7)} s`
}

/** @param {string} text */
export function write(text) {
  process.stdout.write(text)
}
