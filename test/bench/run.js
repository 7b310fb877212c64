// Prints the benchmark figures: ratios of whole processes, timed in turn.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reportBackground } from './background.js'
import { reportImports } from './imports.js'
import { reportMcp } from './mcp.js'
import { reportAdd, reportUnreachable } from './outbox.js'
import { reportPackage } from './package.js'
import { reportReports } from './reports.js'
import { nodes, reportStart, versionOf } from './start.js'
import { bare, measure, node, report, rounds, run, tt, write } from './timing.js'

const home = mkdtempSync(join(tmpdir(), 'tt-bench-'))

try {
  const all = nodes(join(home, 'node'))
  write(`${rounds} rounds, ratios of medians\n`)
  for (const program of all) reportStart(program, home)
  reportPackage(all, home)
  write(`\nThe following figures are of Node ${versionOf(node)}.\n`)
  await reportMcp(home)
  reportLog()
  reportPeriods()
  reportImports(home)
  await reportAdd(home)
  await reportUnreachable(home)
  await reportBackground(home)
  await reportReports(home)
} finally {
  rmSync(home, { recursive: true, force: true })
}

/** Measures whether the time for the log of a week depends on the total number of entries. */
function reportLog() {
  const [small, large] = [seedHome(100), seedHome(100_000)]
  report(
    measure([
      { name: 'tt log week, 100 entries', argv: [tt, 'log', 'week'], home: small },
      { name: 'tt log week, 100,000 entries', argv: [tt, 'log', 'week'], home: large },
    ]),
    { 'tt log week, 100,000 entries': 1.15 },
  )
}

/** Prints what a log and a report of a week and of a year cost, as ratios to bare Node. */
function reportPeriods() {
  const homes = { '1,000': seedHome(1000), '100,000': seedHome(100_000) }
  const commands = Object.entries(homes).flatMap(([size, ttHome]) =>
    [
      { name: 'tt log week', argv: [tt, 'log', 'week'] },
      { name: 'tt report week', argv: [tt, 'report', 'week'] },
      { name: 'tt report year', argv: [tt, 'report', 'year'] },
    ].map(({ name, argv }) => ({ name: `${name}, ${size} entries`, argv, home: ttHome })),
  )
  /** @type {Record<string, number>} */
  const bounds = { log: 2.2, week: 2.5, year: 3.5 }
  report(
    measure([bare, ...commands]),
    Object.fromEntries(
      commands.map(({ name }) => [
        name,
        bounds[/tt log/.test(name) ? 'log' : /year/.test(name) ? 'year' : 'week'] ?? 0,
      ]),
    ),
  )
}

/** @param {number} entries */
function seedHome(entries) {
  const ttHome = join(home, `seeded-${entries}`)
  if (existsSync(ttHome)) return ttHome
  run({ name: 'seed', argv: [tt, 'admin', 'seed', '--entries', String(entries), '-q'], home: ttHome })
  return ttHome
}
