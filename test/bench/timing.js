// Whole processes, timed in turn, so that all of them share the machine's changes of speed.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const rounds = Number(process.env.BENCH_ROUNDS ?? 25)
export const node = process.env.BENCH_NODE ?? process.execPath
export const tt = fileURLToPath(new URL('../../bin/tt.js', import.meta.url))

/**
 * @typedef {object} Timed
 * @property {string} name
 * @property {string} [program] Node where not given
 * @property {string[]} argv
 * @property {string} [home]
 * @property {Record<string, string>} [env]
 * @property {number[]} [accepts] exit statuses other than 0 that are no failure
 */

/** @type {Timed} */
export const bare = { name: 'node -e 0', argv: ['-e', '0'] }

/**
 * The medians in milliseconds, by name. Each round runs every command once; one round more goes first, uncounted.
 * @param {Timed[]} commands
 */
export function measure(commands) {
  /** @type {Map<string, number[]>} */
  const times = new Map(commands.map(({ name }) => [name, []]))
  for (let round = 0; round <= rounds; round++) {
    for (const command of commands) {
      const took = run(command)
      if (round > 0) times.get(command.name)?.push(took)
    }
  }
  return new Map([...times].map(([name, all]) => [name, median(all)]))
}

/**
 * Runs it once, and answers how many milliseconds it took.
 * @param {Timed} command
 */
export function run(command) {
  const began = process.hrtime.bigint()
  outputOf(command)
  return Number(process.hrtime.bigint() - began) / 1e6
}

/**
 * Runs it once, and answers what it printed.
 * @param {Timed} command
 */
export function outputOf({ name, program = node, argv, home, env = {}, accepts = [] }) {
  const { status, stdout, stderr } = spawnSync(program, argv, {
    // Nothing of the caller's: NODE_EXTRA_CA_CERTS, say, makes bare Node slow and every ratio flattering.
    env: {
      PATH: process.env.PATH,
      ...(home ? { TT_HOME: home, XDG_CACHE_HOME: join(home, 'cache') } : {}),
      ...env,
    },
    encoding: 'utf8',
    maxBuffer: Number.POSITIVE_INFINITY,
  })
  if (status !== 0 && !accepts.includes(status ?? -1)) throw new Error(`${name} exited ${status}: ${stderr}`)
  return stdout
}

/**
 * Prints the medians as ratios.
 * @param {Map<string, number>} medians the peer first
 * @param {Record<string, number>} bounds
 */
export function report(medians, bounds) {
  const [[peer, peerMs] = ['', 1]] = medians
  write(`\n${peer}: ${peerMs.toFixed(1)} ms\n`)
  for (const [name, ms] of [...medians].slice(1)) {
    const ratio = ms / peerMs
    write(`${line(name, ms, ratio)}${verdict(ratio, bounds[name], '')}\n`)
  }
}

/**
 * One line of a report.
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

/** @param {string} text */
export function write(text) {
  process.stdout.write(text)
}
