// Prints each figure of the design's measures: ratios of two whole processes, timed in turn within this run.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reportAdd, reportDead } from './outbox.js'
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
  write(`\nFrom here on with Node ${versionOf(node)} alone.\n`)
  reportLog()
  await reportAdd(home)
  await reportDead(home)
  await reportReports(home)
} finally {
  rmSync(home, { recursive: true, force: true })
}

/** That the log of a week does not depend on how many weeks there are. */
function reportLog() {
  const [small, large] = [seeded(100), seeded(100_000)]
  report(
    measure([
      { name: 'tt log --week, 100 entries', argv: [tt, 'log', '--week'], home: small },
      { name: 'tt log --week, 100,000 entries', argv: [tt, 'log', '--week'], home: large },
    ]),
    { 'tt log --week, 100,000 entries': 1.15 },
  )
}

/** @param {number} entries */
function seeded(entries) {
  const ttHome = join(home, `seeded-${entries}`)
  run({ name: 'seed', argv: [tt, 'admin', 'seed', '--entries', String(entries), '-q'], home: ttHome })
  return ttHome
}
