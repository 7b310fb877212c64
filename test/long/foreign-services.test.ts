import { describe, expect, test } from 'vitest'
import type { ServiceVariant } from '../support/foreign-service.js'
import {
  design,
  type ForeignServiceSetup,
  readLog,
  runAt,
  setUpForeignService,
} from '../support/foreign-service-setup.js'
import { dropRequest, dropResponse, noFault } from '../support/proxy.js'
import { share } from '../support/share.js'
import type { TestCli } from '../support/test-cli.js'

const namesEnd = '{"errors":{"time_end":["can\'t be blank"]}}'
const inBerlin = (instant: string) =>
  `${new Date(Date.parse(instant) + 7_200_000).toISOString().slice(0, 19)}+02:00`

interface Story {
  title: string
  run(setup: ForeignServiceSetup): Promise<void>
}

/** Expects no pending or rejected changes after `tt sync`, and the same entries on both sides; returns them. */
async function syncCompletely({ cli, entries }: ForeignServiceSetup, time: string) {
  const stderr = await runAt(cli, time, 'sync')
  expect(stderr).not.toMatch(/still pending|rejected|in conflict/)
  expect(await cli.json('sync', 'list')).toEqual([])
  const log = await readLog(cli)
  expect(await entries()).toEqual(log)
  return log
}

/** Runs a command and expects that nothing is saved locally; returns stderr. */
async function runOnline(cli: TestCli, time: string, ...argv: string[]): Promise<string> {
  const stderr = await runAt(cli, time, ...argv)
  expect(stderr, argv.join(' ')).not.toMatch(/Saved locally/)
  return stderr
}

const review = (notes: string, from: string, to: string) => ({ task: 'Review', notes, from, to })

const timer: Story = {
  title: 'the timer and its undo show the same entries on both sides',
  async run(setup) {
    const { cli } = setup
    await runOnline(cli, '08:00:10', 'start', 'design', '-n', 'one')
    expect(await cli.json('status')).toMatchObject({ task: 'Design', notes: 'one', running: true })
    await runOnline(cli, '08:30:20', 'edit', '@', '-n', 'two')
    expect(await runOnline(cli, '08:40:25', 'stop')).toMatch(/40m \(08:00–08:40\)/)
    expect(await readLog(cli)).toEqual([design('two', '08:00', '08:40')])
    expect(await cli.json('status')).toBeNull()

    expect(await runOnline(cli, '08:41:05', 'undo')).toMatch(/Undid: Stopped Website \/ Design/)
    expect(await cli.json('status')).toMatchObject({ task: 'Design', notes: 'two', running: true })
    await runOnline(cli, '08:50:15', 'start', 'review', '-n', 'three')
    expect(await readLog(cli)).toEqual([design('two', '08:00', '08:50'), review('three', '08:50', '')])

    await runOnline(cli, '08:55:00', 'cancel', '--yes')
    expect(await cli.json('status')).toBeNull()
    await runOnline(cli, '08:56:00', 'undo')
    expect(await cli.json('status')).toMatchObject({ task: 'Review', notes: 'three', running: true })
    await runOnline(cli, '09:10:05', 'stop', '-n', 'four')
    await runOnline(cli, '09:20:15', 'continue', '@2')
    await runOnline(cli, '09:30:25', 'stop')
    const log = [
      design('two', '08:00', '08:50'),
      review('four', '08:50', '09:10'),
      design('two', '09:20', '09:30'),
    ]
    expect(await readLog(cli)).toEqual(log)
    expect(await syncCompletely(setup, '09:31:00')).toEqual(log)
    await runOnline(cli, '09:32:00', 'undo', '2', '--yes')
    expect(await syncCompletely(setup, '09:33:00')).toEqual(log.slice(0, 2))
  },
}

const records: Story = {
  title: 'entries and expenses are added, changed, deleted and restored',
  async run(setup) {
    const { cli } = setup
    await runOnline(cli, '10:00:00', 'add', 'design', '--from', '08:00', '--to', '09:00', '-n', 'one')
    await runOnline(cli, '10:01:00', 'add', 'review', '--from', '09:00', '--to', '10:00', '-n', 'two')
    await runOnline(cli, '10:02:00', 'edit', '@1', '--to', '09:45', '-n', 'three')
    await runOnline(cli, '10:03:00', 'rm', '@2', '--yes')
    expect(await syncCompletely(setup, '10:04:00')).toEqual([review('three', '09:00', '09:45')])
    await runOnline(cli, '10:05:00', 'undo')
    expect(await syncCompletely(setup, '10:06:00')).toEqual([
      design('one', '08:00', '09:00'),
      review('three', '09:00', '09:45'),
    ])
    await runOnline(cli, '10:07:00', 'undo')
    expect(await syncCompletely(setup, '10:08:00')).toEqual([
      design('one', '08:00', '09:00'),
      review('two', '09:00', '10:00'),
    ])

    await runOnline(cli, '10:09:00', 'expenses', 'types')
    const argv = ['expenses', 'add', '12.50', '--type', 'Travel', '-n', 'taxi']
    expect(await runOnline(cli, '10:10:00', ...argv)).toMatch(
      /Added expense \S+: 12\.50? \S+, Travel, 2024-05-08/,
    )
    const [taxi] = await cli.json<{ id: string | number; amount: string }[]>('expenses', 'list')
    expect(Number(taxi?.amount)).toBe(12.5)
    const edit = ['expenses', 'edit', String(taxi?.id), '--amount', '13.00']
    expect(await runOnline(cli, '10:11:00', ...edit)).toMatch(/Changed expense \S+: 13(\.00)? \S+, Travel/)
    await runOnline(cli, '10:12:00', 'expenses', 'rm', String(taxi?.id), '--yes')
    expect(await setup.expenses()).toEqual([])
    await runOnline(cli, '10:13:00', 'undo', '2', '--yes')
    await syncCompletely(setup, '10:14:00')
    const expenses = await setup.expenses()
    expect(expenses).toMatchObject([{ notes: 'taxi', spent_on: '2024-05-08' }])
    expect(Number(expenses[0]?.amount)).toBe(12.5)
  },
}

const offline: Story = {
  title: 'changes made offline are delivered as they were made, and can be undone',
  async run(setup) {
    const { cli, proxy } = setup
    for (const words of ['tasks', 'log', 'status']) await runAt(cli, '07:59:00', words)
    await runAt(cli, '08:00:00', 'add', 'design', '--from', '07:00', '--to', '07:30', '-n', 'before')
    proxy.fault = dropRequest
    await runAt(cli, '08:00:10', 'start', 'design', '-n', 'one')
    await runAt(cli, '08:30:15', 'stop')
    await runAt(cli, '08:35:05', 'start', 'review', '-n', 'two')
    await runAt(cli, '08:50:10', 'continue', '@1')
    await runAt(cli, '08:55:00', 'edit', '@', '-n', 'three')
    await runAt(cli, '09:00:00', 'edit', '@2', '--from', '08:01')
    await runAt(cli, '09:05:20', 'stop')
    await runAt(cli, '09:06:00', 'add', 'review', '--from', '09:05', '--for', '5m', '-n', 'gone')
    await runAt(cli, '09:12:00', 'rm', '@1', '--yes')
    await runAt(cli, '09:13:00', 'edit', '@4', '-n', 'earlier')
    await runAt(cli, '09:14:00', 'start', 'review', '-n', 'still')
    const log = [
      design('earlier', '07:00', '07:30'),
      design('one', '08:01', '08:30'),
      review('two', '08:35', '08:50'),
      design('three', '08:50', '09:05'),
      review('still', '09:14', ''),
    ]
    expect(await readLog(cli)).toEqual(log)
    proxy.fault = noFault
    await runAt(cli, '09:20:00', 'sync')
    expect(await cli.json('status')).toMatchObject({ task: 'Review', notes: 'still', running: true })
    await runAt(cli, '09:30:00', 'stop')
    expect(await syncCompletely(setup, '09:31:00')).toEqual([
      ...log.slice(0, -1),
      review('still', '09:14', '09:30'),
    ])
    await runAt(cli, '09:32:00', 'undo', '3', '--yes')
    expect(await syncCompletely(setup, '09:33:00')).toEqual([
      design('before', '07:00', '07:30'),
      ...log.slice(1, -1),
    ])
  },
}

const resumption: Story = {
  title: 'a timer that was stopped offline is resumed online',
  async run(setup) {
    const { cli, proxy } = setup
    await runAt(cli, '07:59:00', 'tasks')
    proxy.fault = dropRequest
    await runAt(cli, '08:00:10', 'start', 'design', '-n', 'one')
    await runAt(cli, '08:30:15', 'stop')
    proxy.fault = noFault
    // The start is sent again with the stop, one minute later.
    expect(await syncCompletely(setup, '08:31:20')).toEqual([design('one', '08:00', '08:30')])
    await runAt(cli, '08:32:00', 'undo')
    expect(await cli.json('status')).toMatchObject({ notes: 'one', running: true })
    await runAt(cli, '08:45:00', 'stop')
    expect(await syncCompletely(setup, '08:46:00')).toEqual([design('one', '08:00', '08:45')])
  },
}

const lostResponses: Story = {
  title: 'lost responses cause no duplicates and no conflicts',
  async run(setup) {
    const { cli, proxy } = setup
    await runAt(cli, '07:59:00', 'expenses', 'types')
    for (const words of ['tasks', 'log', 'status']) await runAt(cli, '07:59:00', words)
    const losing = async (time: string, ...argv: string[]) => {
      proxy.fault = dropResponse
      const words = await runAt(cli, time, ...argv)
      proxy.fault = noFault
      return words
    }
    await losing('08:00:10', 'start', 'design', '-n', 'one')
    await runAt(cli, '08:10:00', 'status')
    await losing('08:20:20', 'edit', '@', '-n', 'two')
    await losing('08:30:15', 'stop')
    await losing('08:35:00', 'add', 'review', '--from', '08:30:10', '--to', '08:34:15', '-n', 'three')
    await losing('08:35:00', 'add', 'review', '--from', '08:30:10', '--to', '08:34:15', '-n', 'three')
    await losing('08:40:00', 'edit', '@1', '--to', '08:33:20')
    await losing('08:45:00', 'expenses', 'add', '12.50', '--type', 'Travel', '-n', 'taxi')
    const log = [
      design('two', '08:00', '08:30'),
      review('three', '08:30', '08:33'),
      review('three', '08:30', '08:34'),
    ]
    const byEnd = (entries: typeof log) => [...entries].sort((a, b) => (a.to < b.to ? -1 : 1))
    expect(byEnd(await syncCompletely(setup, '08:50:00'))).toEqual(log)
    expect(await setup.expenses()).toMatchObject([{ notes: 'taxi' }])
    await losing('09:00:00', 'rm', '@1', '--yes')
    await losing('09:05:00', 'undo')
    expect(byEnd(await syncCompletely(setup, '09:10:00'))).toEqual(log)
  },
}

const stories = [timer, records, offline, resumption, lostResponses]

/** The services, with the stories in which their differences matter; the last service has most differences in every story. */
const variants = share<[does: string, ServiceVariant, Story[]]>('foreign services', [
  ['is like this one', {}, stories],
  [
    'refuses entries without an end and names it',
    { openEntryResponse: { status: 422, body: namesEnd } },
    [timer, offline, resumption, lostResponses],
  ],
  [
    'refuses entries without an end with 400 and nothing',
    { openEntryResponse: { status: 400, body: '' } },
    [timer, offline],
  ],
  ['rounds seconds down', { wholeMinutes: 'down' }, [timer, lostResponses]],
  ['rounds to the nearest minute', { wholeMinutes: 'nearest' }, [timer, offline, resumption, lostResponses]],
  [
    'writes times like Rails, in its own zone',
    {
      formatTime: (instant) =>
        inBerlin(instant)
          .replace('T', ' ')
          .replace(/\+02:00$/, ' +0200'),
    },
    [timer, lostResponses],
  ],
  [
    'writes times as seconds since 1970',
    { formatTime: (instant) => Date.parse(instant) / 1000 },
    [timer, lostResponses],
  ],
  ['writes times without a zone', { formatTime: (instant) => instant.slice(0, 19) }, [timer, lostResponses]],
  ['has ids that are text', { hasTextIds: true }, [timer, records, offline]],
  ['answers lists of one', { recordShape: 'list' }, [timer, records]],
  ['answers records under their name', { recordShape: 'named' }, [timer, records, offline]],
  [
    'responds to reads with records and to changes with an empty body',
    { recordShape: 'object', updateResponse: 'an empty body' },
    [timer, records],
  ],
  [
    'answers with the id alone',
    { returnsIdOnCreate: true, updateResponse: 'the id' },
    [timer, records, offline, lostResponses],
  ],
  ['knows no Idempotency-Key', { ignores: ['keys'] }, [offline, resumption, lostResponses]],
  [
    'holds to an Idempotency-Key, refused or not',
    { openEntryResponse: { status: 422, body: namesEnd }, hasStrictKeys: true },
    [timer, offline, resumption, lostResponses],
  ],
  ['ignores null in filters', { ignores: ['null', 'keys'] }, [timer, lostResponses]],
  ['ignores filters altogether', { ignores: ['q', 'keys'] }, [timer, records, lostResponses]],
  ['answers a deletion with text', { deleteResponse: { type: 'text/plain', body: 'OK' } }, [timer, records]],
  [
    'does all that at once',
    {
      openEntryResponse: { status: 422, body: '' },
      wholeMinutes: 'down',
      formatTime: (instant) => inBerlin(instant).replace('T', ' '),
      hasTextIds: true,
      recordShape: 'list',
      updateResponse: 'nothing',
      returnsIdOnCreate: true,
      ignores: ['q', 'keys'],
      trimsAmounts: true,
      returnsEmptyListForMissing: true,
      deleteResponse: { type: 'text/html', body: '<html></html>' },
    },
    stories,
  ],
])

describe.each(variants)('with a service that %s', (_, variant, relevantStories) => {
  for (const { title, run } of relevantStories)
    test(title, async () => run(await setUpForeignService(variant)))
})

test('a timer whose start is rounded up can be changed or stopped at once', async () => {
  const setup = await setUpForeignService({ wholeMinutes: 'nearest' })
  const { cli } = setup
  await runAt(cli, '08:00:40', 'start', 'design', '-n', 'one')
  expect(await cli.json('status')).toMatchObject({
    time_start: '2024-05-08T08:01:00+02:00',
    duration_seconds: 0,
  })
  await runAt(cli, '08:00:45', 'edit', '@', '-n', 'two')
  await runAt(cli, '08:00:50', 'start', 'review', '-n', 'three')
  await runAt(cli, '08:00:55', 'stop')
  expect(await syncCompletely(setup, '08:02:00')).toEqual([
    design('two', '08:01', '08:01'),
    review('three', '08:01', '08:01'),
  ])
})

test('an edit by seconds succeeds at a service that stores whole minutes', async () => {
  const setup = await setUpForeignService({ wholeMinutes: 'down' })
  const { cli } = setup
  await runAt(cli, '08:30:00', 'add', 'design', '08:00-08:30', '-n', 'one')
  const [entry] = await cli.json<{ id: number }[]>('log')
  await runAt(cli, '08:31:00', 'edit', String(entry?.id), '--to', '08:30:40')
  expect(await syncCompletely(setup, '08:40:00')).toEqual([design('one', '08:00', '08:30')])
})
