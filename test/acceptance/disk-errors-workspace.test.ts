import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSqlite } from '../../src/lib/sqlite/open.js'
import { checkIntegrity } from '../support/integrity.js'
import { preparedCli } from '../support/prepared-cli.js'
import { copyDirectory, tt } from '../support/process.js'
import { share } from '../support/share.js'
import { canInjectFaults, countFlushes, runWithDiskFault } from '../support/strace.js'

const calls = 'pwrite64,fsync,fdatasync,ftruncate,rename,renameat,renameat2,unlink,unlinkat'
const utc = { TZ: 'UTC' }

const commands: Record<string, (home: string) => string[]> = {
  start: () => ['start', 'Website/Design', '--at', '2024-05-02 12:00', '--yes'],
  stop: () => ['stop', '--at', '2024-05-02 11:00', '--yes'],
  add: () => ['add', 'Website/Design', '--from', '2024-05-01 12:00', '--for', '1h'],
  rename: () => ['projects', 'rename', 'Website', 'Site'],
  undo: () => ['undo', '--yes'],
  'import of 20 rows': (home) => ['import', join(home, 'rows.csv'), '--yes'],
}

process.env.TZ = 'UTC'

const createCli = preparedCli(new Date().toISOString(), async ({ json, home }) => {
  await json('add', 'Acme/Website/Design', '--create', '--from', '2024-05-01 09:00', '--for', '1h')
  await json('edit', '1', '-n', 'edited')
  await json('start', 'Website/Design', '--at', '2024-05-02 10:00', '--yes')
  const rows = Array.from(
    { length: 20 },
    (_, hour) => `2024-05-0${3 + (hour % 2)},${10 + (hour >> 1)}:00,15,App,Code`,
  )
  writeFileSync(join(home, 'rows.csv'), ['Date,From,Minutes,Project,Task', ...rows, ''].join('\n'))
})

/** Creates a home with two entries and a running timer. */
const createHome = async () => (await createCli()).home

/** What the workspace has: everything but times that depend on the clock, and random versions. */
async function contentsOf(home: string) {
  const database = await openSqlite(join(home, 'workspace.db'))
  try {
    const rows = (sql: string) => JSON.stringify(database.prepare(sql).all())
    return {
      entries: rows('SELECT id, time_start, time_end, notes, task_link_id FROM time_entries ORDER BY id'),
      projects: rows('SELECT id, name FROM projects ORDER BY id'),
      history: rows('SELECT what, undone FROM history ORDER BY seq'),
      imports: rows('SELECT applied, entries FROM imports'),
      remembered: rows('SELECT external_id, undone FROM imported ORDER BY 1'),
      outbox: rows('SELECT * FROM outbox'),
    }
  } finally {
    database.close()
  }
}

test.runIf(canInjectFaults).each([
  ['start', 1],
  ['stop', 1],
  ['add', 1],
  ['rename', 3],
  ['undo', 2],
])('tt %s flushes its database to the disk at most %i times', async (name, most) => {
  const home = await createHome()
  expect(await countFlushes(home, commands[name]?.(home) ?? [], utc)).toBeLessThanOrEqual(most)
})

const failing = (['EIO', 'ENOSPC'] as const).flatMap((error) =>
  Object.entries(commands).map(([name, argvIn]) => [name, error, argvIn] as const),
)

test.runIf(canInjectFaults).each(share('failing commands', failing))(
  'tt %s with %s on one call for a file of the home is applied as a whole, or not at all',
  async (_, error, argvIn) => {
    const original = await createHome()
    const before = await contentsOf(original)
    const complete = copyDirectory(original)
    expect(await tt(complete, argvIn(complete), utc)).toMatchObject({ status: 0 })
    const after = await contentsOf(complete)
    expect(after).not.toEqual(before)
    let failures = 0
    for (let nth = 1; ; nth++) {
      const home = copyDirectory(original)
      const { isHit, status, stderr } = await runWithDiskFault(
        home,
        argvIn(home),
        { calls, error, nth, isForAllFiles: true },
        utc,
      )
      const contents = await contentsOf(home)
      const outcome = { nth, status, stderr }
      if (status === 0) expect({ ...outcome, contents }).toEqual({ ...outcome, contents: after })
      else {
        failures++
        expect(outcome).toMatchObject({ status: 1, stderr: expect.stringMatching(/^error: (?!Internal)/m) })
        if (stderr.includes('It is unknown whether')) expect([before, after]).toContainEqual(contents)
        else if (/^error: Saved:/m.test(stderr))
          expect({ ...outcome, contents }).toEqual({ ...outcome, contents: after })
        else expect({ ...outcome, contents }).toEqual({ ...outcome, contents: before })
      }
      expect(await checkIntegrity(home)).toMatchObject({ findings: [] })
      if (!isHit) break
    }
    expect(failures).toBeGreaterThan(0)
  },
)
