import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Credentials } from '../../../../../src/api-client/auth/credentials/credentials.js'
import { openKeychain } from '../../../../../src/api-client/auth/credentials/keychain.js'
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
async function silentBus(connections = new Set<Socket>()): Promise<string> {
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

test.for([
  ['no session bus', undefined],
  ['a missing session bus', 'unix:path=/nonexistent/bus'],
  ['an invalid address', 'nonsense'],
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
    import { openKeychain } from './src/auth/credentials/keychain.ts'
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
