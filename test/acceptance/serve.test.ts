import { expect, test } from 'vitest'
import { commandShapes } from '../../src/records/shapes/commands.js'
import { differences } from '../support/described-output.js'
import { findFreePort } from '../support/ports.js'
import { startServeProcess, temporaryDirectory } from '../support/process.js'

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
