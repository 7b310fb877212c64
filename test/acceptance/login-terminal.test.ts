import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { temporaryDirectory, tt } from '../support/process.js'
import { allowed, byKey, isDeserted, type Office, openOffice, succeed, whoami } from '../support/sign-in.js'
import { openTerminal, type Terminal, tmuxIsMissing } from '../support/terminal.js'

beforeEach(({ skip }) => skip(tmuxIsMissing, 'tmux is not installed'))

const questions = [
  ['Address of the service (ends in /api/v1):', 'url'],
  ['Client id:', 'clientId'],
  ['Client secret (Enter alone if it has none):', 'clientSecret'],
] as const

/** Answers what `tt login` asks for, and resolves with the address that it then shows. */
async function answerQuestions(terminal: Terminal, office: Office): Promise<URL> {
  for (const [question, answer] of questions) {
    await terminal.shows(question)
    terminal.type(office[answer], 'Enter')
  }
  return vi.waitFor(
    () => new URL(/^ {2}(http:\S+)$/m.exec(terminal.scrolled().replace(/ +$/gm, ''))?.[1] ?? ''),
    { timeout: 30_000, interval: 50 },
  )
}

const redirectUriIn = (address: URL) => new URL(address.searchParams.get('redirect_uri') ?? '')

test('tt login --no-browser asks for what it needs, takes the pasted address, and says who and where', async () => {
  const [office, home] = [await openOffice(), temporaryDirectory()]
  const terminal = openTerminal(home)
  terminal.command('login --no-browser --insecure-storage')
  const address = await answerQuestions(terminal, office)
  await terminal.shows('Pasted address:')
  expect(terminal.screen()).toContain(
    'copy the whole\naddress of that page from the browser and paste it here.',
  )

  for (const [wrong, flaw] of [
    ['the address', 'It is not an address.'],
    ['https://example.com/callback?code=x&state=y', 'It does not begin with'],
    [`${redirectUriIn(address)}?code=x&state=y`, 'It belongs to another sign-in'],
  ] as const) {
    terminal.type(wrong, 'Enter')
    await terminal.shows(flaw)
  }
  terminal.type((await allowed(address, office)).href, 'Enter')
  await terminal.shows('exit=0')
  expect(terminal.scrolled()).toContain(`at ${office.url} as Ada <${office.email}>. The profile is`)
  expect(terminal.scrolled()).not.toContain(office.clientSecret)
  expect(await isDeserted(redirectUriIn(address))).toBe(true)
  expect(await tt(home, ['whoami'])).toMatchObject({ status: 0 })
})

test('Ctrl-C while waiting is exit 130, and leaves no listener, no profile and no secret', async () => {
  const [office, home] = [await openOffice(), temporaryDirectory()]
  const terminal = openTerminal(home)
  terminal.command('login --no-browser --insecure-storage')
  const address = await answerQuestions(terminal, office)
  expect(await isDeserted(redirectUriIn(address))).toBe(false)
  terminal.type('', 'C-c')
  await terminal.shows('exit=130')
  expect(await isDeserted(redirectUriIn(address))).toBe(true)
  expect(existsSync(join(home, 'profiles.json'))).toBe(false)
  expect(readdirSync(join(home, 'credentials'))).toEqual([])
})

test('signing in with a profile of another address asks first, and Enter alone leaves it as it is', async () => {
  const [here, there, home] = [await openOffice(), await openOffice(), temporaryDirectory()]
  await succeed(byKey(home, here, '--profile', 'acme'))
  const terminal = openTerminal(home)
  const question = `The profile "acme" belongs to ${here.url}.`
  terminal.command(`login --key --profile acme --base-url ${there.url} --insecure-storage`)
  await terminal.shows(question)
  await terminal.shows('(y/N)')
  terminal.type('', 'Enter')
  await terminal.shows('exit=130')
  expect(terminal.screen()).toContain('Choose another name with --profile.')
  expect(await whoami(home)).toMatchObject({ base_url: here.url, signed_in: true })

  terminal.command(`login --key --profile acme --base-url ${there.url} --insecure-storage`)
  await terminal.shows(question)
  await terminal.shows('(y/N)')
  terminal.type('y', 'Enter')
  await terminal.shows('Email:')
  terminal.type(there.email, 'Enter')
  await terminal.shows('Password:')
  terminal.type(there.password, 'Enter')
  await terminal.shows('exit=0')
  expect(terminal.scrolled()).not.toContain(there.password)
  expect(await whoami(home)).toMatchObject({ profile: 'acme', base_url: there.url, method: 'key' })
})

test('without a keychain a terminal is asked whether a file will do, and Enter alone means no', async () => {
  const [office, home] = [await openOffice(), temporaryDirectory()]
  const terminal = openTerminal(home, { DBUS_SESSION_BUS_ADDRESS: `unix:path=${home}/nobody` })
  const question = 'Keep the secrets in a file instead, which you alone can read?'
  terminal.command(`login --key --base-url ${office.url}`)
  await terminal.shows(question)
  terminal.type('', 'Enter')
  await terminal.shows('exit=1')
  await terminal.shows('error: Nobody was signed in: there is no place for the secrets.')
  expect(readdirSync(home)).not.toContain('credentials')

  terminal.command(`login --key --base-url ${office.url} --email ${office.email}`)
  await terminal.shows(question)
  terminal.type('y', 'Enter')
  await terminal.shows('Password:')
  terminal.type(office.password, 'Enter')
  await terminal.shows('exit=0')
  expect(await whoami(home)).toMatchObject({ secrets: expect.stringContaining(join(home, 'credentials')) })
})
