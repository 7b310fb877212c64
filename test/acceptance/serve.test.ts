import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandShapes } from '../../src/records/shapes/commands.js'
import { readRows } from '../support/database-files.js'
import { differences } from '../support/described-output.js'
import { findFreePort } from '../support/ports.js'
import { startServeProcess, temporaryDirectory, tt } from '../support/process.js'

test('metrics have a port of their own on this machine, and a stopping server drains', async () => {
  const metricsPort = await findFreePort()
  const home = temporaryDirectory()
  const options = `--host 127.0.0.2 --metrics-port ${metricsPort} --log-format json --drain 5`
  const database = ['--database', `sqlite:${home}/team.db`]
  const { url, child, exit } = await startServeProcess(home, ...options.split(' '), ...database)
  const { origin } = new URL(url)
  const status = async (address: string) => (await fetch(address)).status
  expect(await status(`${origin}/readyz`)).toBe(200)
  expect(await status(`${origin}/metrics`)).toBe(404)
  expect(await status(`${url}/companies`)).toBe(401)
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  expect(metrics).toContain('tt_http_requests_total{method="GET",route="/api/v1/companies",status="401"} 1')

  child.kill('SIGTERM')
  await expect.poll(() => status(`${origin}/readyz`)).toBe(503)
  expect(await status(`${url}/companies`)).toBe(401)
  const { status: exitStatus, stdout, stderr } = await exit
  expect(exitStatus).toBe(0)
  expect(commandShapes.serve && differences('serve', commandShapes.serve.json, stdout)).toEqual([])
  const lines = stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.map(({ message, route }) => route ?? message)).toEqual(
    expect.arrayContaining(['/api/v1/companies', 'Stopped.']),
  )
  expect(lines.find(({ route }) => route === '/readyz')).toMatchObject({ level: 'warn', status: 503 })
})

test('a port for metrics that is in use ends the server', async () => {
  const { url } = await startServeProcess(temporaryDirectory())
  // Without --host, only this machine can reach it.
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1$/)
  const { origin, port } = new URL(url)
  // Without --database, it serves the local workspace, whose disk counts too.
  expect(await (await fetch(`${origin}/readyz`)).json()).toMatchObject({ checks: { disk: true } })
  await expect(startServeProcess(temporaryDirectory(), '--metrics-port', port)).rejects.toThrow(
    `Another program already listens on 127.0.0.1:${port}.`,
  )
})

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
