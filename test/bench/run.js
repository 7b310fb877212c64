// Prints each figure of the design's measures: ratios of two whole processes, timed in turn within this run.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reportAdd, reportDead } from './outbox.js'
import { reportReports } from './reports.js'
import { bare, measure, node, report, rounds, run, tt, write } from './timing.js'

const home = mkdtempSync(join(tmpdir(), 'tt-bench-'))

try {
  const nodeVersion = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim()
  write(`node ${nodeVersion}, ${rounds} rounds, ratios of medians\n`)
  reportStart()
  reportLog()
  await reportAdd(home)
  await reportDead(home)
  await reportReports(home)
} finally {
  rmSync(home, { recursive: true, force: true })
}

/** What a short command takes beside bare Node. */
function reportStart() {
  const fresh = join(home, 'fresh')
  run({ name: 'first start', argv: [tt, 'start', 'Website/Design', '-q'], home: fresh })
  run({ name: 'first stop', argv: [tt, 'stop', '-q'], home: fresh })
  report(
    measure([
      bare,
      { name: 'tt --version', argv: [tt, '--version'], home: fresh },
      { name: 'tt start (local workspace)', argv: [tt, 'start', 'Website/Design', '-q'], home: fresh },
      { name: 'tt status --cached', argv: [tt, 'status', '--cached'], home: fresh },
      {
        name: 'tt status --cached --template',
        argv: [tt, 'status', '--cached', '--template', '{label} {duration}'],
        home: fresh,
      },
      { name: 'tt __complete', argv: [tt, '__complete', '--', 'start', 'web'], home: fresh },
      { name: 'tt stop (local workspace)', argv: [tt, 'stop', '-q'], home: fresh },
    ]),
    {
      'tt --version': 1.2,
      'tt status --cached': 1.5,
      'tt status --cached --template': 1.5,
      'tt __complete': 1.5,
      'tt start (local workspace)': 2,
      'tt stop (local workspace)': 2,
    },
  )
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
