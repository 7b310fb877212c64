import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { temporaryDirectory } from '../support/process.js'
import { insertQueuedChanges } from '../support/queued-changes.js'
import {
  authorize,
  expectSuccess,
  loginWithPassword,
  runWithInput,
  startLogin,
  startTestService,
} from '../support/sign-in.js'
import { isTmuxMissing, openTerminal } from '../support/terminal.js'

beforeEach(({ skip }) => skip(isTmuxMissing, 'tmux is not installed'))

/** Removes what identifies the account of the profile, as of a service that names no user. Returns the profile. */
function forgetIdentity(path: string): { state: string } {
  const content = JSON.parse(readFileSync(path, 'utf8'))
  delete content.profiles.acme.account
  writeFileSync(path, JSON.stringify(content), { mode: 0o600 })
  return content.profiles.acme
}

test('login with another account prompts while changes are pending, and Enter alone stores nothing', async () => {
  const [service, home] = [await startTestService(), temporaryDirectory()]
  await expectSuccess(loginWithPassword(home, service, '--profile', 'acme'))
  const [profiles, secrets] = [join(home, 'profiles.json'), join(home, 'credentials', 'acme.json')]
  const { state } = forgetIdentity(profiles)
  await insertQueuedChanges(join(home, 'profiles', state, 'state.db'), { waiting: 1 })
  const readAccountFiles = () => [profiles, secrets].map((file) => readFileSync(file, 'utf8'))
  const before = readAccountFiles()
  const terminal = openTerminal(home)
  const question = '1 change is pending for the previous account. Is this the same account?'
  const login = async () => {
    terminal.runTt(`login --key --profile acme --insecure-storage --email ${service.email}`)
    await terminal.waitForText('Password:')
    terminal.type(service.password, 'Enter')
    await terminal.waitForText(/1 change is pending/)
    expect(terminal.scrollback()).toContain(question)
  }

  await login()
  terminal.type('', 'Enter')
  await terminal.waitForText('exit=130')
  expect(terminal.screen()).toContain('--profile NAME')
  expect(readAccountFiles()).toEqual(before)

  await login()
  terminal.type('y', 'Enter')
  await terminal.waitForText('exit=0')
  expect(readAccountFiles()).not.toEqual(before)

  terminal.runTt('logout')
  await terminal.waitForText(/1 change would not be sent\.[\s\S]*\(y\/N\)/)
  terminal.type('', 'Enter')
  await terminal.waitForText('exit=1')
  expect(terminal.screen()).toContain('Nothing was changed.')
  expect(readFileSync(profiles, 'utf8')).toContain('acme')
})

test('a declined OAuth sign-in revokes its tokens and shows the reason in the browser', async () => {
  const [service, home] = [await startTestService(), temporaryDirectory()]
  await expectSuccess(loginWithPassword(home, service, '--profile', 'acme'))
  const profiles = join(home, 'profiles.json')
  const { state } = forgetIdentity(profiles)
  await insertQueuedChanges(join(home, 'profiles', state, 'state.db'), { waiting: 2 })
  const before = readFileSync(profiles, 'utf8')
  const login = await startLogin(home, service, { argv: ['--insecure-storage', '--profile', 'acme'] })
  const page = await fetch(await authorize(login.address, service))
  expect(await page.text()).toContain('2 changes are pending')
  expect(await login.exit).toMatchObject({ status: 2 })
  expect(readFileSync(profiles, 'utf8')).toBe(before)
  expect((await runWithInput(home, '', ['whoami', '--json'])).stdout).toContain('"method": "key"')
})
