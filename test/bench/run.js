// Prints the benchmark figures: ratios of whole processes, timed in turn.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reportAdd, reportUnreachable } from './outbox.js'
import { reportPackage } from './package.js'
import { reportReports } from './reports.js'
import { nodes, reportStart, versionOf } from './start.js'
import { measure, node, report, rounds, run, tt, write } from './timing.js'

const home = mkdtempSync(join(tmpdir(), 'tt-bench-'))

try {
  const all = nodes(join(home, 'node'))
  write(`${rounds} rounds, ratios of medians\n`)
  for (const program of all) reportStart(program, home)
  reportPackage(all, home)
  write(`\nThe following figures are of Node ${versionOf(node)}.\n`)
  reportLog()
  await reportAdd(home)
  await reportUnreachable(home)
  await reportReports(home)
} finally {
  rmSync(home, { recursive: true, force: true })
}

/** Measures whether the time for the log of a week depends on the total number of entries. */
function reportLog() {
  const [small, large] = [seedHome(100), seedHome(100_000)]
  report(
    measure([
      { name: 'tt log --week, 100 entries', argv: [tt, 'log', '--week'], home: small },
      { name: 'tt log --week, 100,000 entries', argv: [tt, 'log', '--week'], home: large },
    ]),
    { 'tt log --week, 100,000 entries': 1.15 },
  )
}

/** @param {number} entries */
function seedHome(entries) {
  const ttHome = join(home, `seeded-${entries}`)
  run({ name: 'seed', argv: [tt, 'admin', 'seed', '--entries', String(entries), '-q'], home: ttHome })
  return ttHome
}
