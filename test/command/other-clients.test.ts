// @module-tag slow

import { describe, expect, test } from 'vitest'
import type { QueuedChangeJson } from '../../src/records/shapes/entries.js'
import {
  design,
  type ForeignServiceSetup,
  preparedForeignService,
  readLog,
  runAt,
  setUpForeignService,
} from '../support/foreign-service-setup.js'
import { dropRequest, dropResponse, jsonResponse, noFault } from '../support/proxy.js'
import type { CommandResult, TestCli } from '../support/test-cli.js'

/** Sets up an account with one entry, design 07:00–07:30 "one", cached by both clients, and expense types. */
async function setUpSharedEntry(): Promise<ForeignServiceSetup & { id: string }> {
  const { prepared, ...setup } = await setUpPreparedEntry()
  setup.cli.setTime('2024-05-08T07:41:00')
  return { ...setup, id: prepared }
}

const setUpPreparedEntry = preparedForeignService(async ({ cli, otherCli }) => {
  await runAt(cli, '07:40:00', 'add', 'design', '--from', '07:00', '--to', '07:30', '-n', 'one')
  await runAt(cli, '07:41:00', 'expenses', 'types')
  for (const words of ['tasks', 'log', 'status']) await runAt(cli, '07:41:00', words)
  const [entry] = await otherCli.json<{ id: number }[]>('log')
  return String(entry?.id)
})

/** Sets up a timer that both clients have cached: design since 08:00. */
async function setUpSharedTimer(): Promise<ForeignServiceSetup> {
  const setup = await setUpPreparedTimer()
  setup.cli.setTime('2024-05-08T08:10:00')
  return setup
}

const setUpPreparedTimer = preparedForeignService(async ({ cli }) => {
  await runAt(cli, '07:59:00', 'tasks')
  await runAt(cli, '08:00:00', 'start', 'design', '-n', 'one')
  await runAt(cli, '08:10:00', 'status')
})

/** Runs a command while the service cannot be reached. */
async function runOffline(
  { cli, proxy }: ForeignServiceSetup,
  time: string,
  ...argv: string[]
): Promise<string> {
  proxy.fault = dropRequest
  const stderr = await runAt(cli, time, ...argv)
  proxy.fault = noFault
  return stderr
}

/** Runs `tt sync`, and expects this number of rejected changes afterwards. */
async function sync({ cli }: ForeignServiceSetup, time: string, count: number): Promise<CommandResult> {
  cli.setTime(`2024-05-08T${time}`)
  const outcome = await cli.run('sync')
  expect(outcome.status, outcome.stderr).toBe(count === 0 ? 0 : 7)
  expect(await listChanges(cli)).toHaveLength(count)
  return outcome
}

/**
 * Sets up the shared entry (`ID`) after a command of the other client and one here without a connection. Expects this number of
 * rejected changes after a sync.
 */
async function syncEntry(theirs: string[], ours: string[], count: number) {
  const setup = await setUpSharedEntry()
  const withId = (words: string[]) => words.map((word) => (word === 'ID' ? setup.id : word))
  await runAt(setup.otherCli, '07:50:00', ...withId(theirs))
  await runOffline(setup, '07:55:00', ...withId(ours))
  await sync(setup, '08:00:00', count)
  return setup
}

/** Does the same with the shared timer. */
async function syncTimer(theirs: string[], ours: string[], count: number) {
  const setup = await setUpSharedTimer()
  await runAt(setup.otherCli, '08:30:00', ...theirs)
  await runOffline(setup, '08:45:00', ...ours)
  await sync(setup, '08:50:00', count)
  return setup
}

const listChanges = (cli: TestCli) => cli.json<QueuedChangeJson[]>('sync', 'list')

async function readOnlyChange(cli: TestCli): Promise<QueuedChangeJson> {
  const [change, ...more] = await listChanges(cli)
  if (!change || more.length > 0) throw new Error(`${more.length + (change ? 1 : 0)} changes are listed.`)
  return change
}

test('tt status does not restore a timer that is stopped while its response is on the way', async () => {
  const { cli, proxy, entries } = await setUpSharedTimer()
  proxy.fault = async (_request, forward) => {
    proxy.fault = noFault
    const response = await forward()
    await runAt(cli, '08:30:00', 'stop')
    return response
  }
  expect(await cli.run('status', '--json')).toMatchObject({ stdout: 'null\n', stderr: '' })
  expect(await cli.run('status', '--cached', '--json')).toMatchObject({ stdout: 'null\n' })
  expect((await entries())[0]).toEqual(design('one', '08:00', '08:30'))
})

describe('a timer that was stopped elsewhere', () => {
  test.each(['status', 'start', 'stop'])('is reported by tt %s', async (word) => {
    const setup = await setUpSharedTimer()
    await runAt(setup.otherCli, '08:30:00', 'stop')
    setup.cli.setTime('2024-05-08T08:45:00')
    const outcome = await setup.cli.run(word, ...(word === 'start' ? ['review'] : []))
    expect(outcome.stderr).toContain('Website / Design, which ran here, was stopped elsewhere (08:00–08:30).')
    expect(outcome.status).toBe(word === 'stop' ? 3 : 0)
    expect((await setup.entries())[0]).toEqual(design('one', '08:00', '08:30'))
    expect(await listChanges(setup.cli)).toEqual([])
    // It is reported only once.
    expect((await setup.cli.run('status')).stderr).not.toContain('elsewhere')
  })

  test('keeps its end when it is also stopped offline, and both ends are printed', async () => {
    const setup = await setUpSharedTimer()
    await runAt(setup.otherCli, '08:30:00', 'stop')
    expect(await runOffline(setup, '08:45:00', 'stop')).toMatch(/Saved locally/)
    const { stdout, stderr } = await sync(setup, '08:50:00', 1)
    const change = await readOnlyChange(setup.cli)
    expect(change).toMatchObject({ state: 'conflict', op: 'update', kind: 'entry' })
    expect(change.message).toBe(
      'Changed elsewhere: the end is 2024-05-08 08:30 at the service, was open before, and is 2024-05-08 08:45 ' +
        'here. The value at the service was not overwritten.',
    )
    expect(stdout + stderr).toContain(`\`tt sync retry ${change.id}\``)
    expect(stdout + stderr).toContain(`\`tt sync discard ${change.id}\``)
    expect(await setup.entries()).toEqual([design('one', '08:00', '08:30')])
    expect(await readLog(setup.cli)).toEqual([design('one', '08:00', '08:30')])
  })

  test('gets the local end with tt sync retry, or keeps its own with discard', async () => {
    for (const word of ['retry', 'discard']) {
      const setup = await syncTimer(['stop'], ['stop'], 1)
      const { id } = await readOnlyChange(setup.cli)
      await runAt(setup.cli, '08:51:00', 'sync', word, String(id), '--yes')
      expect(await setup.entries()).toEqual([design('one', '08:00', word === 'retry' ? '08:45' : '08:30')])
      await sync(setup, '08:52:00', 0)
    }
  })

  test('is stopped once when both clients stop it in the same minute', async () => {
    const setup = await setUpSharedTimer()
    await runAt(setup.otherCli, '08:45:00', 'stop')
    await runOffline(setup, '08:45:20', 'stop')
    await sync(setup, '08:50:00', 0)
    expect(await setup.entries()).toEqual([design('one', '08:00', '08:45')])
  })

  test('is not ended again by an offline start when only its notes were in conflict', async () => {
    const setup = await setUpSharedTimer()
    const { cli, otherCli, proxy } = setup
    await runAt(otherCli, '08:20:00', 'edit', '@', '-n', 'elsewhere')
    await runOffline(setup, '08:30:00', 'stop', '-n', 'here')
    cli.setTime('2024-05-08T08:40:00')
    expect(await cli.run('sync')).toMatchObject({ status: 7 })
    proxy.fault = dropRequest
    await runAt(cli, '08:50:00', 'start', 'design', '-n', 'two')
    proxy.fault = noFault
    expect(await cli.json('sync', 'list')).toMatchObject([{ state: 'conflict' }, { op: 'create' }])
    expect((await readLog(otherCli))[0]).toMatchObject({ to: '08:30' })
  })

  test('is not stopped again by an offline start', async () => {
    const setup = await syncTimer(['stop'], ['start', 'review'], 1)
    expect(await setup.entries()).toEqual([
      design('one', '08:00', '08:30'),
      { task: 'Review', notes: '', from: '08:45', to: '' },
    ])
  })
})

describe('a timer that was deleted elsewhere', () => {
  test('is reported, and its time is stored when it is stopped offline', async () => {
    const setup = await syncTimer(['cancel', '--yes'], ['stop'], 1)
    const { id, message } = await readOnlyChange(setup.cli)
    expect(message).toMatch(/^Deleted elsewhere\. Changed here: the end 2024-05-08 08:45\./)
    await runAt(setup.cli, '08:51:00', 'sync', 'retry', String(id))
    expect(await setup.entries()).toEqual([design('one', '08:00', '08:45')])
  })

  test('is reported by tt status', async () => {
    const setup = await setUpSharedTimer()
    await runAt(setup.otherCli, '08:30:00', 'cancel', '--yes')
    const words = await runAt(setup.cli, '08:45:00', 'status')
    expect(words).toContain('Website / Design, which ran here, was deleted elsewhere.')
  })
})

describe('a timer that was started elsewhere', () => {
  test('is shown, stopped by a start, and stopped by tt stop', async () => {
    const setup = await setUpForeignService()
    await runAt(setup.otherCli, '08:00:00', 'start', 'design', '-n', 'one')
    expect(await setup.cli.json('status')).toMatchObject({ task: 'Design', running: true })
    expect(await runAt(setup.cli, '08:20:00', 'start', 'review')).toContain('Stopped Website / Design: 20m')
    await runAt(setup.otherCli, '08:30:00', 'status')
    expect(await runAt(setup.cli, '08:40:00', 'stop')).toContain('Stopped Acme / App / Review: 20m')
    expect(await setup.entries()).toMatchObject([
      design('one', '08:00', '08:20'),
      { task: 'Review', from: '08:20', to: '08:40' },
    ])
  })

  test('overlaps a timer that was started offline, and both are reported', async () => {
    const setup = await setUpForeignService()
    await runAt(setup.cli, '07:59:00', 'tasks')
    await runAt(setup.cli, '07:59:00', 'status')
    await runAt(setup.otherCli, '08:00:00', 'start', 'design', '-n', 'one')
    await runOffline(setup, '08:05:00', 'start', 'review')
    await sync(setup, '08:10:00', 0)
    const words = await runAt(setup.cli, '08:20:00', 'stop')
    expect(words).toContain('Stopped Acme / App / Review: 15m (08:05–08:20).')
    expect(words).toContain('Website / Design is still running since 08:00. Run `tt stop` to stop it.')
    await runAt(setup.cli, '08:25:00', 'stop')
    expect(await setup.entries()).toMatchObject([
      design('one', '08:00', '08:25'),
      { task: 'Review', from: '08:05', to: '08:20' },
    ])
  })
})

describe('an entry edited elsewhere with a pending edit', () => {
  test('gets both edits when they change different fields', async () => {
    const setup = await syncEntry(['edit', 'ID', '-n', 'there'], ['edit', 'ID', '--to', '07:45'], 0)
    expect(await setup.entries()).toEqual([design('there', '07:00', '07:45')])
    expect(await readLog(setup.cli)).toEqual([design('there', '07:00', '07:45')])
  })

  test('keeps its value of a field that both edits change, and gets the other fields', async () => {
    const setup = await syncEntry(
      ['edit', 'ID', '-n', 'there'],
      ['edit', 'ID', '-n', 'here', '--to', '07:45'],
      1,
    )
    const { id, message, record } = await readOnlyChange(setup.cli)
    expect(record).toBe(setup.id)
    expect(message).toBe(
      'Changed elsewhere: the notes are "there" at the service, were "one" before, and are "here" here. ' +
        'The value at the service was not overwritten.',
    )
    expect(await setup.entries()).toEqual([design('there', '07:00', '07:45')])
    await runAt(setup.cli, '08:01:00', 'sync', 'retry', String(id))
    expect(await setup.entries()).toEqual([design('here', '07:00', '07:45')])
    expect(await listChanges(setup.cli)).toEqual([])
  })

  test('is reported and not overwritten by a retry after another edit elsewhere', async () => {
    const setup = await syncEntry(['edit', 'ID', '-n', 'there'], ['edit', 'ID', '-n', 'here'], 1)
    await runAt(setup.otherCli, '08:05:00', 'edit', setup.id, '-n', 'there again')
    await runAt(setup.cli, '08:06:00', 'log')
    const { id } = await readOnlyChange(setup.cli)
    expect(await setup.cli.run('sync', 'retry', String(id))).toMatchObject({ status: 7 })
    expect((await readOnlyChange(setup.cli)).message).toContain(
      'the notes are "there again" at the service, were "there" before, and are "here"',
    )
    expect(await setup.entries()).toEqual([design('there again', '07:00', '07:30')])
    await runAt(setup.cli, '08:07:00', 'sync', 'retry', String(id))
    expect(await setup.entries()).toEqual([design('here', '07:00', '07:30')])
  })

  test('gets the value of another local edit of the field', async () => {
    const setup = await syncEntry(['edit', 'ID', '-n', 'there'], ['edit', 'ID', '-n', 'here'], 1)
    await runAt(setup.cli, '08:01:00', 'edit', setup.id, '-n', 'decided')
    expect(await setup.entries()).toEqual([design('decided', '07:00', '07:30')])
    expect(await listChanges(setup.cli)).toEqual([])
  })
})

describe('an entry deleted elsewhere with pending edits', () => {
  test('is reported, stored, and created again once by a retry', async () => {
    const setup = await syncEntry(['rm', 'ID', '--yes'], ['edit', 'ID', '-n', 'here', '--to', '07:45'], 1)
    const { id, message } = await readOnlyChange(setup.cli)
    expect(message).toBe(
      'Deleted elsewhere. Changed here: the end 2024-05-08 07:45, the notes "here". ' +
        'A retry creates the record again.',
    )
    expect(await setup.entries()).toEqual([])
    await runAt(setup.cli, '08:01:00', 'sync', 'retry', String(id))
    expect(await setup.entries()).toEqual([design('here', '07:00', '07:45')])
    expect(await listChanges(setup.cli)).toEqual([])
    // The old ID still refers to the entry.
    expect(await setup.cli.json('show', setup.id)).toMatchObject({ notes: 'here' })
  })

  test.each([
    ['by number', (changes: QueuedChangeJson[]) => changes.map(({ id }) => String(id))],
    ['one after the other', undefined],
    ['by the ID of the entry', (changes: QueuedChangeJson[]) => [String(changes[0]?.record)]],
  ])('is created again once, with both edits, when they are retried %s', async (_, idsOf) => {
    const setup = await setUpSharedEntry()
    const { cli, proxy, id } = setup
    proxy.fault = dropResponse
    await runAt(cli, '07:50:00', 'edit', id, '-n', 'here')
    await runOffline(setup, '07:51:00', 'edit', id, '--to', '07:45')
    await runAt(setup.otherCli, '07:52:00', 'rm', id, '--yes')
    proxy.fault = noFault
    await sync(setup, '08:00:00', 2)
    const changes = await listChanges(cli)
    const rounds = idsOf ? [idsOf(changes)] : changes.map((change) => [String(change.id)])
    // Changes that the first retry includes are no longer listed.
    for (const ids of rounds) await cli.run('sync', 'retry', ...ids)
    expect(await setup.entries()).toEqual([design('here', '07:00', '07:45')])
    expect(await listChanges(cli)).toEqual([])
  })

  test('causes no conflict when it is deleted here as well', async () => {
    const setup = await syncEntry(['rm', 'ID', '--yes'], ['rm', 'ID', '--yes'], 0)
    expect(await setup.entries()).toEqual([])
  })
})

test('an entry edited elsewhere is not deleted by a deletion from before the edit was known', async () => {
  const setup = await setUpSharedEntry()
  await runAt(setup.otherCli, '07:50:00', 'edit', setup.id, '-n', 'there')
  await runOffline(setup, '07:55:00', 'rm', setup.id, '--yes')
  await sync(setup, '08:00:00', 1)
  const { id, message } = await readOnlyChange(setup.cli)
  expect(message).toBe(
    'Changed elsewhere before it was deleted: the notes are "there" at the service and were "one" before. It was not deleted.',
  )
  expect(await setup.entries()).toEqual([design('there', '07:00', '07:30')])
  expect(await readLog(setup.cli)).toEqual([design('there', '07:00', '07:30')])
  await runAt(setup.cli, '08:01:00', 'sync', 'retry', String(id))
  expect(await setup.entries()).toEqual([])
  await sync(setup, '08:02:00', 0)
})

test('a retried deletion includes the later changes of its entry', async () => {
  const setup = await syncEntry(['edit', 'ID', '-n', 'there'], ['rm', 'ID', '--yes'], 1)
  const { id } = await readOnlyChange(setup.cli)
  await runOffline(setup, '08:01:00', 'edit', setup.id, '--from', '07:10')
  await runAt(setup.cli, '08:02:00', 'sync', 'retry', String(id))
  expect(await listChanges(setup.cli)).toEqual([])
  expect(await setup.entries()).toEqual([])
})

test('a retried deletion deletes an entry that was edited here after its rejection', async () => {
  const setup = await setUpSharedEntry()
  const { cli, proxy, id } = setup
  proxy.fault = ({ method }, forward) => (method === 'DELETE' ? jsonResponse(405, { errors: [] }) : forward())
  await runAt(cli, '07:50:00', 'rm', id, '--yes').catch(() => {})
  proxy.fault = noFault
  const change = await readOnlyChange(cli)
  expect(change).toMatchObject({ state: 'refused' })
  await runAt(cli, '07:55:00', 'edit', id, '--from', '07:10')
  await runAt(cli, '08:00:00', 'sync', 'retry', String(change.id))
  expect(await listChanges(cli)).toEqual([])
  expect(await setup.entries()).toEqual([])
})

test('a lost edit of seconds is sent again', async () => {
  const setup = await setUpSharedEntry()
  const { cli, proxy } = setup
  proxy.fault = ({ method }, forward) => (method === 'PATCH' ? undefined : forward())
  await runAt(cli, '07:50:00', 'edit', setup.id, '--to', '07:30:40')
  proxy.fault = noFault
  await sync(setup, '08:00:00', 0)
  expect(await setup.otherCli.json('show', setup.id)).toMatchObject({
    time_end: '2024-05-08T07:30:40+02:00',
  })
})

test('an expense edited elsewhere keeps its value, and gets the other local fields', async () => {
  const setup = await setUpSharedEntry()
  await runAt(setup.cli, '07:42:00', 'expenses', 'add', '12.50', '--type', 'Travel', '-n', 'taxi')
  const [expense] = await setup.cli.json<{ id: number }[]>('expenses')
  const edit = ['expenses', 'edit', String(expense?.id), '--amount']
  await runAt(setup.otherCli, '07:50:00', ...edit, '13')
  await runOffline(setup, '07:55:00', ...edit, '14.00', '-n', 'bus')
  await sync(setup, '08:00:00', 1)
  const change = await readOnlyChange(setup.cli)
  expect(change.message).toMatch(
    /the amount is 13(\.00)? at the service, was 12\.50 before, and is 14\.00 here/,
  )
  expect(await setup.expenses()).toMatchObject([{ notes: 'bus', amount: expect.stringMatching(/^13/) }])
  await runAt(setup.cli, '08:01:00', 'sync', 'retry', String(change.id))
  expect(await setup.expenses()).toMatchObject([{ notes: 'bus', amount: expect.stringMatching(/^14/) }])
})

test('an undo of what another client edits names the field, also if that happens while it reads', async () => {
  const { cli, otherCli, proxy, id, entries } = await setUpSharedEntry()
  await runAt(cli, '07:45:00', 'edit', id, '-n', 'two')
  let reads = 0
  proxy.fault = async ({ method, path }, forward) => {
    if (method === 'GET' && path.endsWith(`/timesheets/${id}`) && ++reads === 2)
      await runAt(otherCli, '07:46:00', 'edit', id, '-n', 'theirs')
    return forward()
  }
  cli.setTime('2024-05-08T07:46:00')
  const outcome = await cli.run('undo')
  expect(outcome.stderr).toContain('was changed elsewhere since (notes). Confirmation required')
  expect(await entries()).toMatchObject([{ notes: 'theirs' }])
  proxy.fault = noFault
  expect(await cli.run('undo', '--yes')).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('was changed elsewhere since (notes).'),
  })
  expect(await entries()).toMatchObject([{ notes: 'one' }])
})
