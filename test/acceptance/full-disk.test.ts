import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { bin, cleanEnvironment, type ProcessResult, run, temporaryDirectory } from '../support/process.js'
import { type ServiceProxy, startProxy } from '../support/proxy.js'
import { readServiceRows, startTeam } from '../support/team.js'
import { unprivilegedArguments } from '../support/unprivileged.js'

/** A user of a service, with the client state in `home`. */
interface Person {
  home: string
  proxy: ServiceProxy
  tt(...argv: string[]): Promise<ProcessResult>
  /** Returns the notes of the entries at the service. */
  notes(): Promise<unknown[]>
  /** Returns the changes that the proxy has received. */
  changesSent(): string[]
}

async function createUser(home: string, before: readonly string[] = []): Promise<Person> {
  const { serveProcess, tokens } = await startTeam(1)
  const [token = ''] = tokens
  const proxy = await startProxy(serveProcess.url)
  const env = cleanEnvironment({ TT_HOME: home, TT_BASE_URL: proxy.url, TT_TOKEN: token })
  const person: Person = {
    home,
    proxy,
    tt: (...argv) => run('env', [...before, process.execPath, bin, ...argv], { env }),
    notes: async () => (await readServiceRows(serveProcess.url, token)).entry.map((row) => row.notes),
    changesSent: () => proxy.requests.map(({ method }) => method).filter((method) => method !== 'GET'),
  }
  for (const words of ['links', 'log', 'status']) expect(await person.tt(words)).toMatchObject({ status: 0 })
  return person
}

/** A file system of four megabytes; it goes with the test. Undefined where this user may not mount. */
function smallDisk(): string | undefined {
  const home = join(temporaryDirectory(), 'small')
  mkdirSync(home)
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', home]).status !== 0) return undefined
  onTestFinished(() => void spawnSync('umount', [home]))
  return home
}

const filler = (home: string) => join(home, 'filler')
/** Leaves that many kilobytes, or none. */
function fill(home: string, leftKb = 0) {
  const write = (file: string, ...more: string[]) =>
    spawnSync('dd', ['if=/dev/zero', `of=${file}`, 'bs=1k', ...more])
  const reserve = join(home, 'reserve')
  write(reserve, `count=${leftKb}`)
  write(filler(home))
  rmSync(reserve)
}
const free = (home: string) => rmSync(filler(home))

const changes = {
  start: ['start', 'design', '-n', 'dear'],
  add: ['add', 'design', '--from', '-2h', '--for', '30m', '-n', 'dear'],
}

/** Expects commands to fail while writes fail, and to succeed afterwards. */
async function failsLoudly(person: Person, argv: string[], again: () => void, message: RegExp) {
  for (const more of [[], ['--json']]) {
    const refused = await person.tt(...argv, ...more)
    expect(refused).toMatchObject({ status: 1, stdout: '', stderr: expect.stringMatching(message) })
    expect(refused.stderr).not.toMatch(/Started|Added|Kept/)
  }
  expect(person.changesSent()).toEqual([])
  again()
  expect(JSON.parse((await person.tt('log', '--json')).stdout)).toEqual([])
  expect(await person.tt('sync')).toMatchObject({ status: 0 })
  expect(await person.notes()).toEqual([])
  expect(await person.tt(...argv)).toMatchObject({ status: 0 })
  expect(await person.tt('sync')).toMatchObject({ status: 0 })
  expect(await person.notes()).toEqual(['dear'])
}

test.for(Object.entries(changes))(
  'tt %s on a full disk fails before anything is sent, and works when there is space',
  async ([, argv], { skip }) => {
    const home = smallDisk()
    if (home === undefined) return skip('this user may not mount: the full disk is not tried')
    const person = await createUser(home)
    fill(home)
    await failsLoudly(person, argv, () => free(home), /The disk (is full|reported an error)/)
  },
)

test('however little space is left, what succeeds is there once, and what fails is never sent', async ({
  skip,
}) => {
  const home = smallDisk()
  if (home === undefined) return skip('this user may not mount: the disk that is almost full is not tried')
  const person = await createUser(home)
  const outcomes = { succeeded: [] as string[], failed: 0 }
  for (let leftKb = 0; leftKb <= 420; leftKb += 20) {
    fill(home, leftKb)
    const notes = `${leftKb} kB `.padEnd(50_000, 'x')
    const { status, stdout, stderr } = await person.tt(...changes.add.slice(0, -1), notes)
    free(home)
    if (status === 0) outcomes.succeeded.push(notes)
    else {
      outcomes.failed++
      expect({ leftKb, status, stdout }).toEqual({ leftKb, status: 1, stdout: '' })
      expect(stderr).toMatch(/The disk (is full|reported an error)/)
    }
    expect(await person.tt('sync')).toMatchObject({ status: 0 })
    const there = (await person.notes()).map((text) => String(text).slice(0, 10))
    expect({ leftKb, status, there }).toEqual({
      leftKb,
      status,
      there: outcomes.succeeded.map((text) => text.slice(0, 10)),
    })
  }
  expect(outcomes.failed).toBeGreaterThan(0)
  expect(outcomes.succeeded.length).toBeGreaterThan(0)
})

test.for(Object.entries(changes))(
  'tt %s in a state directory that has turned read-only fails before anything is sent',
  async ([, argv], { skip }) => {
    const home = temporaryDirectory()
    if (unprivilegedArguments === undefined)
      return skip('root may write everywhere: the read-only directory is not tried')
    const person = await createUser(home, unprivilegedArguments)
    const turn = (mode: string) => void spawnSync('chmod', ['-R', mode, join(home, 'profiles')])
    turn('a-w')
    await failsLoudly(person, argv, () => turn('u+w'), /cannot be opened for writing/)
    chmodSync(home, 0o700)
  },
)

test.for(Object.entries(changes))(
  'tt %s on a file system that has turned read-only fails before anything is sent',
  async ([, argv], { skip }) => {
    const home = smallDisk()
    if (home === undefined) return skip('this user may not mount: the read-only file system is not tried')
    const person = await createUser(home)
    const turn = (mode: string) => void spawnSync('mount', ['-o', `remount,${mode}`, home])
    turn('ro')
    await failsLoudly(person, argv, () => turn('rw'), /cannot be opened for writing/)
  },
)

test.for(Object.entries(changes))(
  'tt %s on a disk that fills while the service answers succeeds, and the entry is there once',
  async ([, argv], { skip }) => {
    const home = smallDisk()
    if (home === undefined) return skip('this user may not mount: the full disk is not tried')
    const person = await createUser(home)
    let filled = 0
    person.proxy.fault = (request, forward) => {
      if (request.method === 'POST' && filled++ === 0) fill(home)
      return forward()
    }
    const outcome = await person.tt(...argv)
    expect(filled).toBe(1)
    expect(outcome, outcome.stderr).toMatchObject({ status: 0 })
    expect(await person.notes()).toEqual(['dear'])
    free(home)
    expect(JSON.parse((await person.tt('log', '--json')).stdout)).toMatchObject([{ notes: 'dear' }])
    expect(await person.tt('sync')).toMatchObject({ status: 0 })
    expect(await person.notes()).toEqual(['dear'])
  },
)
