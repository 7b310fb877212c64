import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { isListening } from '../support/ports.js'
import { temporaryDirectory, tt } from '../support/process.js'
import {
  authorize,
  expectSuccess,
  loginWithPassword,
  startTestService,
  type TestService,
  whoami,
} from '../support/sign-in.js'
import { isTmuxMissing, openTerminal, type Terminal } from '../support/terminal.js'

beforeEach(({ skip }) => skip(isTmuxMissing, 'tmux is not installed'))

const questions = [
  ['Address of the service (ends in /api/v1):', 'url'],
  ['Client ID:', 'clientId'],
  ['Client secret (empty for none):', 'clientSecret'],
] as const

/** Fills in the prompts of `tt login`, and returns the address that it prints then. */
async function fillInPrompts(terminal: Terminal, service: TestService): Promise<URL> {
  for (const [question, answer] of questions) {
    await terminal.waitForText(question)
    terminal.type(service[answer], 'Enter')
  }
  return vi.waitFor(
    () => new URL(/^ {2}(http:\S+)$/m.exec(terminal.scrollback().replace(/ +$/gm, ''))?.[1] ?? ''),
    { timeout: 120_000, interval: 50 },
  )
}

const redirectUriIn = (address: URL) => new URL(address.searchParams.get('redirect_uri') ?? '')

test('tt login --no-browser prompts for its options, accepts the pasted address, and prints the account', async () => {
  const [service, home] = [await startTestService(), temporaryDirectory()]
  const terminal = openTerminal(home)
  terminal.runTt('login --no-browser --insecure-storage')
  const address = await fillInPrompts(terminal, service)
  await terminal.waitForText('Redirected URL:')
  expect(terminal.screen()).toContain(
    'copy the\nfull address of that page from the browser and paste it here.',
  )

  terminal.type(`${redirectUriIn(address)}?code=x&state=y`, 'Enter')
  await terminal.waitForText('It belongs to another sign-in')
  terminal.type((await authorize(address, service)).href, 'Enter')
  await terminal.waitForText('exit=0')
  expect(terminal.scrollback().replaceAll('\n', ' ')).toContain(
    `at ${service.url} as Ada <${service.email}>. The profile is`,
  )
  expect(terminal.scrollback()).not.toContain(service.clientSecret)
  expect(await isListening(redirectUriIn(address))).toBe(false)
  expect(await tt(home, ['whoami'])).toMatchObject({ status: 0 })
})

test('Ctrl-C during a login exits with 130 and leaves no listener, profile or secret', async () => {
  const [service, home] = [await startTestService(), temporaryDirectory()]
  const terminal = openTerminal(home)
  terminal.runTt('login --no-browser --insecure-storage')
  const address = await fillInPrompts(terminal, service)
  expect(await isListening(redirectUriIn(address))).toBe(true)
  terminal.type('', 'C-c')
  await terminal.waitForText('exit=130')
  expect(await isListening(redirectUriIn(address))).toBe(false)
  expect(existsSync(join(home, 'profiles.json'))).toBe(false)
  expect(readdirSync(join(home, 'credentials'))).toEqual([])
})

test('login with a profile of another address prompts first, and Enter alone leaves the profile unchanged', async () => {
  const [here, home] = [await startTestService(), temporaryDirectory()]
  const there = { ...here, url: here.url.replace('127.0.0.1', 'localhost') }
  await expectSuccess(loginWithPassword(home, here, '--profile', 'acme'))
  const terminal = openTerminal(home)
  const question = `The profile "acme" belongs to ${here.url}.`
  terminal.runTt(`login --key --profile acme --base-url ${there.url} --insecure-storage`)
  await terminal.waitForText(question)
  await terminal.waitForText('(y/N)')
  terminal.type('', 'Enter')
  await terminal.waitForText('exit=130')
  expect(terminal.screen()).toContain('Choose another name with --profile.')
  expect(await whoami(home)).toMatchObject({ base_url: here.url, signed_in: true })

  terminal.runTt(`login --key --profile acme --base-url ${there.url} --insecure-storage`)
  await terminal.waitForText(question)
  await terminal.waitForText('(y/N)')
  terminal.type('y', 'Enter')
  await terminal.waitForText('Email:')
  terminal.type(there.email, 'Enter')
  await terminal.waitForText('Password:')
  terminal.type(there.password, 'Enter')
  await terminal.waitForText('exit=0')
  expect(terminal.scrollback()).not.toContain(there.password)
  expect(await whoami(home)).toMatchObject({ profile: 'acme', base_url: there.url, method: 'key' })
})

test('without a keychain, tt login prompts to store secrets in a file, and Enter alone declines', async () => {
  const [service, home] = [await startTestService(), temporaryDirectory()]
  const terminal = openTerminal(home, { DBUS_SESSION_BUS_ADDRESS: `unix:path=${home}/missing` })
  const question = 'Store the secrets in a file instead, readable only by you?'
  terminal.runTt(`login --key --base-url ${service.url}`)
  await terminal.waitForText(question)
  terminal.type('', 'Enter')
  await terminal.waitForText('exit=1')
  await terminal.waitForText('error: The sign-in was cancelled: no storage for the secrets.')
  expect(readdirSync(home)).not.toContain('credentials')

  terminal.runTt(`login --key --base-url ${service.url} --email ${service.email}`)
  await terminal.waitForText(question)
  terminal.type('y', 'Enter')
  await terminal.waitForText('Password:')
  terminal.type(service.password, 'Enter')
  await terminal.waitForText('exit=0')
  expect(await whoami(home)).toMatchObject({ secrets: expect.stringContaining(join(home, 'credentials')) })
})
