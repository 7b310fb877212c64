// @module-tag slow

import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Credentials } from '../../../../../src/api-client/auth/credentials/credentials.js'
import {
  type KeychainItems,
  openKeychain,
  readSecret,
  removeSecret,
  writeSecret,
} from '../../../../../src/api-client/auth/credentials/keychain.js'
import { hintText } from '../../../../../src/cli/next-step-text.js'
import { bundleScript } from '../../../../support/bundle-script.js'
import { cleanEnvironment, run, temporaryDirectory, waitForExit } from '../../../../support/process.js'
import { rejectionOf } from '../../test-server.js'

// test/acceptance/keychain.test.ts tests an available keychain.

const isUnsupported = process.platform !== 'linux'
const reason = 'the keychain can be made unavailable only on Linux'

const credentials: Credentials = {
  method: 'oauth',
  access_token: 'access-sesame',
  refresh_token: 'refresh-sesame'.repeat(300),
  expires_at: null,
  scope: null,
  client_secret: 'client-sesame',
}

/** Starts a session bus that accepts connections and does not respond; returns its address. */
async function silentBus(connections: Set<Socket>): Promise<string> {
  const path = join(temporaryDirectory(), 'bus')
  const server = createServer((socket) => void connections.add(socket.on('error', () => {})))
  await new Promise<void>((resolve) => server.listen(path, resolve))
  onTestFinished(() => {
    for (const socket of connections) socket.destroy()
    server.close()
  })
  return `unix:path=${path}`
}

/** Returns the arguments and environments of all processes, as far as this user can read them. */
function argumentsAndEnvironments(): string {
  const ofProcess = (id: string) => {
    try {
      return readFileSync(`/proc/${id}/cmdline`, 'utf8') + readFileSync(`/proc/${id}/environ`, 'utf8')
    } catch {
      return '' // The process has exited or belongs to another user.
    }
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(ofProcess)
    .join('\n')
}

/** CRED_MAX_CREDENTIAL_BLOB_SIZE of Windows, in bytes of UTF-16. */
const maxBytes = 2560

/** A keychain in memory that can fail at its nth call, before or after the change. */
class Keychain implements KeychainItems {
  readonly items = new Map<string, string>()
  calls = 0
  constructor(readonly maxCharacters = 1200) {}
  #failAt = Number.POSITIVE_INFINITY
  #when: 'before' | 'after' = 'before'

  failAt(call: number, when: 'before' | 'after') {
    this.calls = 0
    this.#failAt = call
    this.#when = when
  }
  repair() {
    this.#failAt = Number.POSITIVE_INFINITY
  }
  get = (account: string) => this.#call(() => this.items.get(account) ?? null)
  set = (account: string, secret: string) => this.#call(() => void this.items.set(account, secret))
  remove = (account: string) => this.#call(() => this.items.delete(account))

  async #call<Result>(work: () => Result): Promise<Result> {
    const fails = ++this.calls >= this.#failAt
    if (fails && (this.#when === 'before' || this.calls > this.#failAt)) throw new Error('Interrupted.')
    const result = work()
    if (fails) throw new Error('Interrupted.')
    return result
  }
}

/** JSON texts of one or more items, in any script, with lone surrogates and with text that resembles a header. */
const secrets = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.string({ unit: 'binary', minLength: 150, maxLength: 1500 }),
    fc
      .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 300 })
      .map((units) => String.fromCharCode(...units)),
    fc.integer({ min: 1150, max: 1250 }).map((length) => 'x'.repeat(length)),
    fc.integer({ min: 0, max: 9000 }).map((length) => 'y'.repeat(length)),
    fc.integer({ min: 0, max: 2000 }).map((length) => '€'.repeat(length)),
  )
  .chain((text) =>
    fc.constantFrom<unknown>({ key: text }, text, { generation: text }, { generation: 'a', parts: 2 }),
  )
  .map((value) => JSON.stringify(value))

const inUse = (keychain: Keychain) => [...keychain.items.keys()].sort()

async function read(keychain: Keychain): Promise<unknown> {
  const text = await readSecret(keychain, 'acme')
  return text === null ? null : JSON.parse(text)
}

test('reads any secret as it was written, from items that fit the limit of Windows', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(secrets, { minLength: 1, maxLength: 4 }), async (written) => {
      const keychain = new Keychain()
      for (const secret of written) {
        await writeSecret(keychain, 'acme', secret)
        expect(await read(keychain)).toEqual(JSON.parse(secret))
        for (const item of keychain.items.values()) {
          expect(Buffer.byteLength(item, 'utf16le')).toBeLessThanOrEqual(maxBytes)
          expect(item).toMatch(/^[\0-\x7f]*$/)
        }
      }
      const last = new Keychain()
      await writeSecret(last, 'acme', written.at(-1) ?? '')
      // No items of earlier secrets remain; the parts may belong to the other generation.
      expect(keychain.items.size).toBe(last.items.size)
      await removeSecret(keychain, 'acme')
      expect(inUse(keychain)).toEqual([])
    }),
    { numRuns: 300 },
  )
})

test.each<'before' | 'after'>(['before', 'after'])(
  'writes that fail %s any of their calls leave the old or the new secret, and the next write or removal removes the rest',
  async (when) => {
    const more = fc.array(fc.tuple(secrets, fc.integer({ min: 1, max: 12 })), { maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(secrets, secrets, more, secrets, async (old, replacement, attempts, later) => {
        const calls = await callsOf(old, (keychain) => writeSecret(keychain, 'acme', replacement))
        for (let first = 1; first <= calls; first++) {
          const keychain = await keychainWith(old)
          let known = [JSON.parse(old)]
          for (const [secret, call] of [[replacement, first] as const, ...attempts]) {
            keychain.failAt(call, when)
            await writeSecret(keychain, 'acme', secret).then(
              () => (known = []),
              (error: Error) => expect(error.message).toBe('Interrupted.'),
            )
            keychain.repair()
            const found = await read(keychain)
            expect([...known, JSON.parse(secret)]).toContainEqual(found)
            known = [found]
          }
          const removed = new Keychain()
          for (const item of keychain.items) removed.items.set(...item)
          await removeSecret(removed, 'acme')
          expect(inUse(removed)).toEqual([])
          await writeSecret(keychain, 'acme', later)
          expect(await read(keychain)).toEqual(JSON.parse(later))
          expect(keychain.items.size).toBe((await keychainWith(later)).items.size)
        }
      }),
      { numRuns: 100 },
    )
  },
)

test.each<'before' | 'after'>(['before', 'after'])(
  'a removal that fails %s any of its calls leaves the secret or none, and the next removal deletes the rest',
  async (when) => {
    await fc.assert(
      fc.asyncProperty(secrets, async (secret) => {
        const calls = await callsOf(secret, (keychain) => removeSecret(keychain, 'acme'))
        for (let call = 1; call <= calls; call++) {
          const keychain = await keychainWith(secret)
          keychain.failAt(call, when)
          await expect(removeSecret(keychain, 'acme')).rejects.toThrow('Interrupted.')
          keychain.repair()
          expect([JSON.parse(secret), null]).toContainEqual(await read(keychain))
          await removeSecret(keychain, 'acme')
          expect(inUse(keychain)).toEqual([])
        }
      }),
      { numRuns: 100 },
    )
  },
)

test('a profile is a single item when the length of items is not limited', async () => {
  await fc.assert(
    fc.asyncProperty(secrets, async (secret) => {
      // As long as a JSON Web Token with many claims.
      const keychain = new Keychain(Number.POSITIVE_INFINITY)
      await writeSecret(keychain, 'acme', JSON.stringify({ method: 'oauth', secret }))
      expect(inUse(keychain)).toEqual(['acme'])
      expect(await read(keychain)).toEqual({ method: 'oauth', secret })
    }),
  )
})

test('removing a secret keeps the secret of another profile', async () => {
  const keychain = await keychainWith(JSON.stringify('z'.repeat(5000)))
  await writeSecret(keychain, 'acme.two', '"other"')
  await removeSecret(keychain, 'acme')
  expect(inUse(keychain)).toEqual(['acme.two'])
})

test('reading during a write returns one of the two secrets', async () => {
  const [one, two] = ['1', '2'].map((digit) => JSON.stringify(digit.repeat(3000)))
  const keychain = await keychainWith(one ?? '')
  const found: unknown[] = []
  const between: KeychainItems = {
    ...keychain,
    maxCharacters: 1200,
    async get(account) {
      // The other generation becomes current right after the header was read.
      const item = await keychain.get(account)
      if (account === 'acme' && found.push(item) === 1) await writeSecret(keychain, 'acme', two ?? '')
      return item
    },
  }
  expect(await readSecret(between, 'acme')).toBe(two)
  expect(found).toHaveLength(2)
})

test.each([
  ['a missing part', (keychain: Keychain) => keychain.items.delete('acme#a6')],
  ['a foreign part', (keychain: Keychain) => keychain.items.set('acme#a1', 'sesame')],
  ['a damaged header', (keychain: Keychain) => keychain.items.set('acme', '{"generation":"a","sesame')],
])('the error for %s does not show the content', async (_, damage) => {
  const keychain = await keychainWith(JSON.stringify('sesame'.repeat(1000)))
  damage(keychain)
  const failure = await rejectionOf(readSecret(keychain, 'acme'))
  expect(failure).toMatchObject({ code: 'failure', nextStep: { action: 'sign_in' } })
  expect(`${failure.message} ${failure.hint} ${failure.cause}`).not.toContain('sesame')

  await writeSecret(keychain, 'acme', '"new"')
  expect([...keychain.items]).toEqual([['acme', '"new"']])
})

async function keychainWith(secret: string): Promise<Keychain> {
  const keychain = new Keychain()
  await writeSecret(keychain, 'acme', secret)
  return keychain
}

async function callsOf(secret: string, work: (keychain: Keychain) => Promise<void>): Promise<number> {
  const keychain = await keychainWith(secret)
  keychain.calls = 0
  await work(keychain)
  return keychain.calls
}

test.for([
  ['no session bus', undefined],
  ['a missing session bus', 'unix:path=/nonexistent/bus'],
])('reports a missing keychain and the next step with %s', async ([, address], { skip }) => {
  skip(isUnsupported, reason)
  vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', address)
  vi.stubEnv('XDG_RUNTIME_DIR', temporaryDirectory())
  onTestFinished(() => void vi.unstubAllEnvs())
  const store = openKeychain('acme')
  const attempts = [store.read(), store.write(credentials), store.remove(), store.verify()].map(rejectionOf)
  for (const failure of await Promise.all(attempts)) {
    expect(failure).toMatchObject({
      code: 'failure',
      message: expect.stringMatching(/^There is no keychain that tt can use \(.+\)\.$/),
    })
    expect(hintText(failure)).toMatch(/gnome-keyring or KWallet.*`tt login --insecure-storage`/)
    expect(`${failure.message}${failure.hint}${failure.stack}${failure.cause}`).not.toContain('sesame')
  }
})

test('a keychain that never responds times out after two attempts, and the process exits', async ({
  skip,
}) => {
  skip(isUnsupported, reason)
  // The limit of 5 s expires on a signal instead, which does not keep the process running.
  const user = await bundleScript(`
    import { openKeychain } from './src/api-client/auth/credentials/keychain.ts'
    const { setTimeout } = globalThis
    globalThis.setTimeout = (work, ms, ...values) => {
      const timer = setTimeout(work, ms, ...values)
      if (ms === 5_000) process.once('SIGUSR2', work)
      return timer
    }
    const store = openKeychain('acme')
    await store.write(${JSON.stringify(credentials)}).catch((error) => {
      console.log(JSON.stringify([error.code, error.message, error.hint]))
    })
  `)
  const connections = new Set<Socket>()
  const env = cleanEnvironment({ DBUS_SESSION_BUS_ADDRESS: await silentBus(connections) })
  const child = spawn(process.execPath, [user], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = waitForExit(child)
  onTestFinished(() => void child.kill('SIGKILL'))
  await vi.waitFor(() => expect(connections.size).toBe(1), 60_000)
  expect(argumentsAndEnvironments()).toContain(user)
  expect(argumentsAndEnvironments()).not.toContain('sesame')
  child.kill('SIGUSR2')
  await vi.waitFor(() => expect(connections.size).toBe(2), 60_000)
  child.kill('SIGUSR2')
  const outcome = await ended
  expect(connections.size).toBe(2)
  expect(outcome).toMatchObject({ status: 0, stderr: '' })
  expect(JSON.parse(outcome.stdout)).toEqual([
    'failure',
    'The keychain has not responded for 5 s.',
    expect.stringMatching(/^Unlock it, or confirm its prompt, and repeat the command\./),
  ])
  expect(outcome.stdout).not.toContain('sesame')
})

test('a user at a terminal has 30 s to unlock it, without a retry', async ({ skip }) => {
  skip(isUnsupported, reason)
  const connections = new Set<Socket>()
  vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', await silentBus(connections))
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const failure = rejectionOf(openKeychain('acme', { isAttended: true }).read())
  // The timeout starts when the helper process is ready.
  await vi.waitFor(() => expect(connections.size).toBe(1), 60_000)
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1), 60_000)
  vi.advanceTimersByTime(29_900)
  expect(await Promise.race([failure, 'waiting'])).toBe('waiting')
  vi.advanceTimersByTime(200)
  expect((await failure).message).toBe('The keychain has not responded for 30 s.')
  // A retry would replace the dialog that unlocks the keychain.
  expect(connections.size).toBe(1)
})

test('the start of the helper process does not count towards the timeout', async ({ skip }) => {
  skip(isUnsupported, reason)
  vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', 'unix:path=/nonexistent/bus')
  onTestFinished(() => void vi.unstubAllEnvs())
  const start = await startOnDemand()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const failure = rejectionOf(openKeychain('acme').read())
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1), 60_000)
  vi.advanceTimersByTime(30_000)
  start()
  expect((await failure).message).toMatch(/^There is no keychain/)
})

/** Delays new Node processes until the returned function is called. */
async function startOnDemand(): Promise<() => void> {
  const [directory, { execPath }] = [temporaryDirectory(), process]
  const [gate, node] = [join(directory, 'gate'), join(directory, 'node')]
  expect((await run('mkfifo', [gate])).status).toBe(0)
  writeFileSync(node, `#!/bin/sh\nread -r line < '${gate}'\nexec '${execPath}' "$@"\n`, { mode: 0o755 })
  process.execPath = node
  onTestFinished(() => {
    process.execPath = execPath
  })
  return () => writeFileSync(gate, 'go\n')
}
