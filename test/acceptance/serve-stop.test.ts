import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readRows } from '../support/database-files.js'
import { startServeProcess, temporaryDirectory, tt } from '../support/process.js'

/** Sends entries to a service over `database`, and stops it with a signal. */
async function serveAndStop(home: string, database: string[], signal: NodeJS.Signals) {
  await tt(home, ['admin', 'projects', 'add', 'Website', ...database])
  await tt(home, ['admin', 'tasks', 'add', 'Website/Design', ...database])
  const added = await tt(home, ['admin', 'user', 'add', 'ada@example.com', '--json', ...database])
  const { token } = JSON.parse(added.stdout) as { token: string }
  const { url, child, exit } = await startServeProcess(home, ...database)
  const [link] = (await (
    await fetch(`${url}/task_links`, { headers: { authorization: `Bearer ${token}` } })
  ).json()) as { id: number }[]
  for (let entry = 0; entry < 20; entry++) {
    const response = await fetch(`${url}/timesheets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({
        time_start: '2024-05-01T09:00:00Z',
        task_link_id: link?.id,
        notes: `n${entry}`,
      }),
    })
    expect(response.status).toBe(201)
  }
  child.kill(signal)
  expect(await exit).toMatchObject({ status: 0, signal: null })
}

test.each([
  ['SIGINT', 'team.db'],
  ['SIGTERM', 'workspace.db'],
] as const)(
  'a service that was stopped with %s has stored all entries in %s, without a log in team.db',
  async (signal, file) => {
    const home = temporaryDirectory()
    const path = join(home, file)
    await serveAndStop(home, file === 'team.db' ? ['--database', `sqlite:${path}`] : [], signal)
    // The log of a workspace, the default, stays for the next command.
    if (file === 'team.db')
      expect(existsSync(`${path}-wal`) && readFileSync(`${path}-wal`).length > 0).toBe(false)
    expect(await readRows(path, 'SELECT count(*) AS count FROM time_entries')).toEqual([{ count: 20 }])
  },
)
