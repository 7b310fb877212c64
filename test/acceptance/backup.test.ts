import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { BackupRecord } from '../../src/commands/views/backup.js'
import { extractBackup, findInconsistencies, readRows } from '../support/backup-content.js'
import { startServeProcess, temporaryDirectory, tt, ttJson } from '../support/process.js'

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
      const response = await fetch(`${url}/timesheets`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          time_start: new Date(Date.UTC(2022, 0, 1) + index * 60_000).toISOString(),
          time_end: new Date(Date.UTC(2022, 0, 1) + (index + 1) * 60_000).toISOString(),
          task_link_id: 1,
          notes: `served ${index}`,
        }),
      })
      expect(response.status).toBe(201)
      counts.served++
    }
  }

  async function saveBackups() {
    while (performance.now() < deadlineMs) {
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
  expect(counts.backups).toBeGreaterThan(1)
  expect(readdirSync(home).filter((name) => /\.work$|\.tmp$/.test(name))).toEqual([])
  expect(await ttJson<unknown[]>(home, 'log', '--since', '2023-01-01')).toHaveLength(counts.commands)
})
