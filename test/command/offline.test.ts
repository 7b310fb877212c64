// @module-tag slow

import { describe, expect, test } from 'vitest'
import { sql } from '../../src/service/storage/sql.js'
import type { Fault } from '../support/proxy.js'
import { dropRequest, dropResponse, noFault, respondToAll, respondToChanges } from '../support/proxy.js'
import { SharedResults } from '../support/shared-results.js'
import { shortenTimers } from '../support/short-timers.js'
import { type Row, type ServiceSetup, setUpService } from './service-fixtures.js'

const savedLocally = 'Saved locally: '

/** Reasons why changes do not reach the service. */
const failures: Record<string, Fault> = {
  'a lost connection': dropRequest,
  'a lost response': dropResponse,
  'a rate limit (429)': respondToAll(429, '', { 'retry-after': '120' }),
  'a web page for every request': respondToAll(200, '<html><title>Hotel Wi-Fi</title></html>'),
  'an empty response': respondToChanges(200, ''),
}

/** Every command that changes records, in an order in which each succeeds. */
const day: [at: string, argv: string[], name?: string][] = [
  ['12:00', ['start', 'design', '--at', '9:00', '-n', 'first'], '~first'],
  ['12:01', ['start', 'review', '--at', '9:30']],
  ['12:02', ['stop', '--at', '10:00', '-n', 'done']],
  ['12:03', ['add', 'design', '--from', '10:00', '--for', '30m', '-n', 'added'], '~third'],
  ['12:04', ['edit', '~third', '--for', '45m', '--task', 'review']],
  ['12:05', ['continue', '~first', '--at', '11:00']],
  ['12:06', ['edit', '@', '-n', 'again']],
  ['12:07', ['stop', '--at', '11:30']],
  ['12:08', ['start', 'design', '--at', '11:40']],
  ['12:09', ['cancel', '--yes']],
  ['12:10', ['add', 'design', '--from', '8:00', '--for', '10m'], '~sixth'],
  ['12:11', ['rm', '~sixth', '--yes']],
  ['12:12', ['expenses', 'add', '12.50', '--type', 'Travel', '-n', 'train'], '~ticket'],
  ['12:13', ['expenses', 'edit', '~ticket', '--amount', '13']],
  ['12:14', ['expenses', 'add', '3', '--on', 'yesterday'], '~coffee'],
  ['12:15', ['expenses', 'rm', '~coffee', '--yes']],
  ['12:16', ['start', 'review', '--at', '12:16']],
]

/** Runs the commands of the day; names such as `~first` stand for the IDs of created records. */
async function runDay({ cli }: ServiceSetup, check: (argv: string[], stderr: string) => void = () => {}) {
  const names = new Map<string, string>()
  for (const [at, argv, name] of day) {
    cli.setTime(`2024-05-08T${at}:00Z`)
    const line = argv
      .map((word) => names.get(word) ?? word)
      .map((word) => word.replace(/^(\d+:\d\d)$/, '2024-05-08T$1:00Z'))
    const outcome = await cli.run(...line, '--json')
    expect({ line, status: outcome.status, stderr: outcome.status === 0 ? '' : outcome.stderr }).toEqual({
      line,
      status: 0,
      stderr: '',
    })
    const value = outcome.json() as Row
    if (name !== undefined) names.set(name, String(value.id))
    check(line, outcome.stderr)
  }
}

/** Returns the rows without the fields that the service sets. */
function withoutServiceFields(rows: readonly Row[]) {
  return rows.map(({ id, created_at, updated_at, etag, ...rest }) => rest)
}

/** The rows after the day online, which are the same for every fault. */
const onlineRows = new SharedResults<Awaited<ReturnType<typeof runDayOnline>>>()

async function runDayOnline() {
  const online = await setUpService()
  await runDay(online)
  return {
    entries: withoutServiceFields(await online.entries()),
    expenses: withoutServiceFields(await online.expenses()),
  }
}

describe('a day with every command', () => {
  test.each(Object.entries(failures))(
    'reaches the service with one sync after %s, and equals the same day online',
    async (_, fault) => {
      const online = await onlineRows.get('day', runDayOnline)
      const offline = await setUpService()
      offline.proxy.fault = fault
      await runDay(offline, (line, stderr) => {
        const count = stderr.split(savedLocally).length - 1
        // A deletion of a record that was not sent leaves nothing to send.
        expect(line.includes('--yes') ? [0, 1] : [1], line.join(' ')).toContain(count)
      })
      const before = await offline.cli.json<Row>('status', '--cached')
      expect(before).toMatchObject({ running: true, task: 'Review' })
      offline.proxy.fault = noFault
      offline.cli.setTime('2024-05-08T12:30:00Z')
      const synced = await offline.cli.run('sync', '--json')
      expect(synced).toMatchObject({ status: 0, stdout: '[]\n' })
      expect(withoutServiceFields(await offline.entries())).toEqual(online.entries)
      expect(withoutServiceFields(await offline.expenses())).toEqual(online.expenses)
      expect(await offline.cli.json('status', '--cached')).toMatchObject({
        running: true,
        pending: false,
        id: expect.any(Number),
      })
      offline.clearRequests()
      await offline.cli.run('log')
      expect(offline.takeChanges()).toEqual([])
    },
  )
})

const change = ['add', 'design', '--from', '9:00', '--for', '1h']

describe('each change', () => {
  const lines: [name: string, line: string, earlier?: string][] = [
    ['start', 'start design'],
    ['stop', 'stop', 'start design'],
    ['rm', 'rm ID --yes', change.join(' ')],
    ['expenses edit', 'expenses edit ID --amount 6', 'expenses add 5'],
  ]

  /** Runs the earlier command online; `ID` in the line is the ID of its record. */
  async function setUpChange(line: string, earlier?: string) {
    const setup = await setUpService()
    const { id } = earlier === undefined ? {} : await setup.cli.json<Row>(...earlier.split(' '))
    return { ...setup, argv: line.replace('ID', String(id)).split(' ') }
  }

  test.each(lines)(
    'tt %s exits 0 offline with one message and a pending change that tt sync sends',
    async (_, line, earlier) => {
      const { cli, proxy, argv, clearRequests, takeChanges } = await setUpChange(line, earlier)
      clearRequests()
      await proxy.close()
      const outcome = await cli.run(...argv, '--json')
      expect(outcome).toMatchObject({ status: 0 })
      expect(outcome.stderr).toMatch(
        /Saved locally: the service at .* cannot be reached \(connection refused\)\. Run `tt sync` to send it\.\n$/,
      )
      expect(outcome.stderr.split(savedLocally)).toHaveLength(2)
      const created = [outcome.json()].flat() as Row[]
      for (const record of created) expect(record).toMatchObject({ pending: true })
      expect(await cli.json('sync', 'list')).toHaveLength(1)
      expect(await cli.run('sync')).toMatchObject({
        status: 6,
        stderr: expect.stringContaining('1 change is still pending.'),
      })
      await proxy.open()
      expect(await cli.run('sync')).toMatchObject({ status: 0, stderr: 'Sent 1 change.\n' })
      expect(takeChanges()).toHaveLength(1)
      expect(await cli.run('sync', '--json')).toMatchObject({ status: 0, stdout: '[]\n' })
    },
  )

  test.each(lines)(
    'tt %s saves nothing when the token is not accepted or lacks the scope',
    async (_, line, earlier) => {
      const { cli, proxy, argv } = await setUpChange(line, earlier)
      const history = await cli.json('undo', '--list')
      const cached = await cli.json('status', '--cached')
      for (const [fault, status] of [
        [respondToAll(401), 4],
        [respondToChanges(401), 4],
        [respondToChanges(403, { error: 'insufficient_scope' }), 5],
      ] as const) {
        proxy.fault = fault
        expect(await cli.run(...argv)).toMatchObject({ status, stdout: '' })
        expect(await cli.json('sync', 'list')).toEqual([])
        expect(await cli.json('undo', '--list')).toEqual(history)
        expect(await cli.json('status', '--cached')).toEqual(cached)
      }
      proxy.fault = noFault
      expect(await cli.run(...argv)).toMatchObject({ status: 0 })
    },
  )

  test.each(lines)(
    'tt %s exits 7 when the service rejects it, and the change is stored with the reason',
    async (_, line, earlier) => {
      const { cli, proxy, argv } = await setUpChange(line, earlier)
      proxy.fault = respondToChanges(422, { errors: { time_start: ['lies in a closed month.'] } })
      const rejected = await cli.run(...argv)
      expect(rejected).toMatchObject({ status: 7, stdout: '' })
      expect(rejected.stderr).toContain('time_start lies in a closed month.')
      const [rejectedChange] = await cli.json<Row[]>('sync', 'list')
      expect(rejectedChange).toMatchObject({
        state: 'refused',
        message: 'time_start lies in a closed month.',
        status: 422,
      })
      expect(rejected.stderr).toContain(`tt sync retry ${rejectedChange?.id}`)
      expect(await cli.run('sync')).toMatchObject({ status: 7 })
      proxy.fault = noFault
      expect(await cli.run('sync', 'retry', String(rejectedChange?.id))).toMatchObject({ status: 0 })
      expect(await cli.run('sync')).toMatchObject({ status: 0 })
    },
  )
})

test('a service that never responds costs ten seconds once, and the change is saved', async () => {
  const { cli, proxy, entries, clearRequests } = await setUpService()
  proxy.fault = async ({ closed }) => void (await closed)
  const timers = shortenTimers()
  const outcome = await cli.run(...change)
  expect(outcome).toMatchObject({ status: 0 })
  expect(outcome.stderr).toContain(`${savedLocally}the service at`)
  expect(outcome.stderr).toContain('timed out after 10 s')
  clearRequests()
  expect(await cli.run('add', 'design', '--from', '10:00', '--for', '1h')).toMatchObject({ status: 0 })
  expect(proxy.requests).toEqual([])
  timers.restore()
  proxy.fault = noFault
  expect(await cli.run('sync')).toMatchObject({ status: 0 })
  expect(await entries()).toHaveLength(2)
})

describe('without cached reference data', () => {
  test('commands exit 6 offline and save nothing', async () => {
    const { cli, proxy } = await setUpService({ hasCache: false })
    await proxy.close()
    for (const line of [
      change,
      ['stop'],
      ['edit', '1', '-n', 'x'],
      ...[['log'], ['report'], ['status'], ['expenses']],
      ['expenses', 'rm', '1', '--yes'],
    ])
      expect({ line, ...(await cli.run(...line)) }).toMatchObject({ line, status: 6, stdout: '' })
    expect(await cli.json('sync', 'list')).toEqual([])
    expect(await cli.json('undo', '--list')).toEqual([])
  })

  test('an expense is saved, as it needs no reference data', async () => {
    const { cli, proxy, expenses } = await setUpService({ hasCache: false })
    await proxy.close()
    const outcome = await cli.run('expenses', 'add', '5', '--json')
    expect(outcome).toMatchObject({ status: 0, stderr: expect.stringContaining(savedLocally) })
    expect(await cli.json('expenses')).toMatchObject([{ amount: '5', pending: true, local_id: '~1' }])
    await proxy.open()
    await cli.run('sync')
    expect(await expenses()).toHaveLength(1)
  })
})

describe('reading offline', () => {
  test('shows cached entries with their age, and pending ones', async () => {
    const { cli, proxy } = await setUpService()
    await cli.json('add', 'design', '--from', '9:00', '--for', '1h', '-n', 'known')
    await cli.json('log')
    await proxy.close()
    cli.setTime('2024-05-08T12:06:00Z')
    await cli.run('add', 'review', '--from', '10:00', '--for', '1h', '-n', 'typed')
    const log = await cli.run('log', '--json')
    expect(log.stderr).toMatch(/Showing cached data of \d\d:\d\d, 6 minutes ago\.\n$/)
    expect(log.json()).toMatchObject([
      { notes: 'known', pending: false },
      { notes: 'typed', pending: true, local_id: '~2', task: 'Review' },
    ])
    expect(await cli.json('log', '--where', 'notes_cont=typed')).toMatchObject([{ id: '~2' }])
    expect(await cli.json('log', '--where', 'notes_cont=known')).toMatchObject([{ notes: 'known' }])
    expect(await cli.json('show', '~2')).toMatchObject({ notes: 'typed', pending: true, local_id: '~2' })
    expect(await cli.json('show', '@1')).toMatchObject({ notes: 'typed' })
  })

  test('reads the dates of --where in the time zone of the company, as the service does', async () => {
    const { cli, proxy, storage } = await setUpService()
    await storage.queries.all(sql`update company set time_zone = 'Pacific/Auckland'`)
    for (const [start, notes] of [
      ['2024-05-06T11:00:00Z', 'before'],
      ['2024-05-06T13:00:00Z', 'on the day'],
    ] as const)
      await cli.json('add', 'design', '--from', start, '--for', '1h', '-n', notes)
    const log = () => cli.json<Row[]>('log', '--since', '2024-05-01', '--where', 'time_start_gteq=2024-05-07')
    await cli.json('log', '--since', '2024-05-01')
    const online = await log()
    expect(online.map(({ notes }) => notes)).toEqual(['on the day'])
    await proxy.close()
    expect(await log()).toEqual(online)
  })

  test('shows the currency of the company for a pending expense without one', async () => {
    const { cli, proxy } = await setUpService()
    await cli.json('company')
    await proxy.close()
    const added = await cli.run('expenses', 'add', '5', '--type', 'Travel')
    expect(added.stderr).toContain('5 EUR')
    expect(await cli.json('expenses')).toMatchObject([{ amount: '5', currency: 'EUR', pending: true }])
    await proxy.open()
    await cli.run('sync')
    expect(proxy.requests.filter(({ method }) => method === 'POST').map(({ body }) => String(body))).toEqual([
      expect.not.stringContaining('currency'),
    ])
  })

  test('log --pending shows exactly the pending entries of all days', async () => {
    const { cli, proxy } = await setUpService()
    const known = await cli.json('add', 'design', '--from', '2024-03-01 9:00', '--for', '1h', '-n', 'known')
    await cli.json('add', 'design', '--from', '9:00', '--for', '1h', '-n', 'delivered')
    await proxy.close()
    await cli.run('add', 'review', '--from', '2024-02-01 9:00', '--for', '1h', '-n', 'old')
    await cli.run('edit', String(known.id), '-n', 'changed')
    const pending = async (...argv: string[]) =>
      (await cli.json<Row[]>('log', '--pending', ...argv)).map(({ notes }) => notes)
    expect(await pending()).toEqual(['old', 'changed'])
    expect(await pending('--task', 'review')).toEqual(['old'])
    expect(await pending('--where', 'notes_cont=chang')).toEqual(['changed'])
    expect(await pending('--since', 'mar')).toEqual(['changed'])
    expect(await pending('--running')).toEqual([])
    await proxy.open()
    cli.setTime('2024-05-08T12:10:00Z')
    expect(await pending()).toEqual([])
  })

  test('shows delivered entries that were never listed', async () => {
    const { cli, proxy } = await setUpService({ hasCache: false })
    await cli.json('add', 'design', '--from', '9:00', '--for', '1h')
    await cli.json('expenses', 'add', '5')
    await proxy.close()
    expect(await cli.json('log')).toHaveLength(1)
    expect(await cli.json('expenses')).toHaveLength(1)
  })

  test('delivers pending changes first when the service is reachable again', async () => {
    const setup = await setUpService()
    const { cli, proxy } = setup
    await proxy.close()
    await cli.run(...change)
    await proxy.open()
    cli.setTime('2024-05-08T12:01:00Z')
    expect(await cli.json('log')).toMatchObject([{ id: expect.any(Number), pending: false }])
    expect(proxy.requests.map(({ method }) => method)).toEqual(['POST', 'GET', 'GET'])
    // The local ID remains valid.
    expect(await cli.json('show', '~1')).toMatchObject({ id: expect.any(Number), pending: false })
    expect(await cli.json('edit', '~1', '-n', 'x')).toMatchObject({ notes: 'x', pending: false })
  })

  test('tt status --cached sends no request', async () => {
    const { cli, proxy, clearRequests } = await setUpService()
    await proxy.close()
    clearRequests()
    const afterCommand = async (...argv: string[]) => {
      await cli.run(...argv)
      return cli.json<Row | null>('status', '--cached')
    }
    const first = { id: '~1', task: 'Design', pending: true, local_id: '~1' }
    expect(await afterCommand('start', 'design')).toMatchObject(first)
    expect(await afterCommand('edit', '@', '-n', 'x')).toMatchObject({ ...first, notes: 'x' })
    expect(await afterCommand('start', 'review')).toMatchObject({ id: '~2', task: 'Review' })
    expect(await afterCommand('undo')).toMatchObject(first)
    expect(await afterCommand('stop')).toBeNull()
    expect(await afterCommand('undo')).toMatchObject(first)
    expect(await afterCommand('cancel', '--yes')).toBeNull()
    expect(proxy.requests).toEqual([])
  })
})

describe('an earlier pending change', () => {
  const unauthorized = [respondToChanges(401), respondToChanges(403, { error: 'insufficient_scope' })]

  test.each([
    ['edits it', (id: string) => ['edit', id, '-n', 'second']],
    ['deletes it', (id: string) => ['rm', id, '--yes']],
  ])('stays as it was when the command that %s is not accepted', async (_, line) => {
    const { cli, proxy } = await setUpService()
    const { id } = await cli.json(...change)
    proxy.fault = dropRequest
    await cli.run('edit', String(id), '-n', 'first')
    expect(await cli.json('add', 'review', '--from', '10:00', '--for', '1h')).toMatchObject({ id: '~3' })
    const [waiting, history] = [await cli.json<Row[]>('sync', 'list'), await cli.json('undo', '--list')]
    cli.setTime('2024-05-08T12:10:00Z')
    for (const fault of unauthorized) {
      proxy.fault = fault
      expect([4, 5]).toContain((await cli.run(...line(String(id)))).status)
      expect(await cli.json('sync', 'list')).toMatchObject(
        waiting.map(({ attempts: _, in_doubt: __, ...change }: Row) => change),
      )
      expect(await cli.json('undo', '--list')).toEqual(history)
    }
  })

  test('stays rejected when the command that replaces it is not accepted', async () => {
    const { cli, proxy, entries } = await setUpService()
    const { id } = await cli.json(...change)
    proxy.fault = respondToChanges(422, { errors: { notes: ['are rude'] } })
    expect(await cli.run('edit', String(id), '-n', 'first')).toMatchObject({ status: 7 })
    proxy.fault = respondToChanges(401)
    expect(await cli.run('edit', String(id), '-n', 'second')).toMatchObject({ status: 4 })
    expect(await cli.json('sync', 'list')).toMatchObject([{ state: 'refused', fields: { notes: 'first' } }])
    proxy.fault = noFault
    expect(await cli.run('edit', String(id), '-n', 'second')).toMatchObject({ status: 0 })
    expect(await cli.json('sync', 'list')).toEqual([])
    expect(await entries()).toMatchObject([{ notes: 'second' }])
  })
})
