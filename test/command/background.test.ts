// @module-tag slow

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { backgroundStopPath, pathsFor } from '../../src/config/paths.js'
import { selectProfile } from '../../src/config/profile.js'
import { ChangeSender } from '../../src/outbox/delivery/change-sender.js'
import { Notices } from '../../src/outbox/notices.js'
import { dropRequest, type Fault, noFault, respondToAll, respondToChanges } from '../support/proxy.js'
import { preparedSignIn, type Row } from './service-fixtures.js'

type BackgroundSetup = Awaited<ReturnType<typeof setUpBackground>>

/** Sets up a signed-in profile whose cache is filled, with a clock that `at` sets to a time (UTC) of the day. */
async function setUpBackground() {
  const setup = await openSignedIn()
  return { ...setup, at: (time: string) => setup.cli.setTime(`2024-05-08T${time}Z`) }
}

const openSignedIn = preparedSignIn(async ({ cli }) => {
  for (const argv of [['tasks'], ['expenses', 'types'], ['company'], ['log'], ['expenses'], ['status']])
    expect(await cli.run(...argv)).toMatchObject({ status: 0 })
})

test('a change is saved, and sent by the process that the command starts', async () => {
  const { cli, proxy, entries } = await setUpBackground()
  const started = await cli.runInteractively('start', 'design')
  expect(started).toMatchObject({ status: 0, stdout: '', stderr: 'Started Website / Design at 14:00.\n' })
  expect(proxy.requests).toEqual([])
  expect(cli.started).toEqual([['__deliver', 'acme', expect.any(String), proxy.url]])
  await cli.runStarted()
  expect(await entries()).toMatchObject([{ time_end: null }])
  expect(await cli.json('sync', 'list')).toEqual([])
  expect(await cli.run('status', '--cached')).toMatchObject({ status: 0, stderr: '' })
})

test('commands that restore or remove what this machine knows send no request', async () => {
  const { cli, proxy, at } = await setUpBackground()
  const run = async (line: string) => {
    expect({ line, ...(await cli.runInteractively(...line.split(' '))) }).toMatchObject({ line, status: 0 })
  }
  const lines = [
    ...[
      'start design',
      'undo --yes!',
      'start design',
      'cancel --yes!',
      'start design',
      'stop',
      'undo!',
      'redo!',
    ],
    ...['expenses add 3 --type Travel', 'undo --yes!'],
  ]
  for (const [minute, line] of lines.entries()) {
    at(`12:${10 + minute}:00`)
    proxy.requests.splice(0)
    await run(line.replace('!', ''))
    if (line.endsWith('!')) expect({ line, requests: proxy.requests }).toEqual({ line, requests: [] })
    await cli.runStarted()
    expect(await cli.json('sync', 'list')).toEqual([])
  }
})

describe('the command waits for the service', () => {
  test('with an option, in an environment without a user, and with the setting', async () => {
    const { cli, entries } = await setUpBackground()
    let count = 0
    const add = async (options: string[], env: Record<string, string> = {}) => {
      Object.assign(cli.env, { TT_SEND: undefined, CI: undefined, ...env })
      const argv = ['add', 'design', '--from', `${++count}:00`, '--for', '1h', ...options]
      expect({ argv, ...(await cli.runInteractively(...argv)) }).toMatchObject({ argv, status: 0 })
      expect({ argv, env, started: cli.started }).toEqual({ argv, env, started: [] })
      expect(await entries()).toHaveLength(count)
    }
    for (const option of ['--wait', '--json', '--no-input']) await add([option])
    await add([], { TT_SEND: 'wait' })
    await add([], { CI: 'true' })
    await cli.run('config', 'set', 'send', 'wait')
    await add([])
  })

  test('where no process can be started', async () => {
    const { cli, proxy, entries } = await setUpBackground()
    cli.canStart = false
    expect(await cli.runInteractively('start', 'design')).toMatchObject({
      status: 0,
      stderr: 'Started Website / Design at 14:00.\n',
    })
    expect(await entries()).toHaveLength(1)
    proxy.fault = dropRequest
    expect(await cli.runInteractively('stop')).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(
        /^Stopped .*\nSaved locally: the service .* Run `tt sync` to send it\.\n$/,
      ),
    })
  })
})

const archived = {
  error: 'invalid',
  message: 'The task is archived.',
  errors: { task_link_id: ['is archived'] },
}

/** What another client does between a command and the delivery of its change. */
type Elsewhere = (setup: BackgroundSetup) => Promise<unknown>

/** Changes entry 1 as another client. */
const change =
  (fields: Row): Elsewhere =>
  ({ sendAsOtherClient }) =>
    sendAsOtherClient('PATCH', '/timesheets/1', fields)

const stopEarlier = change({ time_end: '2024-05-08T11:40:00Z' })

const start =
  (time: string, task: 1 | 2 = 2, notes = 'elsewhere'): Elsewhere =>
  ({ sendAsOtherClient }) =>
    sendAsOtherClient('POST', '/timesheets', {
      ...{ time_start: `2024-05-08T${time}Z`, task_link_id: task, notes },
    })

const fail =
  (fault: Fault): Elsewhere =>
  async ({ proxy }) => {
    proxy.fault = fault
  }

interface Case {
  name: string
  /** Commands before, each sent. */
  before?: [time: string, argv: string[]][]
  time: string
  argv: string[]
  printed: string
  elsewhere: Elsewhere
  /** When the change is sent. */
  sentAt?: string
  /** What the next command prints before its own messages. */
  said: RegExp
  /** The entries at the service in the end: "here 11:00–12:00". */
  entries: string[]
  /** The phases of the changes that remain. */
  remaining?: string[]
}

const running: NonNullable<Case['before']> = [['11:00:00', ['start', 'design', '-n', 'here']]]
const stopHere: (typeof running)[number] = ['12:00:00', ['stop']]
const stop = {
  ...{ before: running, time: '12:00:00', argv: ['stop'] },
  printed: 'Stopped Website / Design: 1h 00m (13:00–14:00).\n',
}
const startDesign = {
  ...{ time: '12:00:00', argv: ['start', 'design', '-n', 'here'] },
  printed: 'Started Website / Design at 14:00.\n',
}

const cases: Case[] = [
  {
    ...{ name: 'a stop that the service rejects', ...stop },
    elsewhere: fail(respondToChanges(422, { error: 'invalid', message: 'Too late.' })),
    said: /^A change of entry 1 was rejected\. Too late\. /,
    entries: ['here 11:00–running'],
    remaining: ['refused'],
  },
  {
    ...{ name: 'a start whose sign-in has expired', ...startDesign },
    elsewhere: fail(respondToAll(401, '')),
    said: /^Saved locally: your sign-in has expired\. Run `tt login` to send it\.$/m,
    entries: [],
    remaining: ['waiting'],
  },
  {
    ...{ name: 'a start after a timer elsewhere that was not known', ...startDesign },
    elsewhere: start('11:30:00'),
    said: /^Website \/ Review, started elsewhere at 13:30, was stopped at 14:00 as well\.$/m,
    entries: ['elsewhere 11:30–12:00', 'here 12:00–running'],
  },
  {
    ...{ name: 'a start that is sent ten minutes after it', ...startDesign, elsewhere: start('11:30:00') },
    sentAt: '12:10:00',
    said: /^Website \/ Review, started elsewhere at 13:30, is still running: .* 14:00\.$/m,
    entries: ['elsewhere 11:30–running', 'here 12:00–running'],
  },
  {
    ...{ name: 'a start before a timer elsewhere', ...startDesign },
    ...{ elsewhere: start('12:03:00'), sentAt: '12:05:00' },
    said: /^Website \/ Review, started elsewhere at 14:03, is running too\.$/m,
    entries: ['elsewhere 12:03–running', 'here 12:00–running'],
  },
  {
    ...{ name: 'a stop of a timer that was stopped elsewhere', ...stop },
    elsewhere: stopEarlier,
    said: /^Website \/ Design was stopped elsewhere before \(13:00–13:40\), and keeps that end\.$/m,
    entries: ['here 11:00–11:40'],
  },
  {
    ...{ name: 'a stop of a timer that another one has replaced elsewhere', ...stop },
    async elsewhere(setup) {
      await stopEarlier(setup)
      await start('11:40:00')(setup)
    },
    said: /keeps that end\.\nWebsite \/ Review, started elsewhere at 13:40, was stopped at 14:00 as well\.$/m,
    entries: ['here 11:00–11:40', 'elsewhere 11:40–12:00'],
  },
  {
    ...{ name: 'a stop of a timer whose start was moved elsewhere', ...stop },
    elsewhere: change({ time_start: '2024-05-08T10:30:00Z' }),
    said: /^Entry 1 was changed elsewhere: it is Website \/ Design, 12:30–14:00\.$/m,
    entries: ['here 10:30–12:00'],
  },
  {
    ...{ name: 'a start that stops a timer whose task was changed elsewhere', before: running },
    ...{ time: '12:00:00', argv: ['start', 'design', '-n', 'new'] },
    printed: 'Stopped Website / Design: 1h 00m.\nStarted Website / Design at 14:00.\n',
    elsewhere: change({ task_link_id: 2 }),
    said: /^Entry 1 was changed elsewhere: it is Website \/ Review, 13:00–14:00\.$/m,
    entries: ['here 11:00–12:00', 'new 12:00–running'],
  },
  {
    ...{ name: 'a stop before a timer elsewhere', ...stop, elsewhere: start('12:03:00'), sentAt: '12:05:00' },
    said: /^$/,
    entries: ['here 11:00–12:00', 'elsewhere 12:03–running'],
  },
  {
    ...{ name: 'an edit of notes that were changed elsewhere', before: stop.before, time: '12:00:00' },
    ...{
      argv: ['edit', '@', '-n', 'edited'],
      printed: 'Changed entry 1: Website / Design, 1h 00m (13:00–running) (notes).\n',
    },
    elsewhere: change({ notes: 'theirs' }),
    said: /^A change of entry 1 is in conflict\. Changed elsewhere: the notes are "theirs" at the service/m,
    entries: ['theirs 11:00–running'],
    remaining: ['conflict'],
  },
  {
    ...{ name: 'a start on a clock that is three hours fast', ...startDesign, time: '15:00:00' },
    ...{ printed: 'Started Website / Design at 17:00.\n', elsewhere: start('11:30:00') },
    said: /^Website \/ Review, started elsewhere at 13:30, was stopped at 17:00 as well\.$/m,
    entries: ['elsewhere 11:30–15:00', 'here 15:00–running'],
  },
  {
    ...{ name: 'an undo of a stop whose entry has another end elsewhere', before: [...running, stopHere] },
    ...{ time: '12:01:00', argv: ['undo'], printed: 'Undid: Stopped Website / Design.\n' },
    elsewhere: stopEarlier,
    said: /^A change of entry 1 is in conflict\. Changed elsewhere: the end is .*13:40 at the service/m,
    entries: ['here 11:00–11:40'],
    remaining: ['conflict'],
  },
  {
    ...{ name: 'a cancel of a timer that was stopped elsewhere', before: running, time: '12:00:00' },
    ...{ argv: ['cancel', '--yes'], printed: 'Cancelled Website / Design (1h 00m).\n' },
    elsewhere: stopEarlier,
    said: /^The deletion of entry 1 is in conflict\. Changed elsewhere before it was deleted: the end is /m,
    entries: ['here 11:00–11:40'],
    remaining: ['conflict'],
  },
]

describe('the message of a command is true afterwards, or corrected by the next command', () => {
  test.each(cases)('$name', async ({ before = [], time, argv, printed, elsewhere, sentAt, ...expected }) => {
    const setup = await setUpBackground()
    const { cli, at } = setup
    for (const [time, argv] of before) {
      at(time)
      expect(await cli.runInteractively(...argv)).toMatchObject({ status: 0 })
      await cli.runStarted()
    }
    at(time)
    expect(await cli.runInteractively(...argv)).toMatchObject({ status: 0, stdout: '', stderr: printed })
    await elsewhere(setup)
    at(sentAt ?? time)
    await cli.runStarted()
    expect(await formatEntries(setup)).toEqual(expected.entries)
    const remaining = await cli.json<Row[]>('sync', 'list', '-q')
    expect(remaining.map(({ state }) => state)).toEqual(expected.remaining ?? [])
    const next = (hour: number) =>
      cli.runInteractively('add', 'review', '--from', `${hour}:00`, '--for', '5m', '--yes')
    expect((await next(6)).stderr.replace(/^Added .*\n/m, '')).toMatch(expected.said)
    setup.proxy.fault = noFault
    cli.started.splice(0)
    expect((await next(7)).stderr.replace(/^(Added|Saved locally).*\n/gm, '')).toBe('')
  })
})

/** Returns what a command has printed on stderr, without its progress. */
const messagesOf = ({ stderr }: { stderr: string }) => stderr.split('\u001b[K').at(-1)

const timeOf = (time: unknown) => new Date(String(time)).toISOString().slice(11, 16)
const formatEntries = async ({ entries }: BackgroundSetup) =>
  (await entries()).map(
    ({ notes, time_start: from, time_end: to }) =>
      `${notes} ${timeOf(from)}–${to === null ? 'running' : timeOf(to)}`,
  )

test('a rejected change is discarded by tt undo, which says so', async () => {
  const { cli, proxy, entries } = await setUpBackground()
  proxy.fault = respondToChanges(422, archived)
  await cli.runInteractively('start', 'design')
  await cli.runStarted()
  proxy.fault = noFault
  expect(await cli.runInteractively('undo')).toMatchObject({
    status: 0,
    stderr: expect.stringMatching(
      /^A new entry \(~1\) was rejected\. .*\nUndid: Started Website \/ Design at 14:00\.\nThe service had rejected it: The task is archived: task_link_id is archived\..* The rejected change was discarded\.\n$/,
    ),
  })
  await cli.runStarted()
  expect(await cli.json('sync', 'list')).toEqual([])
  expect(await entries()).toEqual([])
  expect(await cli.json('status', '--cached')).toBeNull()
})

test('tt sync shows how the last delivery failed', async () => {
  const { cli, proxy } = await setUpBackground()
  proxy.fault = dropRequest
  await cli.runInteractively('start', 'design')
  await cli.runStarted()
  const failure = /^The last delivery failed at 14:0\d: The service at .* cannot be reached/
  expect((await cli.runInteractively('sync', 'list')).stderr).toMatch(failure)
  proxy.fault = noFault
  expect(await cli.runInteractively('sync')).toMatchObject({
    status: 0,
    stderr: expect.stringMatching(/^The last delivery failed [\s\S]*Sent 1 change\.\n/),
  })
  expect(await cli.run('sync', 'list')).toMatchObject({ stderr: '' })
})

test('the next command and tt sync show that a bug has ended the last delivery', async () => {
  const { cli } = await setUpBackground()
  const sending = vi.spyOn(ChangeSender.prototype, 'send').mockRejectedValueOnce(new TypeError('no fields'))
  onTestFinished(() => sending.mockRestore())
  await cli.runInteractively('start', 'design')
  await cli.runStarted()
  expect((await cli.runInteractively('add', 'design', '--from', '8:00', '--for', '1h')).stderr).toMatch(
    /^Added .*\nSaved locally: Internal error: no fields\. Run `tt sync` to send it\.\n$/,
  )
  expect((await cli.runInteractively('sync')).stderr).toMatch(
    /^The last delivery failed at 14:0\d: Internal error: no fields\.\n[\s\S]*Sent 2 changes\./,
  )
})

test('the next command prints a rejected change also if the sending process ended right after its response', async () => {
  const { cli, proxy } = await setUpBackground()
  proxy.fault = respondToChanges(422, archived)
  await cli.runInteractively('add', 'design', '--from', '8:00', '--for', '1h')
  const recording = vi.spyOn(Notices.prototype, 'recordDelivery').mockImplementation(() => {
    throw new Error('killed')
  })
  onTestFinished(() => recording.mockRestore())
  await cli.runStarted()
  recording.mockRestore()
  proxy.fault = noFault
  expect((await cli.runInteractively('add', 'review', '--from', '9:00', '--for', '1h')).stderr).toMatch(
    /^A new entry \(~1\) was rejected\. /,
  )
})

describe('the delivery in the background', () => {
  test('ends after its request when the user signs out', async () => {
    const { cli, proxy } = await setUpBackground()
    await cli.runInteractively('start', 'design')
    const stopPath = backgroundStopPath(pathsFor(cli.env), selectProfile(cli.env).stateKey)
    let signedOut: Promise<unknown> | undefined
    proxy.fault = async (_, forward) => {
      signedOut ??= cli.run('logout', '--yes')
      await vi.waitFor(() => expect(existsSync(stopPath)).toBe(true), 10_000)
      await new Promise((resolve) => setTimeout(resolve, 100))
      return forward()
    }
    await cli.runStarted()
    expect(await signedOut).toMatchObject({ status: 0 })
    expect(proxy.requests.map(({ method, path }) => `${method} ${path}`)).not.toContain(
      'POST /api/v1/timesheets',
    )
  })

  test('sends nothing if the profile belongs to another account now', async () => {
    const { cli, proxy } = await setUpBackground()
    await cli.runInteractively('start', 'design')
    const [[word, name, , url] = []] = cli.started
    await cli.run(...([word, name, 'other', url] as string[]))
    await cli.run(...([word, 'missing', 'other', url] as string[]))
    expect(proxy.requests).toEqual([])
  })

  test('is ended by another one of the profile, and sends what that one leaves', async () => {
    const { cli, entries } = await setUpBackground()
    await cli.runInteractively('start', 'design')
    await cli.runInteractively('add', 'design', '--from', '8:00', '--for', '1h')
    const [first = [], second = []] = cli.started.splice(0)
    await Promise.all([cli.run(...first), cli.run(...second)])
    expect(await entries()).toHaveLength(2)
  })
})

describe('a script whose cached tasks are old', () => {
  test('requests the tasks and the running timer at the same time', async () => {
    const { cli, proxy, at, entries, sendAsOtherClient } = await setUpBackground()
    await sendAsOtherClient('POST', '/timesheets', { time_start: '2024-05-08T11:00:00Z', task_link_id: 2 })
    at('14:00:00')
    proxy.fault = async ({ path }, forward) => {
      const other = path.endsWith('/task_links') ? '/timesheets' : '/task_links'
      await vi.waitFor(() => expect(proxy.count(`/api/v1${other}`)).toBeGreaterThan(0), 5000)
      return forward()
    }
    expect(await cli.run('start', 'design', '--json')).toMatchObject({ status: 0, stderr: '' })
    expect(proxy.requests.filter(({ path }) => path === '/api/v1/timesheets')).toHaveLength(2)
    expect((await entries()).map(({ time_end: end }) => end)).toEqual([expect.any(String), null])
  })

  test('sends no request for the timer if it has pending changes, which may change it', async () => {
    const { cli, proxy, at } = await setUpBackground()
    proxy.fault = dropRequest
    await cli.run('add', 'design', '--from', '8:00', '--for', '10m')
    at('14:00:00')
    proxy.fault = noFault
    proxy.requests.splice(0)
    await cli.run('start', 'design', '--json')
    const paths = proxy.requests.map(({ method, path }) => `${method} ${path.replace('/api/v1', '')}`)
    expect(paths.indexOf('POST /timesheets')).toBeLessThan(paths.lastIndexOf('GET /timesheets'))
    expect(paths.filter((path) => path === 'POST /timesheets')).toHaveLength(2)
  })
})

test('a script plans again when a command in a terminal changes the timer while it reads', async () => {
  const { cli, proxy, entries } = await setUpBackground()
  let other: Promise<unknown> | undefined
  proxy.fault = async (request, forward) => {
    const response = await forward()
    if (request.path.endsWith('/timesheets')) other ??= cli.runInteractively('start', 'review')
    await other
    return response
  }
  expect(await cli.run('start', 'design')).toMatchObject({ status: 0 })
  await cli.runStarted()
  const open = (await entries()).filter(({ time_end: end }) => end === null)
  expect(await entries()).toHaveLength(2)
  expect(open).toMatchObject([{ task_link_id: 1 }])
})

test('two commands in terminals at the same time leave one timer', async () => {
  const { cli, entries } = await setUpBackground()
  const outcomes = await Promise.all([
    cli.runInteractively('start', 'design'),
    cli.runInteractively('start', 'review'),
    cli.runInteractively('start', 'design'),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual([0, 0, 0])
  await cli.runStarted()
  expect(await entries()).toHaveLength(3)
  expect((await entries()).filter(({ time_end: end }) => end === null)).toHaveLength(1)
})

test('a keychain that cannot be read counts as a failed delivery, and the change is not looked up afterwards', async () => {
  const { cli, proxy, entries } = await setUpBackground()
  const path = join(cli.home, 'profiles.json')
  const stored = readFileSync(path, 'utf8')
  await cli.runInteractively('start', 'design')
  // There is none in the environment of a test.
  writeFileSync(path, stored.replace('"file"', '"keychain"'))
  vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', 'unix:path=/nonexistent')
  onTestFinished(() => void vi.unstubAllEnvs())
  await cli.runStarted()
  expect(proxy.requests).toEqual([])
  expect((await cli.runInteractively('sync', 'list')).stderr).toMatch(
    /^The last delivery failed at 14:0\d: There is no keychain/,
  )
  writeFileSync(path, stored)
  await cli.runInteractively('stop')
  await cli.runStarted()
  expect(proxy.requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
  expect(await entries()).toMatchObject([{ time_end: expect.any(String) }])
})

describe('reads', () => {
  test('tt status shows cached data with its age when the service takes more than a second', async () => {
    const { cli, proxy, at } = await setUpBackground()
    await cli.runInteractively('start', 'design')
    await cli.runStarted()
    at('12:05:30')
    proxy.fault = () => new Promise(() => {})
    const { status, stdout, stderr } = await cli.runInteractively('status')
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringMatching(
        /^127\.0\.0\.1:\d+ has not responded for 1 s\. Showing cached data of 14:00, 5 minutes ago\.\n$/,
      ),
    })
    expect(stdout).toContain('Website / Design')
  })

  test('tt status prints a rejected change once, afterwards in a line, and why changes could not be sent', async () => {
    const { cli, proxy } = await setUpBackground()
    const rejectedLine = /^1 rejected change: see `tt sync list`\.$/m
    proxy.fault = respondToChanges(422, archived)
    await cli.runInteractively('start', 'design')
    await cli.runStarted()
    const first = await cli.runInteractively('status')
    expect(first.stderr).toMatch(/^A new entry \(~1\) was rejected\. /)
    expect(first.stdout).not.toContain('rejected')
    const second = await cli.runInteractively('status')
    expect(second.stderr).not.toContain('rejected')
    expect(second.stdout).toMatch(rejectedLine)
    proxy.fault = respondToChanges(403, { error: 'insufficient_scope', scope: 'service:write' })
    await cli.runInteractively('add', 'design', '--from', '8:00', '--for', '1h')
    await cli.runStarted()
    const { stdout } = await cli.runInteractively('status')
    expect(stdout).toMatch(/^1 pending change: .*scope.* `tt sync` sends it\.$/m)
    expect(stdout).toMatch(rejectedLine)
  })

  test('tt log --cached and tt report --cached send no request', async () => {
    const { cli, proxy } = await setUpBackground()
    await cli.run('add', 'design', '--from', '8:00', '--for', '1h')
    await cli.run('log')
    proxy.requests.splice(0)
    for (const command of ['log', 'report']) {
      expect(await cli.run(command, '--cached')).toMatchObject({
        status: 0,
        stdout: expect.stringContaining('Website'),
        stderr: expect.stringMatching(/^The service was not requested\. Showing cached data of 14:00/),
      })
      expect(proxy.requests).toEqual([])
    }
    expect(await cli.run('sync', 'list')).toMatchObject({ stderr: '' })
  })
})

test('the end of a timer that was started elsewhere is sent first, also after the sending process was killed', async () => {
  const setup = await setUpBackground()
  const { cli, takeChanges } = setup
  await start('11:30:00')(setup)
  await cli.runInteractively('start', 'design')
  // It ends with its first change.
  const sending = vi.spyOn(ChangeSender.prototype, 'send').mockRejectedValueOnce(new Error('killed'))
  onTestFinished(() => sending.mockRestore())
  await cli.runStarted()
  takeChanges()
  expect((await cli.runInteractively('add', 'design', '--from', '8:00', '--for', '1h')).stderr).toMatch(
    /^Website \/ Review, started elsewhere at 13:30, was stopped at 14:00 as well\.$/m,
  )
  await cli.runStarted()
  expect(takeChanges().map(({ method, path }) => `${method} ${path}`)).toEqual([
    ...['PATCH /timesheets/1', 'POST /timesheets', 'POST /timesheets'],
  ])
  expect((await cli.runInteractively('stop')).stderr).toMatch(/^Stopped .*\n$/)
})

describe('of two timers that are known to run', () => {
  async function setUpTwoTimers() {
    const setup = await setUpBackground()
    const { cli, at } = setup
    await start('11:00:00')(setup)
    at('11:30:00')
    // Without ending the other timer.
    await start('11:30:00', 1, 'later')(setup)
    await cli.run('status')
    at('12:00:00')
    return setup
  }
  const modes = [['in the background', []] as const, ['with --wait', ['--wait']] as const]

  test.each(modes)(
    'tt stop ends the later one and says that the other still runs: %s',
    async (_, options) => {
      const setup = await setUpTwoTimers()
      const { cli } = setup
      expect(messagesOf(await cli.runInteractively('stop', ...options))).toBe(
        'Stopped Website / Design: 30m (13:30–14:00).\n' +
          'Website / Review is still running since 13:00. Run `tt stop` to stop it.\n',
      )
      await cli.runStarted()
      expect(await formatEntries(setup)).toEqual(['elsewhere 11:00–running', 'later 11:30–12:00'])
      expect(messagesOf(await cli.runInteractively('stop', ...options))).toBe(
        'Stopped Website / Review: 1h 00m (13:00–14:00).\n',
      )
      await cli.runStarted()
      expect(await formatEntries(setup)).toEqual(['elsewhere 11:00–12:00', 'later 11:30–12:00'])
      expect(messagesOf(await cli.runInteractively('sync', 'list'))).toBe('No pending changes.\n')
    },
  )

  test.each(modes)('tt start ends both and says so: %s', async (_, options) => {
    const setup = await setUpTwoTimers()
    const { cli } = setup
    expect(messagesOf(await cli.runInteractively('start', 'design', '-n', 'new', ...options))).toBe(
      'Stopped Website / Design: 30m.\nStopped Website / Review: 1h 00m.\nStarted Website / Design at 14:00.\n',
    )
    await cli.runStarted()
    expect(await formatEntries(setup)).toEqual([
      'elsewhere 11:00–12:00',
      'later 11:30–12:00',
      'new 12:00–running',
    ])
    expect(messagesOf(await cli.runInteractively('stop', ...options))).toMatch(/^Stopped .*\n$/)
  })
})

describe('a command that has lost its effect before it was sent', () => {
  test.each([
    ['an undone start', 'undo'],
    ['a cancelled start', 'cancel'],
  ])('ends no timer of another client: %s', async (_, command) => {
    const setup = await setUpBackground()
    const { cli, proxy, at, entries } = setup
    at('12:00:00')
    await start('11:00:00')(setup)
    proxy.fault = dropRequest
    for (const argv of [
      ['start', 'design'],
      [command, '--yes'],
    ])
      expect(await cli.runInteractively(...argv)).toMatchObject({ status: 0 })
    proxy.fault = noFault
    at('12:02:00')
    await cli.runInteractively('add', 'design', '--from', '8:00', '--for', '10m')
    await cli.runStarted()
    expect(await entries()).toMatchObject([{ time_end: null }, {}])
  })

  test('ends no timer of its own: an undone stop', async () => {
    const { cli, proxy, at, entries } = await setUpBackground()
    at('12:00:00')
    await cli.runInteractively('start', 'design')
    await cli.runStarted()
    proxy.fault = dropRequest
    at('12:10:00')
    for (const argv of [['stop'], ['undo', '--yes']]) await cli.runInteractively(...argv)
    proxy.fault = noFault
    at('12:12:00')
    await cli.runInteractively('add', 'design', '--from', '8:00', '--for', '10m')
    await cli.runStarted()
    expect(await entries()).toMatchObject([{ time_end: null }, {}])
  })
})
