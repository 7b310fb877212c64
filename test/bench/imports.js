// Measures the import of many entries, compared with the same rows through the bare driver.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { costOnce, median, rounds, run, seconds, tt, verdict, write } from './timing.js'

const entries = 100_000
const bounds = { import: 4, peakMb: 300 }
const floor = fileURLToPath(new URL('./insert-floor.js', import.meta.url))

/** @param {string} directory */
export function reportImports(directory) {
  write(`\nImport of ${entries.toLocaleString('en')} entries, local\n`)
  const file = join(directory, 'toggl.csv')
  writeFileSync(file, togglReport())
  const times = Math.min(rounds, 5)
  /** @type {Record<'floor' | 'import', number[]>} */
  const ms = { floor: [], import: [] }
  let peakMb = 0
  for (let round = 0; round < times; round++) {
    const home = join(directory, `import-${round}`)
    mkdirSync(home)
    // The workspace exists, as for everyone who has used `tt` before.
    run({ name: 'seed', argv: [tt, 'admin', 'seed', '--entries', '1', '-q'], home })
    const cost = costOnce({ name: 'tt import', argv: [tt, 'import', file, '--yes', '-q'], home })
    ms.import.push(cost.ms)
    peakMb = Math.max(peakMb, cost.peakMb)
    ms.floor.push(run({ name: 'inserts', argv: [floor, join(home, 'workspace.db'), join(home, 'copy.db')] }))
    rmSync(home, { recursive: true })
  }
  const ratio = median(ms.import) / median(ms.floor)
  write(`  ${'the same inserts with the bare driver'.padEnd(40)} ${seconds(median(ms.floor))}\n`)
  write(
    `  ${'tt import of a Toggl report'.padEnd(40)} ${seconds(median(ms.import))}  peak ${peakMb.toFixed(0)} MB`,
  )
  write(
    `${verdict(peakMb, bounds.peakMb, ' MB')}  ${ratio.toFixed(2)} ×${verdict(ratio, bounds.import, '')}\n`,
  )
}

/** Returns a detailed report of Toggl Track: 40 projects of 10 clients, one entry after another from 2015 on. */
function togglReport() {
  const header =
    'User,Email,Client,Project,Task,Description,Billable,Start date,Start time,End date,End time,Duration,Tags'
  const lines = [header]
  let at = Date.UTC(2015, 0, 5, 8)
  const clock = (/** @type {number} */ ms) => new Date(ms).toISOString().slice(11, 19)
  const day = (/** @type {number} */ ms) => new Date(ms).toISOString().slice(0, 10)
  for (let number = 0; number < entries; number++) {
    const duration = 600_000 + ((number * 7919) % 4800) * 1000
    const [end, project] = [at + duration, (number * 31) % 40]
    lines.push(
      `Ann,ann@example.com,Client ${project % 10},Project ${project},Task ${number % 7},` +
        `"Ticket ${number}, part ${number % 9}",Yes,` +
        `${day(at)},${clock(at)},${day(end)},${clock(end)},${clock(duration)},"urgent, ui"`,
    )
    at = end + ((number * 104_729) % 1200) * 1000
  }
  return `\uFEFF${lines.join('\n')}\n`
}
