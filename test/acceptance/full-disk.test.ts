import { spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readFiles, writeFiles } from '../support/home-files.js'
import { bin, cleanEnvironment, run, temporaryDirectory } from '../support/process.js'
import { startProxy } from '../support/proxy.js'
import { fillDisk, freeDisk, mountSmallDisk } from '../support/small-disk.js'
import { readServiceRows, startTeam } from '../support/team.js'
import { createTestCli } from '../support/test-cli.js'
import { unprivilegedArguments } from '../support/unprivileged.js'

type TestUser = Awaited<ReturnType<typeof createUser>>

/** Creates a user of a service, with the client state in `home`. */
async function createUser(home: string, before: readonly string[] = []) {
  const { serveProcess, tokens } = await startTeam(1)
  const [token = ''] = tokens
  const proxy = await startProxy(serveProcess.url)
  const service = { TT_BASE_URL: proxy.url, TT_TOKEN: token }
  const cli = createTestCli(new Date().toISOString())
  Object.assign(cli.env, service)
  for (const words of ['tasks', 'log', 'status']) await cli.json(words)
  writeFiles(home, readFiles(cli.home))
  cli.env.TT_HOME = home
  const env = cleanEnvironment({ TT_HOME: home, ...service })
  return {
    proxy,
    /** Runs commands in this process, which keeps the files of the home open for a while. */
    cli,
    tt: (...argv: string[]) => run('env', [...before, process.execPath, bin, ...argv], { env }),
    /** Returns the notes of the entries at the service. */
    notes: async () => (await readServiceRows(serveProcess.url, token)).entry.map((row) => row.notes),
    /** Returns the changes that the proxy has received. */
    changesSent: () => proxy.requests.map(({ method }) => method).filter((method) => method !== 'GET'),
  }
}

const add = ['add', 'design', '--from', '-2h', '--for', '30m', '-n']
const changes = [
  ['start', 'design', '-n', 'dear'],
  [...add, 'dear'],
]

/** Expects commands to fail while writes fail, and to succeed afterwards. */
async function expectFailureWithoutRequests(
  user: TestUser,
  argv: string[],
  makeWritable: () => void,
  message: RegExp,
) {
  for (const more of [[], ['--json']]) {
    const failed = await user.tt(...argv, ...more)
    expect(failed).toMatchObject({ status: 1, stdout: '', stderr: expect.stringMatching(message) })
    expect(failed.stderr).not.toMatch(/Started|Added|Saved/)
  }
  expect(user.changesSent()).toEqual([])
  makeWritable()
  const { tt, notes, cli } = user
  expect(await cli.json('log')).toEqual([])
  expect(await cli.run('sync')).toMatchObject({ status: 0 })
  expect(await notes()).toEqual([])
  expect(await tt(...argv)).toMatchObject({ status: 0 })
  cli.setTime(new Date().toISOString())
  expect(await cli.run('sync')).toMatchObject({ status: 0 })
  expect(await notes()).toEqual(['dear'])
}

test.for(changes)(
  'tt %s on a full disk fails before any request, and works when there is space',
  async (argv, { skip }) => {
    const home = mountSmallDisk(4)
    if (home === undefined) return skip('requires permission to mount a file system')
    const user = await createUser(home)
    fillDisk(home)
    const message = /The disk (is full|reported an error)/
    await expectFailureWithoutRequests(user, argv, () => freeDisk(home), message)
  },
)

test('on an almost full disk, a change that succeeds exists once, and one that fails is never sent', async ({
  skip,
}) => {
  const home = mountSmallDisk(4)
  if (home === undefined) return skip('requires permission to mount a file system')
  const user = await createUser(home)
  const outcomes = { succeeded: [] as string[], failed: 0 }
  for (let leftKb = 0; leftKb <= 420; leftKb += 20) {
    fillDisk(home, leftKb)
    const notes = `${leftKb} kB `.padEnd(50_000, 'x')
    const { status, stdout, stderr } = await user.tt(...add, notes)
    freeDisk(home)
    if (status === 0) outcomes.succeeded.push(notes)
    else {
      outcomes.failed++
      expect({ leftKb, status, stdout }).toEqual({ leftKb, status: 1, stdout: '' })
      expect(stderr).toMatch(/The disk (is full|reported an error)/)
    }
    expect(await user.tt('sync')).toMatchObject({ status: 0 })
    const stored = (await user.notes()).map((text) => String(text).slice(0, 10))
    expect({ leftKb, status, stored }).toEqual({
      leftKb,
      status,
      stored: outcomes.succeeded.map((text) => text.slice(0, 10)),
    })
  }
  expect(outcomes.failed).toBeGreaterThan(0)
  expect(outcomes.succeeded.length).toBeGreaterThan(0)
})

test.for(changes)('tt %s in a read-only state directory fails before any request', async (argv, { skip }) => {
  const home = temporaryDirectory()
  if (unprivilegedArguments === undefined) return skip('root can write to read-only directories')
  const user = await createUser(home, unprivilegedArguments)
  const remount = (mode: string) => void spawnSync('chmod', ['-R', mode, join(home, 'profiles')])
  remount('a-w')
  await expectFailureWithoutRequests(user, argv, () => remount('u+w'), /cannot be opened for writing/)
  chmodSync(home, 0o700)
})

test.for(changes)('tt %s on a read-only file system fails before any request', async (argv, { skip }) => {
  const home = mountSmallDisk(4)
  if (home === undefined) return skip('requires permission to mount a file system')
  const user = await createUser(home)
  const remount = (mode: string) => void spawnSync('mount', ['-o', `remount,${mode}`, home])
  remount('ro')
  await expectFailureWithoutRequests(user, argv, () => remount('rw'), /cannot be opened for writing/)
})

test.for(changes)(
  'tt %s on a disk that fills before the response succeeds, and the entry exists once',
  async (argv, { skip }) => {
    const home = mountSmallDisk(4)
    if (home === undefined) return skip('requires permission to mount a file system')
    const user = await createUser(home)
    let filled = 0
    user.proxy.fault = (request, forward) => {
      if (request.method === 'POST' && filled++ === 0) fillDisk(home)
      return forward()
    }
    const outcome = await user.tt(...argv)
    expect(filled).toBe(1)
    expect(outcome, outcome.stderr).toMatchObject({ status: 0 })
    expect(await user.notes()).toEqual(['dear'])
    freeDisk(home)
    user.cli.setTime(new Date().toISOString())
    expect(await user.cli.json('log')).toMatchObject([{ notes: 'dear' }])
    expect(await user.cli.run('sync')).toMatchObject({ status: 0 })
    expect(await user.notes()).toEqual(['dear'])
  },
)
