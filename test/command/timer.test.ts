import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openSqlite } from '../../src/lib/sqlite/open.js'
import { createTestCli } from '../support/test-cli.js'

test('start, status, stop and log show the same entry', async () => {
  const cli = createTestCli('2024-05-01T09:30:00')
  await cli.run('start', 'Website/Design', '--notes', 'first page')
  cli.setTime('2024-05-01T10:54:30')
  expect(await cli.json('status')).toMatchObject({
    project: 'Website',
    client: null,
    task: 'Design',
    notes: 'first page',
    time_start: '2024-05-01T09:30:00+02:00',
    time_end: null,
    duration_seconds: 5070,
    running: true,
    pending: false,
  })
  expect((await cli.runInTerminal(80, 'status')).stdout).toBe(
    'Timer  1h 24m  since 09:30  Website / Design  first page\nToday  1h 24m\nWeek   1h 24m\n',
  )
  const stopped = await cli.run('stop')
  expect(stopped.stderr).toBe('Stopped Website / Design: 1h 24m (09:30–10:54).\n')
  expect((await cli.runInTerminal(80, 'log')).stdout).toMatchInlineSnapshot(`
    "ID  From   To     Duration  Client  Project  Task    Notes
    Wed 2024-05-01  1h 24m
     1  09:30  10:54    1h 24m          Website  Design  first page

    1 entry, 1h 24m
    "
  `)
})

describe('start', () => {
  test('stops the running timer at the new start', async () => {
    const cli = createTestCli('2024-05-01T09:00:00')
    await cli.run('start', 'Website/Design')
    cli.setTime('2024-05-01T10:00:00')
    const started = await cli.run('start', 'Website/Review', '--at', '-15m')
    expect(started.stderr).toBe(
      'Created Website / Review.\nStopped Website / Design: 45m.\nStarted Website / Review at 09:45.\n',
    )
    const log = await cli.json<Record<string, unknown>[]>('log')
    expect(log.map(({ task, time_end }) => [task, time_end])).toEqual([
      ['Design', '2024-05-01T09:45:00+02:00'],
      ['Review', null],
    ])
  })

  test('rejects a time before the running entry began, and changes nothing', async () => {
    const cli = createTestCli('2024-05-01T09:00:00')
    await cli.run('start', 'Website/Design')
    cli.setTime('2024-05-01T10:00:00')
    const rejected = await cli.run('start', 'design', '--at', '8:00')
    expect(rejected).toMatchObject({ status: 2, stdout: '' })
    expect(rejected.stderr).toContain('started at 09:00')
    expect(await cli.json('log')).toHaveLength(1)
    expect(await cli.json('status')).toMatchObject({ time_start: '2024-05-01T09:00:00+02:00' })
  })

  test.each([
    ['--at', 'soon', '"soon" is not a time'],
    ['--at', '10:00', 'in the future'],
  ])('rejects %s %s and starts nothing', async (option, value, message) => {
    const cli = createTestCli('2024-05-01T09:00:00')
    const rejected = await cli.run('start', 'Website/Design', option, value)
    expect(rejected.status).toBe(2)
    expect(rejected.stderr).toContain(message)
    expect(await cli.json('status')).toBeNull()
  })

  test('creates a task with a probable typo in a script, and names the similar one and the command that merges', async () => {
    const cli = createTestCli()
    await cli.run('start', 'Website/Design')
    expect(await cli.run('start', 'Webiste/Desing')).toMatchObject({
      status: 0,
      stderr: expect.stringContaining(
        [
          'Created Webiste / Desing.',
          '"Webiste" is probably a typo of the project "Website". If so, run `tt projects merge Webiste Website`.',
          '"Desing" is probably a typo of the task "Design". If so, run `tt tasks merge Desing Design`.',
        ].join('\n'),
      ),
    })
    expect(await cli.run('start', 'Corp of Zürihc/App/Design')).toMatchObject({ status: 0 })
    expect(await cli.run('start', 'Corp of Zürich/App/Design')).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("`tt clients merge 'Corp of Zürich' 'Corp of Zürihc'`"),
    })
    const { stderr } = await cli.run('start', 'website/desinggg', '--create')
    expect(stderr).toContain('Created Website / desinggg.')
    expect((await cli.run('start', 'Website/Dseing', '--create')).stderr).not.toContain('typo')
  })
})

describe('stop', () => {
  test('exits with 3 without a running timer', async () => {
    expect(await createTestCli().run('stop')).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('error: No timer is running.\nRun `tt start TASK` to start one'),
    })
  })

  test('rejects an end before the start', async () => {
    const cli = createTestCli('2024-05-01T09:00:00')
    await cli.run('start', 'Website/Design')
    cli.setTime('2024-05-01T12:00:00')
    expect(await cli.run('stop', '--at', '8:59')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('after 08:59.\nGive a later time.'),
    })
    expect(await cli.run('stop', '--at', '2100-01-01 9:00')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('is in the future'),
    })
    expect(await cli.json('status')).toMatchObject({ running: true })
  })
})

test('status --cached shows the changes of this machine', async () => {
  const cli = createTestCli('2024-05-01T09:00:00')
  expect(await cli.json('status', '--cached')).toBeNull()
  await cli.run('start', 'Acme/Website/Design', '-n', 'first')
  cli.setTime('2024-05-01T09:10:00')
  expect(await cli.json('status', '--cached')).toEqual(await cli.json('status'))
  expect((await cli.runInTerminal(80, 'status', '--cached')).stdout).toContain(
    'Timer  10m  since 09:00  Acme / Website / Design  first\n',
  )
  await cli.run('stop')
  expect(await cli.json('status', '--cached')).toBeNull()
})

test('continue starts the last finished entry again, with its notes', async () => {
  const cli = createTestCli('2024-05-01T09:00:00')
  await cli.run('start', 'Website/Design', '-n', 'page')
  cli.setTime('2024-05-01T10:00:00')
  await cli.run('start', 'Website/Bookkeeping')
  cli.setTime('2024-05-01T11:00:00')
  await cli.run('stop')
  expect(await cli.json('continue')).toMatchObject({ task: 'Bookkeeping', running: true })
  expect(await cli.json('continue', '@2')).toMatchObject({ task: 'Design', notes: 'page', running: true })
  expect(await cli.json('log')).toHaveLength(4)
})

test('cancel and continue exit with 3 in an empty workspace', async () => {
  for (const argv of [['cancel', '--yes'], ['continue']])
    expect((await createTestCli().run(...argv)).status).toBe(3)
})

test('a timer that another client started long ago is found in the local workspace', async () => {
  const cli = createTestCli('2024-05-01T09:00:00')
  await cli.json('add', 'Website/Design', '--from', '8:00', '--for', '1h')
  const entry = ['-f', 'time_start=2024-01-15T09:00:00+01:00', '-f', 'task_link_id:=1']
  await cli.json('api', 'POST', '/timesheets', ...entry)
  expect(await cli.json('status')).toMatchObject({ time_start: '2024-01-15T09:00:00+01:00', running: true })
})

test('a timer that another client started within this second can be stopped', async () => {
  const cli = createTestCli('2024-05-01T09:00:00.700')
  await cli.run('start', 'Website/Design')
  await cli.run('api', 'PATCH', '/timesheets/1', '-f', 'time_start=2024-05-01T09:00:00.400+02:00')
  expect(await cli.json('stop')).toMatchObject({ duration_seconds: 0, running: false })
})

test('stop sets the end and the notes of a timer that was started long ago', async () => {
  const cli = createTestCli('2024-05-01T09:00:00')
  await cli.run('start', 'Website/Design', '-n', 'before')
  cli.setTime('2024-09-01T09:00:00')
  const stopped = await cli.json('stop', '--at', '2024-05-01 17:00', '-n', 'after')
  expect(stopped).toMatchObject({ notes: 'after', duration_seconds: 8 * 3600 })
})

test('tt status writes a timer that has not changed at most once a minute', async () => {
  const cli = createTestCli('2024-05-01T09:30:00')
  await cli.json('start', 'Website/Design')
  const database = await openSqlite(join(cli.home, 'workspace.db'))
  onTestFinished(() => database.close())
  const version = () => database.prepare('PRAGMA data_version').get()
  const before = version()
  cli.setTime('2024-05-01T09:30:59')
  await cli.json('status')
  expect(version()).toEqual(before)
  cli.setTime('2024-05-01T09:31:00')
  await cli.json('status')
  expect(version()).not.toEqual(before)
})
