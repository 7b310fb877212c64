import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findFreePort } from '../support/postgres.js'
import { temporaryDirectory, tt } from '../support/process.js'
import {
  expectSuccess,
  loginWithPassword,
  runFailingLogin,
  runWithInput,
  startConnectionCounter,
  startTestService,
  whoami,
} from '../support/sign-in.js'

test('login exits with 6 before any prompt when the service is unreachable', async () => {
  const [service, home] = [await startTestService(), temporaryDirectory()]
  const url = `http://127.0.0.1:${await findFreePort()}/api/v1`
  const outcome = await runFailingLogin(home, service, { url })
  expect(outcome).toMatchObject({ status: 6, stdout: '' })
  expect(outcome.stderr).toMatch(/^error: .*cannot be reached \(connection refused\)/)
  expect(outcome.stderr).not.toContain('Open this address')
  expect(readdirSync(home)).not.toContain('profiles.json')
})

test.each([
  [
    'a redirect URI on another machine without encryption',
    ['--redirect-uri', 'http://example.com/cb'],
    /neither encrypted/,
  ],
  [
    'a redirect URI whose response cannot be pasted',
    ['--redirect-uri', 'com.example.tt:/cb'],
    /Cannot prompt for the address/,
  ],
  ['a password where it does not belong', ['--password-stdin'], /requires --key/],
])('%s is exit 2', async (_, argv, message) => {
  const [service, home] = [await startTestService(), temporaryDirectory()]
  const outcome = await runFailingLogin(home, service, { argv: ['--insecure-storage', ...argv] })
  expect(outcome).toMatchObject({ status: 2, stdout: '' })
  expect(outcome.stderr).toMatch(message)
})

test('login --key stores a key in a file that only its owner can read, and recommends OAuth', async () => {
  const [service, home] = [await startTestService(), temporaryDirectory()]
  const { stderr } = await expectSuccess(loginWithPassword(home, service))
  expect(stderr).toMatch(/OAuth .*scopes, is revocable.*identity providers/)
  const account = await whoami(home)
  expect(account).toMatchObject({ method: 'key', base_url: service.url, scope: null, expires_at: null })
  // Windows has no modes.
  const modes = [String(account.secrets), join(home, 'credentials')].map(
    (path) => statSync(path).mode & 0o777,
  )
  if (process.platform !== 'win32') expect(modes).toEqual([0o600, 0o700])

  await expectSuccess(tt(home, ['logout']))
  expect(readdirSync(join(home, 'credentials'))).toEqual([])
  expect(await whoami(home)).toMatchObject({ profile: 'local' })
})

test('a wrong password and a user without one exit with 4 and a hint about OAuth', async () => {
  const [service, home] = [await startTestService(), temporaryDirectory()]
  await expectSuccess(tt(service.home, ['admin', 'user', 'add', 'bob@example.com']))
  for (const who of [
    { ...service, password: 'not this one' },
    { ...service, email: 'bob@example.com' },
  ]) {
    const rejected = await loginWithPassword(home, who)
    expect(rejected).toMatchObject({ status: 4, stdout: '' })
    expect(rejected.stderr).toContain('Accounts that use an identity provider have no password')
    expect(rejected.stderr).not.toContain(who.password)
  }
  expect(readdirSync(home)).not.toContain('profiles.json')
})

test('--profile, TT_PROFILE, .tt.json and the last sign-in choose between two accounts', async () => {
  const [here, there, home] = [await startTestService(), await startTestService(), temporaryDirectory()]
  await expectSuccess(loginWithPassword(home, here, '--profile', 'here'))
  await expectSuccess(loginWithPassword(home, there, '--profile', 'there'))
  const tree = join(home, 'tree', 'deep')
  mkdirSync(tree, { recursive: true })
  writeFileSync(join(home, 'tree', '.tt.json'), '{"profile":"here"}')
  const env = { TT_PROFILE: 'here' }

  expect(await whoami(home)).toMatchObject({ profile: 'there', base_url: there.url })
  expect(await whoami(home, {}, '--profile', 'here')).toMatchObject({ profile: 'here', base_url: here.url })
  expect(await whoami(home, { env })).toMatchObject({ profile: 'here' })
  expect(await whoami(home, { cwd: tree })).toMatchObject({ profile: 'here' })
  expect(await whoami(home, { cwd: tree, env: { TT_PROFILE: 'there' } })).toMatchObject({ profile: 'there' })
  expect(await whoami(home, { env }, '--profile', 'local')).toMatchObject({ profile: 'local' })

  const listed = await expectSuccess(tt(home, ['profiles', '--json']))
  expect(JSON.parse(listed.stdout)).toMatchObject([
    { name: 'local', current: false },
    { name: 'here', current: false, base_url: here.url },
    { name: 'there', current: true, base_url: there.url },
  ])
  await expectSuccess(tt(home, ['logout']))
  await expectSuccess(tt(home, ['profiles', 'use', 'here']))
  expect(await whoami(home)).toMatchObject({ profile: 'here', signed_in: true })
})

test('a .tt.json that sets an address or a token is an error, and no request is sent there', async () => {
  const [service, home, tree] = [await startTestService(), temporaryDirectory(), temporaryDirectory()]
  await expectSuccess(loginWithPassword(home, service, '--profile', 'acme'))
  const { url, connections } = await startConnectionCounter()
  const settings = {
    profile: 'acme',
    base_url: url,
    auth_url: url,
    token: 'x',
    TT_BASE_URL: url,
    browser: 'sh',
  }
  writeFileSync(join(tree, '.tt.json'), JSON.stringify(settings))

  for (const words of [['whoami', '--json'], ['projects'], ['logout']]) {
    const { stderr } = await expectSuccess(runWithInput(home, '', words, { cwd: tree }))
    expect(stderr).toContain(
      `Ignored in ${join(tree, '.tt.json')}: base_url, auth_url, token, TT_BASE_URL, browser`,
    )
  }
  expect(connections()).toBe(0)
})

test('login with a profile of another address requires --yes without a terminal, and sends no request before', async () => {
  const [here, there, home] = [await startTestService(), await startTestService(), temporaryDirectory()]
  await expectSuccess(loginWithPassword(home, here, '--profile', 'acme'))
  const trap = await startConnectionCounter()
  const rejected = await loginWithPassword(home, { ...here, url: trap.url }, '--profile', 'acme')
  expect(rejected).toMatchObject({ status: 2, stdout: '' })
  expect(rejected.stderr).toContain(`The profile "acme" belongs to ${here.url}.`)
  expect(rejected.stderr).toContain('--yes')
  expect(trap.connections()).toBe(0)
  expect(await whoami(home)).toMatchObject({ base_url: here.url, signed_in: true })

  await expectSuccess(loginWithPassword(home, there, '--profile', 'acme', '--yes'))
  expect(await whoami(home)).toMatchObject({ base_url: there.url, signed_in: true })
})
