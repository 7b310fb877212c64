import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Check } from '../../src/commands/views/check.js'
import { startServeProcess, temporaryDirectory, tt } from '../support/process.js'
import { expectSuccess, loginWithPassword, startTestService } from '../support/sign-in.js'

const checksByName = (stdout: string) =>
  new Map((JSON.parse(stdout) as Check[]).map((row) => [row.check, row] as const))

test('doctor passes all checks with a real service, and prints one line per check to a pipe', async () => {
  const [service, home] = [await startTestService(), temporaryDirectory()]
  await expectSuccess(loginWithPassword(home, service, '--profile', 'acme'))
  const outcome = await tt(home, ['doctor', '--json'])
  expect(outcome).toMatchObject({ status: 0, stderr: '' })
  const found = checksByName(outcome.stdout)
  expect([...found.values()].filter(({ state }) => state !== 'ok')).toEqual([])
  expect(found.get('service')?.message).toMatch(/\(200 after \d+ ms\)/)
  const piped = await tt(home, ['doctor'])
  expect(piped.stdout.split('\n').filter(Boolean)).toHaveLength(found.size)
})

test('doctor runs every check without a profile or a service, and exits with 1', async () => {
  const home = temporaryDirectory()
  const { url, child, exit } = await startServeProcess(home)
  child.kill('SIGTERM')
  await exit
  const outcome = await tt(home, ['doctor', '--json', '--profile', 'gone'], {
    TT_BASE_URL: url,
    TT_TOKEN: 'x',
  })
  expect(outcome.status).toBe(1)
  expect(JSON.parse(outcome.stderr)).toMatchObject({ error: { code: 'failure' } })
  expect(checksByName(outcome.stdout).get('configuration')).toMatchObject({ state: 'error' })
  const unreachable = await tt(home, ['doctor', '--json'], { TT_BASE_URL: url, TT_TOKEN: 'x' })
  expect(unreachable.status).toBe(0)
  expect(checksByName(unreachable.stdout).get('service')?.message).toContain('connection refused')
})

test('doctor reports a missing keychain and still checks the service', async () => {
  const [service, home] = [await startTestService(), temporaryDirectory()]
  await expectSuccess(loginWithPassword(home, service, '--profile', 'acme'))
  const profiles = join(home, 'profiles.json')
  writeFileSync(
    profiles,
    readFileSync(profiles, 'utf8').replace('"storage": "file"', '"storage": "keychain"'),
  )
  const withoutBus = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${home}/missing` }
  const outcome = await tt(home, ['doctor', '--json'], withoutBus)
  expect(outcome.status).toBe(1)
  const found = checksByName(outcome.stdout)
  expect(found.get('keychain')).toMatchObject({
    state: 'error',
    message: expect.stringContaining('no keychain that tt can use'),
  })
  expect(found.get('service')?.message).toMatch(/responds \(401 after/)
  expect(found.get('clock')?.state).toBe('ok')
})
