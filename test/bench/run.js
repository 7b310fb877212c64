// Prints each figure of the design's measures as a ratio of two whole processes, timed in turn within this run.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const rounds = Number(process.env.BENCH_ROUNDS ?? 25)
const node = process.env.BENCH_NODE ?? process.execPath
const tt = fileURLToPath(new URL('../../bin/tt.js', import.meta.url))
const home = mkdtempSync(join(tmpdir(), 'tt-bench-'))

/** @typedef {{ name: string, argv: string[], home?: string }} Timed */

try {
  const nodeVersion = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim()
  write(`node ${nodeVersion}, ${rounds} rounds, ratios of medians\n`)
  const bare = { name: 'node -e 0', argv: ['-e', '0'] }
  const fresh = join(home, 'fresh')
  run({ name: 'first start', argv: [tt, 'start', 'Website/Design', '-q'], home: fresh })
  run({ name: 'first stop', argv: [tt, 'stop', '-q'], home: fresh })

  report(
    measure([
      bare,
      { name: 'tt --version', argv: [tt, '--version'], home: fresh },
      { name: 'tt start (local workspace)', argv: [tt, 'start', 'Website/Design', '-q'], home: fresh },
      { name: 'tt status --cached', argv: [tt, 'status', '--cached'], home: fresh },
      { name: 'tt stop (local workspace)', argv: [tt, 'stop', '-q'], home: fresh },
    ]),
    {
      'tt --version': 1.2,
      'tt status --cached': 1.5,
      'tt start (local workspace)': 2,
      'tt stop (local workspace)': 2,
    },
  )

  const [small, large] = [seeded(100), seeded(100_000)]
  report(
    measure([
      { name: 'tt log --week, 100 entries', argv: [tt, 'log', '--week'], home: small },
      { name: 'tt log --week, 100,000 entries', argv: [tt, 'log', '--week'], home: large },
    ]),
    { 'tt log --week, 100,000 entries': 1.15 },
  )
} finally {
  rmSync(home, { recursive: true, force: true })
}

/**
 * The medians in milliseconds, by name. Each round runs every command once, so that all of them share the
 * machine's changes of speed; one round more goes first, uncounted.
 * @param {Timed[]} commands
 */
function measure(commands) {
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

/** @param {Timed} command */
function run({ name, argv, home: ttHome }) {
  const began = process.hrtime.bigint()
  const { status, stderr } = spawnSync(node, argv, {
    // Nothing of the caller's: NODE_EXTRA_CA_CERTS, say, makes bare Node slow and every ratio flattering.
    env: { PATH: process.env.PATH, ...(ttHome ? { TT_HOME: ttHome } : {}) },
    encoding: 'utf8',
  })
  const tookMs = Number(process.hrtime.bigint() - began) / 1e6
  if (status !== 0) throw new Error(`${name} exited ${status}: ${stderr}`)
  return tookMs
}

/** @param {number} entries */
function seeded(entries) {
  const ttHome = join(home, `seeded-${entries}`)
  run({ name: 'seed', argv: [tt, 'admin', 'seed', '--entries', String(entries), '-q'], home: ttHome })
  return ttHome
}

/**
 * @param {Map<string, number>} medians the peer first
 * @param {Record<string, number>} bounds
 */
function report(medians, bounds) {
  const [[peer, peerMs] = ['', 1]] = medians
  write(`\n${peer}: ${peerMs.toFixed(1)} ms\n`)
  for (const [name, ms] of [...medians].slice(1)) {
    const ratio = ms / peerMs
    const bound = bounds[name] ?? Number.POSITIVE_INFINITY
    const verdict = ratio <= bound ? 'met' : 'missed'
    write(
      `  ${name.padEnd(34)} ${ms.toFixed(1).padStart(7)} ms  ${ratio.toFixed(2)} ×  (at most ${bound}: ${verdict})\n`,
    )
  }
}

/** @param {number[]} values */
function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** @param {string} text */
function write(text) {
  process.stdout.write(text)
}
