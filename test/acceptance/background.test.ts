import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { readFiles, writeFiles } from '../support/home-files.js'
import { bin, startServeProcess, temporaryDirectory, tt } from '../support/process.js'
import { type ServiceProxy, startProxy } from '../support/proxy.js'
import { missingSecretServiceReason, startSecretService } from '../support/secret-service.js'
import { runWithInput } from '../support/sign-in.js'
import { fillDisk, freeDisk, mountSmallDisk } from '../support/small-disk.js'
import { canInjectFaults, runWithDiskFault } from '../support/strace.js'
import { readServiceList } from '../support/team.js'
import { isTmuxMissing, openTerminal } from '../support/terminal.js'
import { createTestCli } from '../support/test-cli.js'
import {
  backgroundProcesses,
  endBackgroundProcesses,
  isScriptMissing,
  runInTerminal,
  startInTerminal,
  stateKeysOf,
} from './background-processes.js'

interface Setup {
  proxy: ServiceProxy
  home: string
  /** Returns the entries at the service. */
  entries(): Promise<Record<string, unknown>[]>
}

interface SetupOptions {
  home?: string
  /** The environment of a keychain that stores the credentials, instead of a file. */
  keychain?: Record<string, string>
}

const account = { email: 'ada@example.com', password: 'correct horse battery' }
const loginTo = (url: string) => ['login', '--key', '--base-url', url, '--email', account.email]
const loginOptions = ['--password-stdin', '--profile', 'acme']
/** Fill the cache. */
const reads = [['tasks'], ['company'], ['log'], ['status']]

/** A service, and a home that has signed in to it and filled its cache: later tests have copies. */
interface Prepared {
  service: ReadonlyMap<string, Buffer>
  home: ReadonlyMap<string, Buffer>
  /** The key of the sign-in. */
  key: string
  /** Where the home has found the service. */
  url: string
}

let prepared: Promise<Prepared> | undefined

async function prepare(): Promise<Prepared> {
  const now = new Date().toISOString()
  const [admin, user] = [createTestCli(now), createTestCli(now)]
  await admin.json('admin', 'projects', 'add', 'Website')
  await admin.json('admin', 'tasks', 'add', 'Website/Design')
  const { email, password } = account
  const add = ['admin', 'user', 'add', email, '--name', 'Ada', '--password-stdin']
  expect(await admin.runWithInput(password, ...add)).toMatchObject({ status: 0 })
  const { url, child, exit } = await startServeProcess(admin.home)
  expect(
    await user.runWithInput(password, ...loginTo(url), ...loginOptions, '--insecure-storage'),
  ).toMatchObject({ status: 0 })
  for (const argv of reads) expect(await user.run(...argv)).toMatchObject({ status: 0 })
  child.kill('SIGTERM')
  await exit
  const home = readFiles(user.home)
  const { key } = JSON.parse(String(home.get(join('credentials', 'acme.json')))) as { key: string }
  return { service: readFiles(admin.home), home, key, url }
}

/** Sets up a home that is signed in to a service behind a proxy, with a filled cache. */
async function setUp({ home = temporaryDirectory(), keychain }: SetupOptions = {}): Promise<Setup> {
  prepared ??= prepare()
  const { service, home: files, key, url } = await prepared
  const serviceHome = temporaryDirectory()
  writeFiles(serviceHome, service)
  const serveProcess = await startServeProcess(serviceHome)
  const proxy = await startProxy(serveProcess.url)
  endBackgroundProcesses(home)
  if (keychain) {
    const login = await runWithInput(home, account.password, [...loginTo(proxy.url), ...loginOptions], {
      env: keychain,
    })
    expect(login, login.stderr).toMatchObject({ status: 0 })
    for (const argv of reads) expect(await tt(home, argv, keychain)).toMatchObject({ status: 0 })
  } else {
    const moved = [...files].map(([name, content]): [string, Buffer] => [
      name,
      name.endsWith('.json') ? Buffer.from(String(content).replaceAll(url, proxy.url)) : content,
    ])
    writeFiles(home, new Map(moved))
  }
  return { proxy, home, entries: () => readServiceList(serveProcess.url, key, 'timesheets') }
}

const untilEnded = (home: string) =>
  vi.waitFor(() => expect(backgroundProcesses(home)).toEqual([]), { timeout: 120_000, interval: 100 })

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe.skipIf(isScriptMissing)('a command in a terminal', () => {
  test('returns before the service responds, and another process sends its change', async () => {
    const { home, proxy, entries } = await setUp()
    let respond = () => {}
    const held = new Promise<void>((resolve) => {
      respond = resolve
    })
    proxy.fault = async (_, forward) => held.then(forward)
    const { status, stdout } = await runInTerminal(home, ['start', 'design'])
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^Started Website \/ Design at \d\d:\d\d\.\n$/),
    })
    const [pid = 0] = await vi.waitFor(() => {
      const found = backgroundProcesses(home)
      expect(found).toHaveLength(1)
      return found
    })
    // Its session, process group and working directory are its own; it has no terminal.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    expect(stat.slice(2, 5)).toEqual([String(pid), String(pid), '0'])
    expect(execFileSync('readlink', [`/proc/${pid}/cwd`], { encoding: 'utf8' })).toBe('/\n')
    expect(execFileSync('readlink', [`/proc/${pid}/fd/1`], { encoding: 'utf8' })).toBe('/dev/null\n')
    expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')).toContain(proxy.url)
    respond()
    await untilEnded(home)
    expect(await entries()).toMatchObject([{ time_end: null }])
  })

  test('starts no second process, and its change is sent by the first one', async () => {
    const { home, proxy, entries } = await setUp()
    let isHeld = true
    proxy.fault = async ({ closed }, forward) => {
      while (isHeld) await Promise.race([later(20), closed])
      return forward()
    }
    for (const from of ['1:00', '2:00', '3:00'])
      await runInTerminal(home, ['add', 'design', '--from', from, '--for', '5m', '--yes'])
    await vi.waitFor(() => expect(backgroundProcesses(home)).toHaveLength(1), { timeout: 120_000 })
    isHeld = false
    await untilEnded(home)
    expect(await entries()).toHaveLength(3)
  })

  test('its change is sent after its terminal was closed', async () => {
    const { home, proxy, entries } = await setUp()
    proxy.fault = async (_, forward) => later(300).then(forward)
    const { child, exit, closeTerminal } = startInTerminal(home, ['start', 'design'])
    await new Promise<void>((resolve) =>
      child.stdout?.on('data', (text) => /Started/.test(text) && resolve()),
    )
    await vi.waitFor(() => expect(backgroundProcesses(home)).toHaveLength(1))
    closeTerminal()
    await exit
    await untilEnded(home)
    expect(await entries()).toHaveLength(1)
  })

  test('its change is sent once after the sending process was stopped and continued, or killed', async () => {
    const { home, proxy, entries } = await setUp()
    proxy.fault = async (_, forward) => later(200).then(forward)
    await runInTerminal(home, ['start', 'design'])
    const [pid = 0] = await vi.waitFor(() => {
      expect(backgroundProcesses(home)).toHaveLength(1)
      return backgroundProcesses(home)
    })
    process.kill(pid, 'SIGSTOP')
    // Other commands do not wait for it.
    expect((await runInTerminal(home, ['stop'])).stdout).toMatch(/^Stopped Website \/ Design/)
    await later(2000)
    process.kill(pid, 'SIGCONT')
    await untilEnded(home)
    expect(await entries()).toMatchObject([{ time_end: expect.any(String) }])
    await runInTerminal(home, ['start', 'design'])
    for (const each of backgroundProcesses(home)) process.kill(each, 'SIGKILL')
    await untilEnded(home)
    await runInTerminal(home, ['stop'])
    await untilEnded(home)
    expect(await entries()).toHaveLength(2)
    expect(JSON.parse((await tt(home, ['sync', 'list', '--json'])).stdout)).toEqual([])
  })

  test('logout ends the sending process after its request', async () => {
    const { home, proxy } = await setUp()
    proxy.fault = async (_, forward) => later(500).then(forward)
    await runInTerminal(home, ['start', 'design'])
    await vi.waitFor(() => expect(backgroundProcesses(home)).toHaveLength(1))
    expect(await tt(home, ['logout', '--yes'])).toMatchObject({ status: 0 })
    expect(backgroundProcesses(home)).toEqual([])
    expect(existsSync(join(home, 'profiles.json'))).toBe(true)
  })
})

test.skipIf(isTmuxMissing).each([
  ['the window closed right after the command', '&& exit'],
  [
    'all processes of the session received SIGHUP',
    '; kill -HUP $(ps -s "$(ps -o sid= -p $$ | tr -d " ")" -o pid=)',
  ],
])('a change is sent after %s in tmux', async (_, ending) => {
  const { home, proxy, entries } = await setUp()
  await tt(home, ['start', 'design'])
  proxy.fault = async (_, forward) => later(300).then(forward)
  const terminal = openTerminal(home)
  // With another window, the server stays.
  terminal.runShell('tmux new-window -d -n other sh; tmux rename-window first; echo "ready=$?"')
  await terminal.waitForText('ready=0')
  terminal.runShell(`'${process.execPath}' '${bin}' stop ${ending}`)
  await vi.waitFor(() => expect(backgroundProcesses(home)).toHaveLength(1), { timeout: 120_000 })
  await untilEnded(home)
  terminal.runShell("tmux list-windows -F 'window=#W'")
  await terminal.waitForText('window=other')
  expect(terminal.screen()).not.toContain('window=first')
  expect(await entries()).toMatchObject([{ time_end: expect.any(String) }])
})

test.skipIf(isScriptMissing)(
  'a change is sent once after the disk was full when the response arrived',
  async ({ skip }) => {
    const home = mountSmallDisk(8)
    if (home === undefined) return skip('requires permission to mount a file system')
    const { proxy, entries } = await setUp({ home })
    let isFull = false
    proxy.fault = ({ method }, forward) => {
      if (method === 'POST' && !isFull) {
        isFull = true
        fillDisk(home)
      }
      return forward()
    }
    await runInTerminal(home, ['start', 'design'])
    await vi.waitFor(() => expect(isFull).toBe(true), { timeout: 120_000 })
    await later(2000)
    freeDisk(home)
    await untilEnded(home)
    expect(JSON.parse((await tt(home, ['sync', 'list', '--json'])).stdout)).toEqual([])
    expect(await entries()).toMatchObject([{ time_end: null }])
  },
)

test.skipIf(isScriptMissing)(
  'a change waits for a locked keyring, and is sent once it is unlocked',
  async ({ skip }) => {
    const reason = missingSecretServiceReason()
    skip(reason !== undefined, reason)
    const home = temporaryDirectory()
    const keyring = await startSecretService(home)
    const { DBUS_SESSION_BUS_ADDRESS = '', XDG_RUNTIME_DIR = '' } = keyring.env
    const keychain = { DBUS_SESSION_BUS_ADDRESS, XDG_RUNTIME_DIR }
    const { entries, proxy } = await setUp({ home, keychain })
    expect(readFileSync(join(home, 'profiles.json'), 'utf8')).toContain('"keychain"')
    await keyring.lock()
    proxy.requests.splice(0)
    expect(await runInTerminal(home, ['start', 'design'], keychain)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^Started Website \/ Design at \d\d:\d\d\.\n$/),
    })
    await vi.waitFor(
      async () =>
        expect((await runInTerminal(home, ['sync', 'list'], keychain)).stdout).toMatch(
          /^The last delivery failed at \d\d:\d\d: The keychain is locked or denies access/,
        ),
      { timeout: 120_000, interval: 500 },
    )
    expect(proxy.requests).toEqual([])
    expect(backgroundProcesses(home)).toHaveLength(1)
    await keyring.unlock()
    await untilEnded(home)
    expect(await entries()).toMatchObject([{ time_end: null }])
  },
)

test.runIf(canInjectFaults)(
  'a change is sent once although the disk was full while it was sent',
  async () => {
    const { home, proxy, entries } = await setUp()
    const [key = ''] = stateKeysOf(home)
    for (const nth of [1, 2, 3, 4, 5, 6]) {
      await proxy.close()
      await runInTerminal(home, ['add', 'design', '--from', `${nth}:00`, '--for', '5m', '--yes'])
      for (const pid of backgroundProcesses(home)) process.kill(pid, 'SIGKILL')
      await untilEnded(home)
      await proxy.open()
      const fault = { calls: 'pwrite64', error: 'ENOSPC', nth } as const
      await runWithDiskFault(home, ['__deliver', 'acme', key, proxy.url], fault)
      expect(await entries()).toHaveLength(nth)
    }
    expect(JSON.parse((await tt(home, ['sync', 'list', '--json'])).stdout)).toEqual([])
  },
)
