import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, type TestContext, test, vi } from 'vitest'
import { openSqlite } from '../../src/lib/sqlite/open.js'
import { findLeakingFiles, findLeaks, watchCommandLines } from '../support/leaks.js'
import { temporaryDirectory } from '../support/process.js'
import { missingSecretServiceReason, startSecretService } from '../support/secret-service.js'
import {
  authorize,
  expectSuccess,
  runFailingLogin,
  runWithInput,
  startLogin,
  startTestService,
  type TestService,
  whoami,
} from '../support/sign-in.js'
import { startSecretRecorder } from './secret-recorder.js'

/** Starts a keychain, and a service behind a proxy that records secrets. Every command runs in the directory `cwd`. */
async function setUpSecrets(skip: TestContext['skip']) {
  const reason = missingSecretServiceReason()
  skip(reason !== undefined, reason)
  const [home, cwd, recorder] = [temporaryDirectory(), temporaryDirectory(), await startSecretRecorder()]
  const served = await startTestService('--public-url', recorder.origin)
  recorder.forwardTo(served.url)
  const service = { ...served, url: `${recorder.origin}/api/v1` }
  const keyring = await startSecretService(home)
  // A browser that records the URL it opens, and remains long enough to be seen among the processes.
  const script = `require('fs').writeFileSync('opened', process.argv[2]); setTimeout(() => {}, 10_000)`
  writeFileSync(join(home, 'browser.cjs'), script)
  const env = { ...keyring.env, BROWSER: `"${process.execPath}" "${join(home, 'browser.cjs')}"` }
  return {
    ...{ home, cwd, service, recorder, keyring },
    /** Signs in, and consents without a browser. */
    async signIn(...argv: string[]) {
      const login = await startLogin(home, service, { env, cwd, argv: ['--profile', 'acme', ...argv] })
      await vi.waitFor(
        () => expect(readFileSync(join(cwd, 'opened'), 'utf8')).toBe(login.address.href),
        60_000,
      )
      await fetch(await authorize(login.address, service))
      return login.exit
    },
    tt: (...argv: string[]) => runWithInput(home, '', argv, { env, cwd }),
  }
}

const everySecret = ['access_token', 'client_secret', 'code', 'code_verifier', 'password', 'refresh_token']

/** Makes the issued access tokens expire. */
async function expireAccessTokens({ home }: TestService) {
  const database = await openSqlite(join(home, 'workspace.db'))
  database.prepare('UPDATE tokens SET expires_at = ? WHERE expires_at IS NOT NULL').run([Date.now() - 1])
  database.close()
}

test('with a keychain, no secret is in a file, a command line, a trace or any output', async ({ skip }) => {
  const { home, cwd, service, recorder, keyring, signIn, tt } = await setUpSecrets(skip)
  const commandLines = watchCommandLines()
  const outcomes = [await signIn('--debug'), await tt('whoami', '--debug'), await tt('projects', '--debug')]
  await expireAccessTokens(service)
  outcomes.push(await tt('projects', '--debug', '--json'), await tt('whoami'), await tt('profiles'))
  commandLines.stop()

  for (const outcome of outcomes) expect(outcome, outcome.stderr).toMatchObject({ status: 0 })
  const { secrets } = recorder
  // Every secret was recorded, including those of the refresh.
  expect([...secrets.values()].sort()).toEqual([...everySecret, 'access_token', 'refresh_token'].sort())
  const output = outcomes.map(({ stdout, stderr }) => stdout + stderr).join('\n')
  expect(output).toContain('POST /oauth/token')
  expect(findLeaks(output, secrets)).toEqual([])
  // The command lines of the browser and of the keychain process were recorded.
  const lines = [...commandLines.seen].join('\n')
  expect(lines).toContain('/oauth/authorize?client_id=')
  expect(lines).toContain('secret-service')
  expect(findLeaks(lines, secrets)).toEqual([])
  expect(findLeakingFiles(home, secrets)).toEqual({})
  expect(findLeakingFiles(cwd, secrets)).toEqual({})
  expect(existsSync(join(home, 'credentials'))).toBe(false)
  // The keychain contains the secrets.
  expect(findLeaks(await keyring.search('service', 'tt'), secrets).sort()).toEqual([
    'access_token',
    'client_secret',
    'refresh_token',
  ])
})

test('tt whoami names the keychain, and tt logout removes the secrets from it', async ({ skip }) => {
  const { service, home, keyring, recorder, signIn, tt } = await setUpSecrets(skip)
  await expectSuccess(signIn())
  expect(await whoami(home, { env: keyring.env })).toMatchObject({
    secrets: 'the keychain of this system',
    signed_in: true,
  })
  expect(await keyring.search('service', 'tt')).toContain('username = acme')

  const { stderr } = await expectSuccess(tt('logout'))
  expect(stderr).toContain('The service has revoked the tokens.')
  expect(await keyring.search('service', 'tt')).not.toContain('acme')
  expect(findLeaks(await keyring.search('service', 'tt'), recorder.secrets)).toEqual([])
  const [token] = [...recorder.secrets].find(([, name]) => name === 'access_token') ?? []
  const response = await fetch(`${service.url}/companies`, { headers: { authorization: `Bearer ${token}` } })
  expect(response.status).toBe(401)
})

test('a locked keychain exits with 1, without a fallback', async ({ skip }) => {
  const { home, service, keyring, signIn, tt } = await setUpSecrets(skip)
  await expectSuccess(signIn())
  await keyring.lock()
  const profiles = readFileSync(join(home, 'profiles.json'), 'utf8')
  for (const outcome of [
    await tt('projects'),
    await runFailingLogin(home, service, { env: keyring.env, argv: [] }),
  ]) {
    expect(outcome).toMatchObject({ status: 1, stdout: '' })
    expect(outcome.stderr).toMatch(/The keychain is locked or denies access/)
    expect(outcome.stderr).toContain('Unlock it and repeat the command.')
    expect(outcome.stderr).not.toContain('Open this address')
  }
  expect(readFileSync(join(home, 'profiles.json'), 'utf8')).toBe(profiles)
  expect(existsSync(join(home, 'credentials'))).toBe(false)
})

test('without a keychain, tt login exits with 1 before it opens a browser; --insecure-storage writes a private file', async ({
  skip,
}) => {
  const { home, cwd, service, recorder, keyring, signIn } = await setUpSecrets(skip)
  const env = { ...keyring.env, DBUS_SESSION_BUS_ADDRESS: `unix:path=${home}/missing` }
  const outcome = await runFailingLogin(home, service, { env, argv: [] })
  expect(outcome).toMatchObject({ status: 1, stdout: '' })
  expect(outcome.stderr).toContain('There is no keychain that tt can use')
  expect(outcome.stderr).toContain('--insecure-storage')
  expect(outcome.stderr).not.toContain('Open this address')
  expect(readdirSync(home)).not.toContain('profiles.json')
  expect(readdirSync(home)).not.toContain('credentials')

  await expectSuccess(signIn('--insecure-storage'))
  const file = join(home, 'credentials', 'acme.json')
  expect(await whoami(home, { env })).toMatchObject({ secrets: file, signed_in: true })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  // The same search finds the secrets in this file.
  const expected = ['access_token', 'client_secret', 'refresh_token']
  const found = findLeakingFiles(home, recorder.secrets)
  expect(Object.entries(found).map(([path, names]) => [path, names.sort()])).toEqual([[file, expected]])
  expect(findLeakingFiles(cwd, recorder.secrets)).toEqual({})
})
