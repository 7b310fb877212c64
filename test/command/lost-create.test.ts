import { describe, expect, test } from 'vitest'
import { dropRequest, dropResponse, noFault, respondToChanges } from '../support/proxy.js'
import { forwardWithoutKey, type Row, type ServiceSetup, setUpService } from './service-fixtures.js'

const entry = ['add', 'design', '--from', '9:00', '--for', '1h', '-n', 'phone']
const expense = ['expenses', 'add', '12.50', '--type', 'Travel', '-n', 'train']
const rowsOf = ({ entries, expenses }: ServiceSetup, [word]: string[]) =>
  word === 'expenses' ? expenses() : entries()

/** Faults after which the service has stored the change. */
const losses = {
  'was lost': dropResponse,
  'was a web page': respondWithPage,
  'was empty': respondEmpty,
}

async function respondWithPage(...[request, forward]: Parameters<typeof dropResponse>) {
  const response = await forward()
  return request.method === 'GET' ? response : { status: 200, headers: {}, body: '<html></html>' }
}

async function respondEmpty(...[request, forward]: Parameters<typeof dropResponse>) {
  const response = await forward()
  return request.method === 'GET' ? response : { status: 200, headers: {}, body: '' }
}

const lines: [string, string[]][] = [
  ['an entry', entry],
  ['an entry without notes', entry.slice(0, -2)],
  ['an entry with an external id', [...entry, '--external-id', 'T-1']],
  ['a timer', ['start', 'design', '--at', '13:00']],
  ['an expense', expense],
  ['an expense with an external id', [...expense, '--external-id', 'T-1']],
  ['an expense of another day', [...expense, '--on', 'yesterday']],
]

describe.each(Object.entries(losses))('a create whose response %s', (_, fault) => {
  test.each(lines)('is found and not sent again: %s', async (_name, line) => {
    const setup = await setUpService()
    const { cli, proxy, takeChanges } = setup
    proxy.fault = fault
    expect(await cli.json(...line)).toMatchObject({ pending: true, local_id: '~1' })
    const created = await rowsOf(setup, line)
    expect(created).toHaveLength(1)
    proxy.fault = forwardWithoutKey
    takeChanges()
    expect(await cli.run('sync')).toMatchObject({ status: 0 })
    expect(takeChanges()).toEqual([])
    expect(await rowsOf(setup, line)).toEqual(created)
  })
})

describe('a create with an unknown outcome', () => {
  test.each([
    ['an entry', entry],
    ['an expense', expense],
  ])('is sent again when it never arrived: %s', async (_, line) => {
    const setup = await setUpService()
    setup.proxy.fault = dropRequest
    await setup.cli.json(...line)
    setup.proxy.fault = noFault
    expect(await setup.cli.run('sync')).toMatchObject({ status: 0 })
    expect(await rowsOf(setup, line)).toHaveLength(1)
  })

  test.each([
    ['an entry', entry],
    ['an expense', expense],
  ])(
    'is a second record with the content of an earlier one, whichever responses are lost: %s',
    async (_, line) => {
      for (const faults of [
        [noFault, dropResponse],
        [noFault, dropRequest],
        [dropResponse, dropResponse],
        [dropResponse, dropRequest],
        [dropRequest, dropResponse],
        [dropRequest, dropRequest],
      ]) {
        const setup = await setUpService()
        const { cli, proxy } = setup
        let minute = 0
        for (const fault of faults) {
          proxy.fault = fault
          cli.setTime(`2024-05-08T12:${10 + minute++}:00Z`)
          expect(await cli.run(...line)).toMatchObject({ status: 0 })
        }
        proxy.fault = noFault
        cli.setTime('2024-05-08T12:30:00Z')
        expect(await cli.run('sync')).toMatchObject({ status: 0 })
        expect(await rowsOf(setup, line)).toHaveLength(2)
        expect(await cli.json(...(line === entry ? ['log'] : ['expenses']))).toHaveLength(2)
      }
    },
  )

  test.each([
    ['an entry', entry, '/timesheets', 'log'],
    ['an expense', expense, '/expenses', 'expenses'],
  ])('is not matched with %s of the same content that was cached before', async (_, line, path, list) => {
    const setup = await setUpService()
    const { cli, proxy, sendAsOtherClient } = setup
    await cli.json(...line)
    const [{ id: __, ...same } = {}] = await rowsOf(setup, line)
    await sendAsOtherClient('POST', path, path === '/expenses' ? { expense: same } : same)
    expect(await cli.json(list)).toHaveLength(2)
    for (const [fault, count] of [
      [dropRequest, 3],
      [dropResponse, 4],
    ] as const) {
      proxy.fault = fault
      await cli.json(...line)
      proxy.fault = noFault
      expect(await cli.run('sync')).toMatchObject({ status: 0 })
      expect(await rowsOf(setup, line)).toHaveLength(count)
    }
  })

  test.each([
    ['an entry', entry, ['log']],
    ['an expense', expense, ['expenses']],
  ])('is shown once while the service fails to tell: %s', async (_, line, list) => {
    const setup = await setUpService()
    const { cli, proxy } = setup
    proxy.fault = dropResponse
    await cli.json(...line)
    let isFirst = true
    proxy.fault = async (request, forward) => {
      if (!isFirst) return forwardWithoutKey(request, forward)
      isFirst = false
      return { status: 500, headers: {}, body: '' }
    }
    expect(await cli.json(...list)).toMatchObject([{ local_id: '~1', pending: true }])
    expect(await rowsOf(setup, line)).toHaveLength(1)
  })

  test('stays as it is, and later changes follow it', async () => {
    const { cli, proxy, entries, takeChanges } = await setUpService()
    proxy.fault = dropResponse
    await cli.json(...entry)
    proxy.fault = dropRequest
    await cli.json('edit', '~1', '-n', 'other', '--for', '2h')
    expect(await cli.json('show', '~1')).toMatchObject({
      notes: 'other',
      duration_seconds: 7200,
      pending: true,
    })
    proxy.fault = forwardWithoutKey
    takeChanges()
    expect(await cli.run('sync')).toMatchObject({ status: 0 })
    expect(takeChanges().map(({ method }) => method)).toEqual(['PATCH'])
    expect(await entries()).toMatchObject([{ notes: 'other', time_end: '2024-05-08T09:00:00.000Z' }])
  })

  test('is deleted when it was deleted since', async () => {
    const { cli, proxy, entries, takeChanges } = await setUpService()
    proxy.fault = dropResponse
    await cli.json(...entry)
    proxy.fault = dropRequest
    await cli.json('rm', '~1', '--yes')
    expect(await cli.json('log')).toEqual([])
    proxy.fault = forwardWithoutKey
    takeChanges()
    expect(await cli.run('sync')).toMatchObject({ status: 0 })
    expect(takeChanges().map(({ method }) => method)).toEqual(['DELETE'])
    expect(await entries()).toEqual([])
  })

  test('is found as a timer that another client has stopped', async () => {
    const { cli, proxy, entries, sendAsOtherClient } = await setUpService()
    proxy.fault = dropResponse
    await cli.json('start', 'design', '--at', '13:00')
    const [{ id } = {}] = await entries()
    await sendAsOtherClient('PATCH', `/timesheets/${id}`, { time_end: '2024-05-08T11:30:00Z' })
    proxy.fault = forwardWithoutKey
    expect(await cli.run('sync')).toMatchObject({ status: 0 })
    expect(await entries()).toMatchObject([{ id, time_end: '2024-05-08T11:30:00.000Z' }])
  })

  test('is discarded with a warning that the service may have it', async () => {
    const { cli, proxy } = await setUpService()
    proxy.fault = dropResponse
    await cli.json(...entry)
    expect(await cli.run('sync', 'discard', '1', '--yes')).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('Change 1 was sent before: the service may have it.'),
    })
  })
})

describe.each(Object.entries(losses))('a change whose response %s', (_, fault) => {
  test.each([
    ['an edit', entry, (id: string) => ['edit', id, '-n', 'x', '--for', '2h']],
    ['an edit of an expense', expense, (id: string) => ['expenses', 'edit', id, '--amount', '13', '-n', 'x']],
  ])('is executed once: %s', async (_name, line, change) => {
    const setup = await setUpService()
    const { cli, proxy } = setup
    const { id } = await cli.json(...line)
    proxy.fault = fault
    expect(await cli.run(...change(String(id)))).toMatchObject({ status: 0 })
    const there = await rowsOf(setup, line)
    proxy.fault = forwardWithoutKey
    expect(await cli.run('sync')).toMatchObject({ status: 0 })
    expect(await rowsOf(setup, line)).toEqual(there)
    expect(there).toMatchObject([{ notes: 'x' }])
  })

  test.each([
    ['an entry', entry, ['rm']],
    ['an expense', expense, ['expenses', 'rm']],
  ])('removes the record: %s', async (_name, line, words) => {
    const setup = await setUpService()
    const { cli, proxy } = setup
    const { id } = await cli.json(...line)
    proxy.fault = fault
    expect(await cli.run(...words, String(id), '--yes')).toMatchObject({ status: 0 })
    proxy.fault = forwardWithoutKey
    expect(await cli.run('sync')).toMatchObject({ status: 0 })
    expect(await rowsOf(setup, line)).toEqual([])
    expect(await cli.json(words[0] === 'rm' ? 'log' : 'expenses')).toEqual([])
  })
})

describe('offline', () => {
  /** Runs commands offline, and returns method and body of the requests that deliver them. */
  async function deliver(...typed: string[][]) {
    const { cli, proxy, takeChanges } = await setUpService()
    const { id } = await cli.json(...entry)
    takeChanges()
    await proxy.close()
    for (const line of typed) await cli.json(...line.map((word) => (word === 'ID' ? String(id) : word)))
    await proxy.open()
    expect(await cli.run('sync')).toMatchObject({ status: 0 })
    return takeChanges().map(({ method, body }): [string, unknown] => [method, body])
  }

  test('a record that is created, changed and deleted sends nothing', async () => {
    const lines = [
      ['start', 'review'],
      ['edit', '@', '-n', 'x'],
      ['edit', '@', '-n', 'y'],
      ['cancel', '--yes'],
    ]
    expect(await deliver(...lines)).toEqual([])
    expect(
      await deliver(
        ['expenses', 'add', '1'],
        ['expenses', 'edit', '~2', '-n', 'x'],
        ['expenses', 'rm', '~2', '--yes'],
      ),
    ).toEqual([])
  })

  test('a timer that is started and stopped is one create', async () => {
    const [only, ...others] = await deliver(['start', 'review', '--at', '13:00'], ['stop', '-n', 'done'])
    expect(only).toMatchObject([
      'POST',
      { time_start: '2024-05-08T11:00:00.000Z', time_end: '2024-05-08T12:00:00.000Z', notes: 'done' },
    ])
    expect(others).toEqual([])
  })

  test('two changes of an entry are one update', async () => {
    expect(await deliver(['edit', 'ID', '-n', 'x', '--for', '2h'], ['edit', 'ID', '-n', 'y'])).toEqual([
      ['PATCH', { notes: 'y', time_end: '2024-05-08T09:00:00.000Z' }],
    ])
  })

  test('a reverted change sends nothing, and a change with a deletion one deletion', async () => {
    expect(await deliver(['edit', 'ID', '-n', 'x'], ['edit', 'ID', '-n', 'phone'])).toEqual([])
    expect(await deliver(['edit', 'ID', '-n', 'x'], ['rm', 'ID', '--yes'])).toEqual([['DELETE', undefined]])
    expect(await deliver(['rm', 'ID', '--yes'], ['undo'])).toEqual([])
    expect(await deliver(['edit', 'ID', '-n', 'x'], ['rm', 'ID', '--yes'], ['undo'])).toEqual([
      ['PATCH', { notes: 'x' }],
    ])
  })
})

test('a timer that the service rejects while it runs is local, and created when it stops', async () => {
  const { cli, proxy, entries, takeChanges } = await setUpService()
  proxy.fault = (request, forward) => {
    const isOpen = request.method === 'POST' && !(JSON.parse(request.body) as Row).time_end
    return isOpen
      ? respondToChanges(422, { errors: { time_end: ["can't be blank"] } })(request, forward)
      : forward()
  }
  const started = await cli.run('start', 'design', '--at', '13:00', '--json')
  expect(started).toMatchObject({ status: 0, stderr: '' })
  expect(started.json()).toMatchObject({ running: true, pending: true, local_id: '~1' })
  expect(await cli.json('sync')).toMatchObject([{ state: 'held' }])
  takeChanges()
  await cli.json('edit', '@', '-n', 'x')
  expect(await cli.json('status')).toMatchObject({ id: '~1', notes: 'x' })
  await cli.json('start', 'review', '--at', '13:30')
  await cli.json('stop')
  expect(takeChanges().map(({ method }) => method)).toEqual(['POST', 'POST'])
  expect(await entries()).toMatchObject([
    { notes: 'x', time_end: '2024-05-08T11:30:00.000Z' },
    { task_link_id: 2, time_end: '2024-05-08T12:00:00.000Z' },
  ])
  expect(await cli.json('sync', 'list')).toEqual([])
})

test.each(lines)(
  'a service that supports keys is sent %s again with its key, and has it once',
  async (_, line) => {
    const setup = await setUpService()
    const { cli, proxy, takeChanges } = setup
    proxy.fault = dropResponse
    await cli.json(...line)
    const created = await rowsOf(setup, line)
    proxy.fault = noFault
    takeChanges()
    expect(await cli.run('sync')).toMatchObject({ status: 0 })
    expect(takeChanges()).toMatchObject([{ method: 'POST' }])
    expect(await rowsOf(setup, line)).toEqual(created)
    expect(await cli.json('sync', 'list')).toEqual([])
  },
)
