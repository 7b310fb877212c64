import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { expect, type TestContext, test, vi } from 'vitest'
import type { Credentials } from '../../src/api-client/auth/credentials/credentials.js'
import { bundleScript } from '../support/bundle-script.js'
import { temporaryDirectory, waitForExit } from '../support/process.js'
import {
  missingSecretServiceReason,
  type SecretService,
  startSecretService,
} from '../support/secret-service.js'

const credentials = (mark: string, length = 40): Credentials => ({
  method: 'oauth',
  access_token: `access-${mark}-`.padEnd(length, 'a'),
  refresh_token: `refresh-${mark}-`.padEnd(length, 'r'),
  expires_at: '2024-05-01T10:00:00.000Z',
  scope: 'service:read service:write',
  client_secret: `client-${mark} "grüße" 🎉`,
})

/** A program that uses the keychain once. It reads the credentials to store from standard input. */
const program = `
  import { text } from 'node:stream/consumers'
  import { openCredentialStore } from './src/api-client/auth/credentials/credentials.ts'
  const [call, profile] = process.argv.slice(2)
  const store = await openCredentialStore('keychain', profile, { config: '', data: '', state: '' })
  const input = await text(process.stdin)
  try {
    const value = await store[call](...(input ? [JSON.parse(input)] : []))
    console.log(JSON.stringify({ value: value ?? null, location: store.location }))
  } catch (error) {
    console.log(JSON.stringify({ failed: error.message, code: error.code, hint: error.hint }))
  }
`

async function setUpKeychain(skip: TestContext['skip']) {
  const reason = missingSecretServiceReason()
  skip(reason !== undefined, reason)
  const home = temporaryDirectory()
  const keyring = await startSecretService(home)
  const file = await bundleScript(program)
  const use = async (call: string, profile: string, input?: unknown): Promise<Record<string, unknown>> => {
    const child = spawn(process.execPath, [file, call, profile], { env: keyring.env, stdio: 'pipe' })
    child.stdin.end(input === undefined ? '' : JSON.stringify(input))
    const { stdout, stderr, status } = await waitForExit(child)
    if (status !== 0) throw new Error(stderr)
    return JSON.parse(stdout)
  }
  return { home, keyring, use }
}

/** Returns the content of all files under a directory. */
function readAllFiles(directory: string): string {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n')
}

const countItems = (items: string) => items.match(/^\[\/.*\]$/gm)?.length ?? 0

test('one process stores, another reads, a third replaces and a fourth removes', async ({ skip }) => {
  const { home, keyring, use } = await setUpKeychain(skip)
  expect(await use('read', 'acme')).toEqual({ value: null, location: 'the keychain of this system' })
  await use('write', 'acme', credentials('sesame'))
  expect(await use('read', 'acme')).toMatchObject({ value: credentials('sesame') })

  const found = await keyring.search('service', 'tt')
  expect(countItems(found)).toBe(1)
  expect(found).toContain('attribute.username = acme')
  expect(found).toContain('access-sesame')

  await use('write', 'acme', credentials('barley'))
  expect(await use('read', 'acme')).toMatchObject({ value: credentials('barley') })
  const replaced = await keyring.search('service', 'tt')
  expect(countItems(replaced)).toBe(1)
  expect(replaced).not.toContain('sesame')

  const files = readAllFiles(home)
  expect(files).toContain('GnomeKeyring') // The file of the keyring was read.
  for (const secret of ['access-', 'refresh-', 'client-', 'sesame', 'barley']) {
    expect(files).not.toContain(secret)
  }

  await use('remove', 'acme')
  expect(await use('read', 'acme')).toMatchObject({ value: null })
  await use('remove', 'acme')
  expect(countItems(await keyring.search('service', 'tt'))).toBe(0)
  // The check of `tt login` leaves no item.
  expect(await use('verify', 'acme')).toMatchObject({ value: null })
  expect(countItems(await keyring.search('service', 'tt'))).toBe(0)

  // Credentials of any length are one item, and profiles stay apart.
  const long = credentials('sesame', 20_000)
  await use('write', 'acme', long)
  await use('write', 'other', { method: 'key', key: 'key-sesame' })
  expect(await use('read', 'acme')).toMatchObject({ value: long })
  expect(await use('read', 'other')).toMatchObject({ value: { method: 'key', key: 'key-sesame' } })
  expect(countItems(await keyring.search('service', 'tt', 'username', 'acme'))).toBe(1)
  expect(countItems(await keyring.search('service', 'tt'))).toBe(2)
  await use('remove', 'acme')
  expect(await use('read', 'other')).toMatchObject({ value: { method: 'key', key: 'key-sesame' } })
})

test('a locked keyring is an error that says to unlock it', async ({ skip }) => {
  const { keyring, use } = await setUpKeychain(skip)
  await use('write', 'acme', credentials('sesame'))
  await keyring.lock()
  for (const [call, input] of [['read'], ['write', credentials('barley')], ['remove'], ['verify']] as const) {
    const outcome = await use(call, 'acme', input)
    expect(outcome).toMatchObject({
      code: 'failure',
      failed: expect.stringMatching(/^The keychain is locked or denies access \(.+\)\.$/),
      hint: expect.stringMatching(/^Unlock it and repeat the command\./),
    })
    expect(JSON.stringify(outcome)).not.toMatch(/sesame|barley/)
  }
})

test('a Secret Service that does not respond fails after two attempts, and may respond to the second', async ({
  skip,
}) => {
  const { keyring, use } = await setUpKeychain(skip)
  await use('write', 'acme', credentials('sesame'))
  keyring.suspend()
  expect(await use('read', 'acme')).toMatchObject({
    code: 'failure',
    failed: 'The keychain has not responded for 5 s.',
  })
  const reading = use('read', 'acme')
  const first = await vi.waitFor(() => findHelper(keyring), 120_000)
  await vi.waitFor(() => findHelper(keyring, first), 120_000)
  keyring.resume()
  expect(await reading).toMatchObject({ value: credentials('sesame') })
})

/** Returns the ID of a process, other than `not`, that calls this keychain. Throws if there is none. */
function findHelper({ env }: SecretService, not?: string): string {
  const isHelper = (id: string) => {
    try {
      const [command, environment] = ['cmdline', 'environ'].map((file) =>
        readFileSync(`/proc/${id}/${file}`, 'utf8'),
      )
      return (
        command?.includes('AsyncEntry') && environment?.includes(env.DBUS_SESSION_BUS_ADDRESS ?? 'no bus')
      )
    } catch {
      return false // It has exited, or belongs to another user.
    }
  }
  const found = readdirSync('/proc').find((id) => /^\d+$/.test(id) && id !== not && isHelper(id))
  if (found === undefined) throw new Error('No process calls the keychain.')
  return found
}

test('twenty concurrent processes read their secrets while the machine is under load', async ({ skip }) => {
  const { use } = await setUpKeychain(skip)
  await use('write', 'acme', credentials('sesame'))
  const load = Array.from({ length: 2 * availableParallelism() }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  )
  try {
    const all = Array.from({ length: 20 }, () => use('read', 'acme'))
    for (const outcome of await Promise.all(all))
      expect(outcome).toMatchObject({ value: credentials('sesame') })
  } finally {
    for (const child of load) child.kill('SIGKILL')
  }
})
