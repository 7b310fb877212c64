import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { driverName } from '../../src/lib/sqlite/driver.js'
import { openSqlite } from '../../src/lib/sqlite/open.js'
import { setUpService } from '../command/service-fixtures.js'
import { copyDirectory, temporaryDirectory, tt, ttJson } from '../support/process.js'
import { SeededRandom } from '../support/seeded-random.js'
import { share } from '../support/share.js'

/** Creates a home with entries, expenses, history and a deletion. */
async function createHome(): Promise<string> {
  const home = temporaryDirectory()
  const rows = Array.from({ length: 60 }, (_, day) => {
    const date = new Date(Date.UTC(2024, 0, 1 + day)).toISOString().slice(0, 10)
    return `${date},09:00,10:00,Website ${day % 5},Design,Grüße ${day}`
  })
  writeFileSync(join(home, 'in.csv'), ['Date,From,To,Project,Task,Notes', ...rows].join('\n'))
  expect(await tt(home, ['import', join(home, 'in.csv'), '--yes'])).toMatchObject({ status: 0 })
  await tt(home, ['admin', 'expense-types', 'add', 'Travel'])
  for (const amount of ['12', '13']) await tt(home, ['expenses', 'add', amount, '--type', 'Travel'])
  await tt(home, ['edit', '1', '-n', 'Änderung'])
  // Moves the log into the file.
  ;(await openSqlite(join(home, 'workspace.db'))).close()
  return home
}

/** Changes 40 bytes of a file. */
function damage(path: string, random: SeededRandom) {
  const bytes = readFileSync(path)
  for (let count = 0; count < 40; count++) bytes[random.between(0, bytes.length - 1)] = random.between(0, 255)
  writeFileSync(path, bytes)
}

const commands = [
  ['status'],
  ['log', '--since', '2024-01-01'],
  ['sync', 'list'],
  ['doctor'],
  ['doctor', '--salvage', 'salvaged.tar.gz', '--yes'],
]

test('40 changed bytes in workspace.db are never reported as a bug, and what can be read is salvaged', {
  timeout: 600_000,
}, async () => {
  const original = await createHome()
  let salvaged = 0
  const seeds = share(
    'changed bytes',
    Array.from({ length: 12 }, (_, index) => index + 1),
  )
  for (const seed of seeds) {
    const home = copyDirectory(original)
    damage(join(home, 'workspace.db'), new SeededRandom(String(seed)))
    for (const argv of commands) {
      const file = argv.map((word) => (word === 'salvaged.tar.gz' ? join(home, word) : word))
      const { status, signal, stdout, stderr } = await tt(home, file)
      const outcome = { seed, argv, status, signal, stdout, stderr }
      expect(`${stdout}${stderr}`, JSON.stringify(outcome)).not.toMatch(
        /panicked|Internal error|bug in tt|^ {4}at /m,
      )
      expect([0, 1], JSON.stringify(outcome)).toContain(status)
    }
    const archive = join(home, 'salvaged.tar.gz')
    if (!existsSync(archive)) continue
    expect(await tt(home, ['restore', archive, '--yes'])).toMatchObject({ status: 0 })
    const entries = await ttJson<unknown[]>(home, 'log', '--since', '2024-01-01')
    if (entries.length >= 50) salvaged++
  }
  // Of the others, the pages with the tables are damaged.
  expect(salvaged).toBeGreaterThanOrEqual((seeds.length * 2) / 3)
})

test('a damaged text is found by tt doctor, and its error names the newest backup', async () => {
  const home = await createHome()
  await tt(home, ['backup', join(home, 'copy.tar.gz')])
  const path = join(home, 'workspace.db')
  const bytes = readFileSync(path)
  for (let at = bytes.indexOf('Grüße 7'); at >= 0; at = bytes.indexOf('Grüße 7')) bytes[at + 1] = 0xff
  writeFileSync(path, bytes)
  expect((await tt(home, ['doctor'])).stdout).toContain('invalid text in time_entries.notes')
  // node:sqlite replaces invalid bytes.
  if (driverName === 'node:sqlite') return
  const log = await tt(home, ['log', '--since', '2024-01-01'])
  expect(log).toMatchObject({ status: 1, signal: null })
  expect(log.stderr).toContain(`The database ${path} is damaged`)
  expect(log.stderr).toContain(`The newest backup is ${join(home, 'copy.tar.gz')}.`)
  expect(log.stderr).toContain('tt doctor --salvage FILE')
})

test.each(['missing', 'empty'])(
  'a client state that is %s is reported with what may be lost',
  async (problem) => {
    const { cli, proxy } = await setUpService()
    await proxy.close()
    await cli.run('add', 'design', '--from', '9:00', '--for', '1h')
    const checks = await cli.json<{ check: string; message: string }[]>('doctor')
    const state = checks.find(({ check }) => check === 'state')
    const path = /^\S+state\.db/.exec(state?.message ?? '')?.[0] ?? ''
    if (problem === 'missing') rmSync(path)
    else truncateSync(path)
    for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`, { force: true })
    const message = `The state database ${path} is ${problem}, but it was used before. Changes that were not sent yet may be lost.`
    expect(await cli.run('status')).toMatchObject({ status: 1, stderr: expect.stringContaining(message) })
    const { stdout } = await cli.run('doctor')
    expect(stdout).toContain(message)
    expect(stdout).not.toContain('No pending changes.')
  },
)
