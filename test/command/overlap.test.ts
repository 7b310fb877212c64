import { describe, expect, test } from 'vitest'
import { preparedCli } from '../support/prepared-cli.js'
import { createTestCli } from '../support/test-cli.js'
import { type Row, setUpService } from './service-fixtures.js'

/** Creates a `TestCli` at 12:00 with an entry of Website / Design from 9:00 to 10:30. */
const createMorningCli = preparedCli('2024-05-08T12:00:00', async (cli) => {
  await cli.json('add', 'Website/Design', '--from', '9:00', '--to', '10:30')
})

const times = (rows: Row[]) => rows.map((row) => [row.task, clock(row.time_start), clock(row.time_end)])
const clock = (time: unknown) => (typeof time === 'string' ? time.slice(11, 16) : null)

describe('without a terminal, an overlap is saved and reported with the command that resolves it', () => {
  test('by tt add during a running timer', async () => {
    const cli = await createMorningCli()
    await cli.json('start', 'Website/Review', '--at', '11:00')
    const { stderr } = await cli.run('add', 'design', '--from', '11:30', '--for', '15m')
    expect(stderr).toContain('Overlap of 15m, 11:30–11:45: Website / Review and Website / Design')
  })

  test('by tt edit, only when the overlap grows', async () => {
    const cli = await createMorningCli()
    await cli.json('add', 'Website/Review', '--from', '11:00', '--to', '11:30')
    expect((await cli.run('edit', '2', '--from', '10:15')).stderr).toContain('Overlap of 15m, 10:15–10:30')
    expect((await cli.run('edit', '2', '--from', '10:00')).stderr).toContain('Overlap of 30m')
    for (const change of [
      ['--from', '10:15'],
      ['--to', '11:15'],
      ['--notes', 'x'],
      ['--from', '10:30'],
    ])
      expect((await cli.run('edit', '2', ...change)).stderr).not.toContain('Overlap')
  })

  test('by tt start --at and tt continue --at', async () => {
    const cli = await createMorningCli()
    for (const [line, message] of [
      [['start', 'Website/Review', '--at', '10:00'], 'Started Website / Review at 10:00.'],
      [['continue', '--at', '10:00'], 'Started Website / Design again at 10:00.'],
    ] as const) {
      const started = await cli.run(...line)
      expect(started.status).toBe(0)
      expect(started.stderr).toContain(message)
      expect(started.stderr).toMatch(
        /Overlap of 30m, 10:00–10:30: .*\. To remove the overlap: tt edit 1 --to /,
      )
      await cli.json('undo')
    }
  })
})

describe('tt start --at with --trim', () => {
  test.each([['--trim'], ['--yes']])('%s shortens the earlier entry', async (option) => {
    const cli = await createMorningCli()
    const started = await cli.run('start', 'Website/Review', '--at', '10:15', option)
    expect(started.stderr).toBe(
      'Created Website / Review.\nEnded Website / Design at 10:15 instead of 10:30: 1h 15m, 15m less.\nStarted Website / Review at 10:15.\n',
    )
    expect(times(await cli.json('log'))).toEqual([
      ['Design', '09:00', '10:15'],
      ['Review', '10:15', null],
    ])
  })

  test('also stops the running timer, and keeps later entries', async () => {
    const cli = await createMorningCli()
    await cli.json('add', 'design', '--from', '11:00', '--to', '11:30')
    await cli.json('start', 'Website/Review', '--at', '10:00', '--no-input')
    const { stderr } = await cli.run('start', 'design', '--at', '10:15', '--trim')
    expect(stderr).toContain(
      'Ended Website / Design at 10:15 instead of 10:30: 1h 15m, 15m less.\nStopped Website / Review: 15m.\n',
    )
    expect(stderr).toContain('Overlap of 30m, 11:00–11:30')
    expect(times(await cli.json('log'))).toContainEqual(['Design', '11:00', '11:30'])
  })

  test('changes nothing when the start is rejected', async () => {
    const cli = await createMorningCli()
    await cli.json('start', 'design', '--at', '11:00')
    const before = await cli.json('log')
    for (const at of ['10:00', '13:00'])
      expect(await cli.run('start', 'design', '--at', at, '--trim')).toMatchObject({ status: 2 })
    expect(await cli.json('log')).toEqual(before)
  })
})

describe('with a service', () => {
  test('an overlap is found in cached entries, without a request', async () => {
    const { cli, proxy, sendAsOtherClient, clearRequests } = await setUpService()
    const [link] = await cli.json<Row[]>('tasks')
    const entry = { time_start: '2024-05-08T07:00:00Z', time_end: '2024-05-08T08:30:00Z' }
    await sendAsOtherClient('POST', '/timesheets', { ...entry, task_link_id: link?.id })
    const add = () => cli.run('add', 'review', '--from', '10:00', '--to', '11:00', '-n', 'x')
    clearRequests()
    expect((await add()).stderr).not.toContain('Overlap')
    await cli.json('undo')
    await cli.json('log')
    clearRequests()
    expect((await add()).stderr).toContain(
      'Overlap of 30m, 10:00–10:30: Website / Design and Website / Review',
    )
    expect(proxy.requests.map(({ method }) => method)).toEqual(['POST'])
  })

  test('an overlap with a pending entry is found', async () => {
    const { cli, proxy } = await setUpService()
    await proxy.close()
    await cli.json('add', 'design', '--from', '9:00', '--to', '10:30')
    const { stderr, status } = await cli.run('start', 'review', '--at', '10:00')
    expect(status).toBe(0)
    expect(stderr).toMatch(
      /Overlap of 30m, 10:00–10:30: .* To remove the overlap: tt edit '~1' --to "2024-05-08 10:00"/,
    )
  })

  test('an entry that was changed elsewhere is not trimmed, and the timer still starts', async () => {
    const { cli, sendAsOtherClient, entries } = await setUpService()
    const { id } = await cli.json('add', 'design', '--from', '9:00', '--to', '10:30')
    await sendAsOtherClient('PATCH', `/timesheets/${id}`, { time_end: '2024-05-08T08:45:00Z' })
    const started = await cli.run('start', 'review', '--at', '10:00', '--trim')
    expect(started).toMatchObject({ status: 0, stderr: expect.stringContaining('Started Website / Review') })
    expect(await entries()).toMatchObject([
      { time_end: '2024-05-08T08:45:00.000Z' },
      { time_start: '2024-05-08T08:00:00.000Z', time_end: null },
    ])
  })
})

test('commands do not prompt without a terminal, and name the missing argument', async () => {
  const cli = await createMorningCli()
  const before = await cli.json('log')
  for (const line of [['rm'], ['rm', '--pick'], ['continue', '--pick'], ['edit', '--pick', '-n', 'x']]) {
    for (const option of ['--yes', '--no-input', '--json']) {
      const rejected = await cli.run(...line, option)
      expect(rejected).toMatchObject({ status: 2, stderr: expect.stringContaining('Cannot prompt') })
      expect(rejected.stderr).toContain('Give ENTRY')
    }
  }
  expect(await cli.json('log')).toEqual(before)
})

test('--pick and an entry cannot be used together', async () => {
  const cli = await createMorningCli()
  expect(await cli.run('rm', '@1', '--pick')).toMatchObject({
    status: 2,
    stderr: 'error: --pick and the entry "@1" cannot be used together.\nUse one of them.\n',
  })
})

test('an overlap names the entry that is a duplicate', async () => {
  const cli = createTestCli('2024-05-08T15:00:00')
  await cli.json('add', 'Website/Design', '--from', '9:00', '--to', '10:00')
  const { stderr } = await cli.run('add', 'Website/Design', '--from', '9:00', '--to', '10:00')
  expect(stderr).toMatch(
    /Website \/ Design twice; entry (\d) is a duplicate\. To remove the overlap: tt rm \1 --yes\n$/,
  )
  await cli.json('rm', '1', '--yes')
  const within = await cli.run('add', 'Website/Review', '--from', '9:00', '--to', '10:00')
  expect(within.stderr).toMatch(/; entry (\d) lies within entry \d\. To remove the overlap: tt rm \1 --yes/)
})

test('tt continue without an entry takes the last one that has begun, not a planned one', async () => {
  const cli = await createMorningCli()
  await cli.json('add', 'Website/Review', '--from', '14:00', '--to', '15:00')
  expect(await cli.json('continue')).toMatchObject({ task: 'Design' })
})
