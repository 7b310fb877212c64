import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findFreePort } from '../support/ports.js'
import { temporaryDirectory, tt } from '../support/process.js'
import {
  expectSuccess,
  loginWithPassword,
  runFailingLogin,
  startConnectionCounter,
  startTestService,
  whoami,
} from '../support/sign-in.js'

test('a failed login exits with 6 before any prompt, or with 4 and a hint, and stores nothing', async () => {
  const [service, home] = [await startTestService(), temporaryDirectory()]
  const url = `http://127.0.0.1:${await findFreePort()}/api/v1`
  const unreachable = await runFailingLogin(home, service, { url })
  expect(unreachable).toMatchObject({ status: 6, stdout: '' })
  expect(unreachable.stderr).toMatch(/^error: .*cannot be reached \(connection refused\)/)
  expect(unreachable.stderr).not.toContain('Open this address')
  const rejected = await loginWithPassword(home, { ...service, password: 'not this one' })
  expect(rejected).toMatchObject({ status: 4, stdout: '' })
  expect(rejected.stderr).toContain('Accounts that use an identity provider have no password')
  expect(rejected.stderr).not.toContain('not this one')
  expect(readdirSync(home)).not.toContain('profiles.json')
})

test('login --key stores a key in a file that only its owner can read, and recommends OAuth', async () => {
  const [service, home] = [await startTestService(), temporaryDirectory()]
  const { stderr } = await expectSuccess(loginWithPassword(home, service, '--profile', 'acme'))
  expect(stderr).toMatch(/OAuth .*scopes, is revocable.*identity providers/)
  const account = await whoami(home)
  expect(account).toMatchObject({ method: 'key', base_url: service.url, scope: null, expires_at: null })
  // Windows has no modes.
  const modes = [String(account.secrets), join(home, 'credentials')].map(
    (path) => statSync(path).mode & 0o777,
  )
  if (process.platform !== 'win32') expect(modes).toEqual([0o600, 0o700])

  const tree = join(home, 'tree', 'deep')
  mkdirSync(tree, { recursive: true })
  writeFileSync(join(home, 'tree', '.tt.json'), '{"profile":"local"}')
  expect(await whoami(home, { cwd: tree })).toMatchObject({ profile: 'local' })

  const trap = await startConnectionCounter()
  const moved = await loginWithPassword(home, { ...service, url: trap.url }, '--profile', 'acme')
  expect(moved).toMatchObject({ status: 2, stdout: '' })
  expect(moved.stderr).toContain(`The profile "acme" belongs to ${service.url}.`)
  expect(moved.stderr).toContain('--yes')
  expect(trap.connections()).toBe(0)
  expect(await whoami(home)).toMatchObject({ base_url: service.url, signed_in: true })

  await expectSuccess(tt(home, ['logout']))
  expect(readdirSync(join(home, 'credentials'))).toEqual([])
  expect(await whoami(home)).toMatchObject({ profile: 'local' })
})
