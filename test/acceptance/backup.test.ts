import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { BackupRecord } from '../../src/commands/views/backup.js'
import { extractBackup, findInconsistencies } from '../support/backup-content.js'
import { readRows } from '../support/database-files.js'
import {
  bin,
  cleanEnvironment,
  createSeededHome,
  startServeProcess,
  temporaryDirectory,
  tt,
  ttJson,
} from '../support/process.js'

const seconds = Number(process.env.TT_BACKUP_SECONDS ?? 8)

test(`every backup is consistent while tt and tt serve write for ${seconds} s`, async () => {
  const home = temporaryDirectory()
  await ttJson(home, 'add', 'Website/Design', '--from', '2024-05-01 9:00', '--for', '1h', '-n', 'first')
  const { token } = await ttJson<{ token: string }>(home, 'admin', 'user', 'add', 'ada@example.com')
  const { url } = await startServeProcess(home)
  const deadlineMs = performance.now() + seconds * 1000
  const counts = { commands: 1, served: 0, backups: 0 }

  async function addEntries(user: number) {
    for (let index = 0; performance.now() < deadlineMs; index++) {
      const day = `2023-${String(user + 1).padStart(2, '0')}-${String((index % 28) + 1).padStart(2, '0')}`
      const argv = ['add', 'Website/Design', '--from', `${day} 9:00`, '--for', '1m', '-n', `${user} ${index}`]
      expect(await tt(home, [...argv, '--yes'])).toMatchObject({ status: 0 })
      counts.commands++
    }
  }

  async function postEntries() {
    for (let index = 0; performance.now() < deadlineMs; index++) {
      expect(await postEntry(url, token, index)).toBe(201)
      counts.served++
    }
  }

  async function saveBackups() {
    while (performance.now() < deadlineMs || counts.backups < 2) {
      const before = { ...counts }
      const saved = await ttJson<BackupRecord>(home, 'backup', join(home, `${counts.backups}.tar.gz`))
      counts.backups++
      const directory = extractBackup(saved.file)
      expect(await findInconsistencies(directory)).toEqual([])
      const rows = await readRows(join(directory, 'workspace.db'), 'SELECT notes FROM time_entries')
      expect(rows).toHaveLength(saved.entries)
      // Everything that was complete before the backup began is in it, and nothing else is missing in a sequence.
      expect(rows.length).toBeGreaterThanOrEqual(before.commands + before.served)
      const served = rows.filter(({ notes }) => String(notes).startsWith('served ')).length
      expect(rows.map(({ notes }) => notes)).toEqual(
        expect.arrayContaining(Array.from({ length: served }, (_, index) => `served ${index}`)),
      )
    }
  }

  await Promise.all([addEntries(0), addEntries(1), postEntries(), saveBackups()])
  process.stdout.write(`${counts.commands} commands, ${counts.served} requests, ${counts.backups} backups\n`)
  expect(readdirSync(home).filter((name) => /\.work$|\.tmp$/.test(name))).toEqual([])
  expect(await ttJson<unknown[]>(home, 'log', '--since', '2023-01-01')).toHaveLength(counts.commands)
})

test('tt admin backup copies a database that tt serve is writing, and the copy can be served', async () => {
  const home = temporaryDirectory()
  const location = `sqlite:${join(home, 'team.db')}`
  const { token } = await ttJson<{ token: string }>(
    home,
    ...['admin', 'user', 'add', 'ada@example.com'],
    '--database',
    location,
  )
  for (const argv of [
    ['projects', 'add', 'Website'],
    ['tasks', 'add', 'Website/Design'],
  ])
    await ttJson(home, 'admin', ...argv, '--database', location)
  const { url } = await startServeProcess(home, '--database', location)
  const deadlineMs = performance.now() + seconds * 500
  let posted = 0

  async function postEntries() {
    for (; performance.now() < deadlineMs; posted++) expect(await postEntry(url, token, posted)).toBe(201)
  }

  async function saveCopies(): Promise<number> {
    let copies = 0
    for (; performance.now() < deadlineMs || copies < 2; copies++) {
      const before = posted
      const file = join(home, `copy-${copies}.db`)
      const saved = await ttJson<{ entries: number }>(home, 'admin', 'backup', file, '--database', location)
      expect(saved.entries).toBeGreaterThanOrEqual(before)
      const rows = await readRows(file, 'SELECT notes FROM time_entries ORDER BY id')
      expect(rows.map(({ notes }) => notes)).toEqual(
        Array.from({ length: saved.entries }, (_, index) => `served ${index}`),
      )
    }
    return copies
  }

  const [copies] = await Promise.all([saveCopies(), postEntries()])
  process.stdout.write(`${posted} requests, ${copies} copies\n`)
  const served = await startServeProcess(home, '--database', `sqlite:${join(home, 'copy-0.db')}`)
  const response = await fetch(`${served.url}/timesheets`, { headers: { authorization: `Bearer ${token}` } })
  expect(response.status).toBe(200)
})

/** Creates an entry of one minute, and returns the status of the response. */
async function postEntry(url: string, token: string, index: number): Promise<number> {
  const startMs = Date.UTC(2022, 0, 1) + index * 60_000
  const response = await fetch(`${url}/timesheets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      time_start: new Date(startMs).toISOString(),
      time_end: new Date(startMs + 60_000).toISOString(),
      task_link_id: 1,
      notes: `served ${index}`,
    }),
  })
  await response.arrayBuffer()
  return response.status
}

test.each([
  ['tt backup', ['backup'], ['status']],
  ['tt admin backup', ['admin', 'backup'], ['admin', 'backup', 'next']],
])('the next command removes the unfinished file of a killed %s', async (_, argv, next) => {
  const home = await createSeededHome(20_000)
  const directory = temporaryDirectory()
  const unfinished = () => readdirSync(directory).filter((name) => name.includes('.tmp'))
  const child = spawn(process.execPath, [bin, ...argv, join(directory, 'saved'), '--yes'], {
    env: cleanEnvironment({ TT_HOME: home }),
    stdio: 'ignore',
  })
  await vi.waitUntil(() => unfinished().length > 0 || child.exitCode !== null, {
    timeout: 120_000,
    interval: 1,
  })
  child.kill('SIGKILL')
  await new Promise((resolve) => child.once('exit', resolve))
  expect(unfinished()).not.toEqual([])
  expect(
    await tt(
      home,
      next.map((word) => (word === 'next' ? join(directory, word) : word)),
    ),
  ).toMatchObject({ status: 0 })
  expect(unfinished()).toEqual([])
  expect(readdirSync(home).filter((name) => name.endsWith('.work'))).toEqual([])
})
