import { expect, test } from 'vitest'
import { version } from '../../src/lib/version.js'
import { createTestCli } from '../support/test-cli.js'
import { setUpService } from './service-fixtures.js'

test('--debug prints the versions and the profile first', async () => {
  const cli = createTestCli()
  const runtime = `tt ${version}, Node ${process.versions.node}, ${process.platform} ${process.arch}`
  expect((await cli.run('status', '--debug')).stderr.split('\n')[0]).toBe(`${runtime}, profile local`)
  const unknown = await cli.run('status', '--debug', '--profile', 'nonesuch')
  expect(unknown).toMatchObject({
    status: 3,
    stderr: expect.stringMatching(/^tt .*, profile unknown\nerror: /),
  })
})

test('--debug prints each request with its duration, without secrets in queries, fields or the environment', async () => {
  const { cli, proxy } = await setUpService()
  const token = String(cli.env.TT_TOKEN)
  const outcomes = [
    await cli.run('api', 'GET', '/timesheets?key=hush-1', '-q', 'notes_cont=hush-2', '--debug'),
    await cli.run('api', 'POST', '/timesheets', '-f', 'notes=hush-3', '--debug'),
    await cli.run('add', 'review', '--from', '9:00', '--for', '1h', '-n', 'hush-4', '--debug', '-q'),
  ]
  const traces = outcomes.map(({ stderr }) => stderr)
  expect(traces[0]).toContain(`, profile environment at ${new URL(proxy.url).host}\n`)
  expect(traces[0]).toMatch(/^GET \/api\/v1\/timesheets 200 \d+ ms$/m)
  expect(traces[1]).toMatch(/^POST \/api\/v1\/timesheets 422 \d+ ms$/m)
  expect(traces[2]).toMatch(/^POST \/api\/v1\/timesheets 201 \d+ ms$/m)
  for (const trace of traces) {
    expect(trace).not.toContain('hush')
    expect(trace).not.toContain(token)
  }
})

test('--debug prints no control character of an argument, in the error or in its stack', async () => {
  const { status, stderr } = await createTestCli().run('show', '\u001b[2J\u009b31m\u202e', '--debug')
  expect(status).toBe(2)
  expect(stderr).toContain('\n    at ')
  expect(stderr).toContain('\\x1b[2J\\x9b31m\\u202e')
  expect(stderr).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/u)
})
