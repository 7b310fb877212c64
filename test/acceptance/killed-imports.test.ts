import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { readRows } from '../support/database-files.js'
import { checkIntegrity } from '../support/integrity.js'
import {
  bin,
  cleanEnvironment,
  copyDirectory,
  startProcess,
  temporaryDirectory,
  tt,
  ttJson,
} from '../support/process.js'
import { chooseSeed, SeededRandom } from '../support/seeded-random.js'
import { startTeam } from '../support/team.js'

const killCount = Number(process.env.TT_IMPORT_KILLS ?? 10)
const localCount = Number(process.env.TT_IMPORT_ENTRIES ?? 10_000)
/** A service needs a request for each entry. */
const serviceCount = Number(process.env.TT_IMPORT_ENTRIES ?? 2000)

/** Writes a report of Toggl Track with entries one after another; each third row is equal to the one before it. */
function writeReport(directory: string, entryCount: number): string {
  const at = (minute: number) => new Date(Date.UTC(2020, 0, 1) + minute * 60_000).toISOString()
  const rows = Array.from({ length: entryCount }, (_, number) => {
    const distinct = number - (number % 3 === 2 ? 1 : 0)
    const start = at(distinct * 20)
    const end = at(distinct * 20 + 15)
    const times = [start.slice(0, 10), start.slice(11, 19), end.slice(0, 10), end.slice(11, 19), '00:15:00']
    return [`Website,Design,Ticket ${distinct}`, ...times].join(',')
  })
  const file = join(directory, 'toggl.csv')
  const header = 'Project,Task,Description,Start date,Start time,End date,End time,Duration'
  writeFileSync(file, [header, ...rows, ''].join('\n'))
  return file
}

/** The times of the report are those of UTC: other zones skip some of them. */
const utc = { TZ: 'UTC' }

const importArguments = (file: string) => ['import', file, '--yes', '--json']

/** Starts an import and kills it when `isDue` resolves. Returns whether it was killed before its end. */
async function killImport(file: string, env: Record<string, string>, isDue: () => Promise<unknown>) {
  const { child, exit } = startProcess(process.execPath, [bin, ...importArguments(file)], {
    env: cleanEnvironment({ ...utc, ...env }),
  })
  await Promise.race([isDue(), exit])
  child.kill('SIGKILL')
  return (await exit).signal === 'SIGKILL'
}

/** Returns the number of entries in a database, that of different external IDs, and that of different texts. */
async function countEntries(path: string) {
  const [row = { entries: 0, ids: 0 }] = await readRows<{ entries: number; ids: number }>(
    path,
    `select count(*) as entries, count(distinct external_id) as ids, count(distinct notes) as notes,
       sum(time_end - time_start) / 60000 as minutes from time_entries`,
  )
  return row
}

const allOnce = (count: number) => ({
  entries: count,
  ids: count,
  notes: Math.ceil((count * 2) / 3),
  minutes: count * 15,
})

test(`an import of ${localCount} entries into the local workspace is complete after each of ${killCount} kills`, async () => {
  const random = new SeededRandom(chooseSeed('killed import, local'))
  const original = temporaryDirectory()
  const file = writeReport(original, localCount)
  await ttJson(original, 'add', 'Website/Design', '--from', '2024-05-01 9:00', '--for', '1h', '--yes')
  await tt(original, ['rm', '@1', '--yes'])
  const complete = copyDirectory(original)
  const start = performance.now()
  expect(await tt(complete, importArguments(file), utc)).toMatchObject({ status: 0 })
  let durationMs = performance.now() - start
  let killed = 0
  for (let kill = 0; kill < killCount || killed === 0; kill++) {
    const home = copyDirectory(original)
    const delayMs = random.between(0, Math.ceil(durationMs))
    if (await killImport(file, { TT_HOME: home }, () => sleep(delayMs))) killed++
    else durationMs = Math.min(durationMs, delayMs) // This one took less time than the first.
    expect(await tt(home, importArguments(file), utc), `after ${delayMs} ms`).toMatchObject({ status: 0 })
    expect(await countEntries(join(home, 'workspace.db')), `after ${delayMs} ms`).toEqual(allOnce(localCount))
    expect(await checkIntegrity(home)).toMatchObject({ findings: [] })
    // One undo reverts all of it, whichever process has completed it.
    expect(await tt(home, ['undo'])).toMatchObject({ status: 0 })
    expect(await countEntries(join(home, 'workspace.db'))).toMatchObject({ entries: 0 })
  }
  process.stdout.write(`${killed} imports were killed\n`)
})

test(`an import of ${serviceCount} entries into a service is complete after ${killCount} kills`, async () => {
  const random = new SeededRandom(chooseSeed('killed import, service'))
  const { serveProcess, tokens, home: serverHome } = await startTeam(1)
  const home = temporaryDirectory()
  const file = writeReport(home, serviceCount)
  const env = { ...utc, TT_BASE_URL: serveProcess.url, TT_TOKEN: tokens[0] ?? '' }
  const count = () => countEntries(join(serverHome, 'workspace.db'))
  let previous = 0
  for (let kill = 0; kill < killCount; kill++) {
    // Each import continues where the last one ended.
    const last = previous + random.between(1, Math.floor((serviceCount - previous) / 2))
    await killImport(file, { TT_HOME: home, ...env }, async () => {
      while ((await count()).entries < last) await sleep(20)
    })
    const { entries, ids } = await count()
    expect(ids).toBe(entries)
    expect(entries).toBeGreaterThanOrEqual(last)
    previous = entries
  }
  process.stdout.write(`${previous} entries after ${killCount} kills\n`)
  expect(await tt(home, importArguments(file), env)).toMatchObject({ status: 0 })
  expect(await count()).toEqual(allOnce(serviceCount))
  expect(await ttJson(home, 'sync', 'list')).toEqual([])
  expect(await checkIntegrity(home)).toMatchObject({ findings: [] })
  const again = JSON.parse((await tt(home, importArguments(file), env)).stdout)
  expect(again).toMatchObject({ files: [{ result: { created: 0 } }] })
  expect(await count()).toEqual(allOnce(serviceCount))
})
