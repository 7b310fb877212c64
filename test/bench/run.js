// Prints the benchmark figures: ratios of whole processes, timed in turn.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reportBackground } from './background.js'
import { reportImports } from './imports.js'
import { reportMcp } from './mcp.js'
import { reportAdd, reportUnreachable } from './outbox.js'
import { reportReports } from './reports.js'
import { nodes, reportStart, versionOf } from './start.js'
import { bare, measure, node, report, rounds, run, tt, write } from './timing.js'

const home = mkdtempSync(join(tmpdir(), 'tt-bench-'))

try {
  write(`${rounds} rounds, ratios of medians\n`)
  for (const program of nodes(join(home, 'node'))) reportStart(program, home)
  write(`\nThe following figures are of Node ${versionOf(node)}.\n`)
  await reportMcp(home)
  reportPeriods()
  reportImports(home)
  await reportAdd(home)
  await reportUnreachable(home)
  await reportBackground(home)
  await reportReports(home)
} finally {
  rmSync(home, { recursive: true, force: true })
}

/**
 * Prints what a log and a report of a week and of a year cost, as ratios to bare Node, and whether those of a week depend on
 * the total number of entries.
 */
function reportPeriods() {
  const sizes = { 100: seedHome(100), '100,000': seedHome(100_000) }
  const periods = [
    { command: 'tt log week', bound: 2.2 },
    { command: 'tt report week', bound: 2.5 },
    { command: 'tt report year', bound: 3.5 },
  ]
  const commands = Object.entries(sizes).flatMap(([size, ttHome]) =>
    periods.map(({ command, bound }) => ({
      ...{ name: `${command}, ${size} entries`, argv: [tt, ...command.split(' ').slice(1)] },
      ...{ home: ttHome, bound },
    })),
  )
  const medians = measure([bare, ...commands])
  report(medians, Object.fromEntries(commands.map(({ name, bound }) => [name, bound])))
  for (const { command } of periods.slice(0, 2)) {
    const ofBoth = [...medians].filter(([name]) => name.startsWith(`${command},`))
    report(new Map(ofBoth), { [`${command}, 100,000 entries`]: 1.15 })
  }
}

/** @param {number} entries */
function seedHome(entries) {
  const ttHome = join(home, `seeded-${entries}`)
  run({ name: 'seed', argv: [tt, 'admin', 'seed', '--entries', String(entries), '-q'], home: ttHome })
  return ttHome
}
