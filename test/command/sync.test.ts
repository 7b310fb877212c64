import { describe, expect, test } from 'vitest'
import type { Fate } from '../support/proxy.js'
import {
  answer,
  answering,
  answeringAll,
  cut,
  lost,
  type Office,
  openOffice,
  passOn,
  type Row,
} from './service-fixtures.js'

const change = ['add', 'design', '--from', '9:00', '--for', '1h']
const refusing = answering(422, { errors: { task_link_id: ['is closed'] } })

/** So many entries wait. */
async function waiting(count: number, options = {}): Promise<Office> {
  const office = await openOffice(options)
  await office.proxy.close()
  for (let hour = 1; hour <= count; hour++)
    await office.desk.json('add', 'design', '--from', `${hour}:00`, '--for', '10m', '-n', `#${hour}`)
  await office.proxy.open()
  office.forget()
  return office
}

/** Runs `fates` one after another, one for each change that is sent; then everything is passed on. */
function inTurn(...fates: Fate[]): Fate {
  return (request, forward) =>
    (request.method === 'GET' ? passOn : (fates.shift() ?? passOn))(request, forward)
}

describe('tt sync', () => {
  test('says that nothing waits, and asks nobody', async () => {
    const { desk, proxy } = await openOffice()
    expect(await desk.tt('sync')).toMatchObject({
      status: 0,
      stdout: '',
      stderr: 'Nothing waits for delivery.\n',
    })
    expect(await desk.tt('sync', '--json')).toMatchObject({ status: 0, stdout: '[]\n', stderr: '' })
    expect(proxy.seen).toEqual([])
  })

  test('delivers in the order in which it was typed', async () => {
    const { desk, sent, entries } = await waiting(5)
    expect(await desk.tt('sync')).toMatchObject({ status: 0, stdout: '', stderr: 'Delivered 5 changes.\n' })
    expect(sent().map(({ body }) => (body as Row).notes)).toEqual(['#1', '#2', '#3', '#4', '#5'])
    expect(await entries()).toHaveLength(5)
  })

  test('goes on after each failure of a service that answers now and then', async () => {
    const { desk, proxy, entries } = await waiting(4)
    const trouble = answering(503)
    proxy.fate = inTurn(cut, passOn, trouble, lost, passOn, lost, cut)
    expect(await desk.tt('sync')).toMatchObject({ status: 0, stderr: 'Delivered 4 changes.\n' })
    expect((await entries()).map(({ notes }) => notes)).toEqual(['#1', '#2', '#3', '#4'])
  })

  test('waits as long as the service asks it to', async () => {
    const { desk, proxy, entries } = await waiting(2, { ticking: true })
    const at: number[] = []
    proxy.fate = (request, forward) => {
      at.push(performance.now())
      return at.length === 1 ? answer(429, '', { 'retry-after': '1' }) : passOn(request, forward)
    }
    expect(await desk.tt('sync')).toMatchObject({ status: 0 })
    expect(await entries()).toHaveLength(2)
    const [first = 0, second = 0] = at
    expect(second - first).toBeGreaterThan(950)
  })

  test('is exit 6 with what still waits where the service stays away', async () => {
    const { desk, proxy } = await waiting(2)
    proxy.fate = cut
    const outcome = await desk.tt('sync', '--json')
    expect(outcome).toMatchObject({ status: 6 })
    expect(outcome.json()).toMatchObject([
      {
        id: 1,
        state: 'waiting',
        op: 'create',
        kind: 'entry',
        record: '~1',
        in_doubt: true,
        attempts: expect.any(Number),
      },
      { id: 2, state: 'waiting', in_doubt: false, attempts: 0 },
    ])
    expect(JSON.parse(outcome.stderr)).toMatchObject({
      error: {
        code: 'unreachable',
        message: expect.stringMatching(/^2 changes still wait\. The service .* cannot be reached/),
      },
    })
  })

  test('is exit 4 where the token is not accepted, and everything waits', async () => {
    const { desk, proxy } = await waiting(2)
    proxy.fate = answeringAll(401)
    expect(await desk.tt('sync')).toMatchObject({
      status: 4,
      stderr: expect.stringContaining('2 changes still wait.'),
    })
    proxy.fate = answering(403, { error: 'insufficient_scope' })
    expect(await desk.tt('sync')).toMatchObject({
      status: 5,
      stderr: expect.stringContaining('2 changes still wait.'),
    })
    proxy.fate = passOn
    expect(await desk.tt('sync')).toMatchObject({ status: 0 })
  })

  test('is exit 7 with what the service refused, and delivers the others', async () => {
    const { desk, proxy, entries } = await waiting(3)
    proxy.fate = inTurn(passOn, refusing)
    const outcome = await desk.tt('sync')
    expect(outcome).toMatchObject({ status: 7 })
    expect(outcome.stderr).toMatch(
      /^Delivered 2 changes\.\nerror: 1 change is set aside\.\n`tt sync retry 2` sends one again/,
    )
    expect((await entries()).map(({ notes }) => notes)).toEqual(['#1', '#3'])
    expect(await desk.json('sync', 'list')).toMatchObject([
      { id: 2, state: 'refused', record: '~2', message: 'task_link_id is closed', status: 422 },
    ])
    expect((await desk.tt('sync', 'list', '--csv')).stdout).toMatch(
      /^id,state,op,record,when,notes,message\r\n2,refused,create,~2,.*,#2,task_link_id is closed\r\n$/,
    )
    const table = await desk.terminal(120, 'sync', 'list')
    expect(table.stdout).toMatch(/ID +State +Change +Record +When +Notes +Why/)
    expect(table.stdout).toContain('2: task_link_id is closed')
  })

  test('shows at a terminal how far it is, on a line that is gone at the end', async () => {
    const { desk } = await waiting(3)
    const { stderr } = await desk.terminal(80, 'sync')
    expect(stderr).toContain('\r\u001b[KDelivered 1, 2 to go')
    expect(stderr).toContain('\r\u001b[KDelivered 3, 0 to go\r\u001b[K')
    expect(stderr).toMatch(/KDelivered 3 changes\.\nNothing waits for delivery\.\n$/)
    expect((await desk.terminal(80, 'sync')).stderr).toBe('Nothing waits for delivery.\n')
  })

  test('leaves to tt status --cached what is so', async () => {
    const { desk, proxy } = await openOffice()
    await desk.json('start', 'design')
    await proxy.close()
    await desk.json('edit', '@', '-n', 'x')
    expect(await desk.json('status', '--cached')).toMatchObject({ notes: 'x', pending: true })
    await proxy.open()
    expect(await desk.tt('sync')).toMatchObject({ status: 0 })
    expect(await desk.json('status', '--cached')).toMatchObject({ notes: 'x', pending: false })
    expect(await desk.json('status', '--cached')).not.toHaveProperty('local_id')
  })
})

describe('what the service refuses', () => {
  /** The refused create ~1. */
  async function refused(...line: string[]) {
    const office = await openOffice()
    office.proxy.fate = refusing
    expect(await office.desk.tt(...line)).toMatchObject({
      status: 7,
      stderr: expect.stringMatching(
        /The service refused the change \(422\): task_link_id is closed\.\n.*`tt sync retry 1`/,
      ),
    })
    office.proxy.fate = passOn
    office.forget()
    return office
  }

  test('goes again when it is edited', async () => {
    const { desk, entries, sent } = await refused(...change)
    expect(await desk.json('show', '~1')).toMatchObject({ pending: true, local_id: '~1' })
    expect(await desk.json('edit', '~1', '--task', 'review')).toMatchObject({
      pending: false,
      task: 'Review',
    })
    expect(await entries()).toHaveLength(1)
    expect(sent()).toHaveLength(1)
    expect(await desk.json('sync', 'list')).toEqual([])
  })

  test('is not sent by itself', async () => {
    const { desk, sent } = await refused(...change)
    for (const line of [['log'], ['status'], ['sync']]) await desk.tt(...line)
    expect(sent()).toEqual([])
  })

  test.each(['1', '~1'])('is sent again by tt sync retry %s', async (id) => {
    const { desk, entries } = await refused(...change)
    expect(await desk.tt('sync', 'retry', id)).toMatchObject({ status: 0, stderr: 'Delivered 1 change.\n' })
    expect(await entries()).toHaveLength(1)
  })

  test('that is refused again stays', async () => {
    const { desk, proxy } = await refused(...change)
    proxy.fate = refusing
    expect(await desk.tt('sync', 'retry', '1')).toMatchObject({ status: 7 })
    expect(await desk.json('sync', 'list')).toMatchObject([{ id: 1, state: 'refused' }])
  })

  test.each(['1', '~1'])('is dropped by tt sync discard %s, which asks first', async (id) => {
    const { desk, entries } = await refused(...change)
    expect(await desk.tt('sync', 'discard', id)).toMatchObject({ status: 2 })
    expect(await desk.tt('sync', 'discard', id, '--yes')).toMatchObject({
      status: 0,
      stderr: 'Dropped 1 change.\n',
    })
    expect(await desk.tt('show', '~1')).toMatchObject({ status: 3 })
    expect(await desk.tt('sync')).toMatchObject({ status: 0 })
    expect(await entries()).toEqual([])
    expect(await desk.tt('sync', 'retry', id)).toMatchObject({ status: 3 })
  })

  test('an update goes by the id of its entry', async () => {
    const { desk, proxy, entries } = await openOffice()
    for (let count = 1; count <= 3; count++) await desk.json(...change)
    const { id } = await desk.json(...change)
    proxy.fate = refusing
    expect(await desk.tt('edit', String(id), '-n', 'x')).toMatchObject({ status: 7 })
    expect(await desk.json('show', String(id))).toMatchObject({ notes: null, pending: false })
    proxy.fate = passOn
    expect(await desk.tt('sync', 'retry', String(id))).toMatchObject({ status: 0 })
    expect((await entries()).at(-1)).toMatchObject({ notes: 'x' })
  })

  test('with 404 is a refusal like any other', async () => {
    const { desk, proxy } = await openOffice()
    proxy.fate = answering(404, { error: 'not_found', message: 'No such link.' })
    expect(await desk.tt(...change)).toMatchObject({
      status: 7,
      stderr: expect.stringContaining('No such link.'),
    })
    expect(await desk.json('sync', 'list')).toMatchObject([{ state: 'refused', status: 404 }])
  })

  test('keeps what depends on it waiting, whether it is an entry or an expense', async () => {
    for (const [add, edit] of [
      [change, ['edit', '~1', '-n', 'x']],
      [
        ['expenses', 'add', '5'],
        ['expenses', 'edit', '~1', '-n', 'x'],
      ],
    ] as const) {
      const { desk, proxy, entries, expenses, sent } = await openOffice()
      proxy.fate = cut
      // It was sent, so that what follows cannot be merged into it.
      await desk.json(...add)
      await desk.json(...edit)
      proxy.fate = refusing
      expect(await desk.tt('sync')).toMatchObject({ status: 7 })
      expect(await desk.json('sync', 'list')).toMatchObject([
        { state: 'refused' },
        { state: 'waiting', op: 'update' },
      ])
      sent()
      proxy.fate = passOn
      await desk.tt('log')
      expect(sent()).toEqual([])
      expect(await desk.tt('sync', 'retry', '1')).toMatchObject({ status: 0 })
      expect([...(await entries()), ...(await expenses())]).toMatchObject([{ notes: 'x' }])
    }
  })

  test('is mended together with what depends on it', async () => {
    const { desk, proxy, entries, sent } = await openOffice()
    proxy.fate = cut
    await desk.json(...change)
    await desk.json('edit', '~1', '-n', 'x')
    proxy.fate = refusing
    await desk.tt('sync')
    proxy.fate = passOn
    sent()
    expect(await desk.json('edit', '~1', '--task', 'review')).toMatchObject({ pending: false, notes: 'x' })
    expect(sent()).toHaveLength(1)
    expect(await entries()).toMatchObject([{ notes: 'x', task_link_id: 2 }])
    expect(await desk.json('sync', 'list')).toEqual([])
  })

  test('goes with what depends on it when it is dropped', async () => {
    const { desk, proxy } = await openOffice()
    proxy.fate = cut
    await desk.json(...change)
    await desk.json('edit', '~1', '-n', 'x')
    proxy.fate = refusing
    await desk.tt('sync')
    expect(await desk.tt('sync', 'discard', '1', '--yes')).toMatchObject({ status: 0 })
    expect(await desk.json('sync', 'list')).toEqual([])
  })

  test('as a timer is in the way of no other one', async () => {
    const { desk, proxy, entries } = await refused('start', 'design', '--at', '13:00')
    proxy.fate = inTurn(refusing)
    expect(await desk.json('status', '--cached')).toMatchObject({ id: '~1', running: true })
    const started = await desk.tt('start', 'review', '--at', '13:30')
    expect(started).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(
        /A new entry \(~1\) was set aside\. task_link_id is closed\. `tt sync retry 1` .*\n(.*\n)*Started Website \/ Review/,
      ),
    })
    expect(await entries()).toMatchObject([{ task_link_id: 2, time_end: null }])
    expect(await desk.json('sync', 'list')).toMatchObject([
      { state: 'refused', fields: { time_end: '2024-05-08T11:30:00.000Z' } },
    ])
    expect(await desk.json('status', '--cached')).toMatchObject({ task: 'Review' })
  })

  test('as the end of what ran leaves the new timer running', async () => {
    const { desk, proxy, entries } = await openOffice()
    const { id } = await desk.json('start', 'design', '--at', '13:00')
    proxy.fate = inTurn(refusing)
    expect(await desk.tt('start', 'review', '--at', '13:30')).toMatchObject({
      status: 0,
      stderr: expect.not.stringContaining('Stopped'),
    })
    expect(await entries()).toMatchObject([
      { id, time_end: null },
      { task_link_id: 2, time_end: null },
    ])
    expect(await desk.json('sync', 'list')).toMatchObject([{ state: 'refused', record: String(id) }])
  })

  test('leaves to tt status --cached what runs then', async () => {
    const { desk, proxy } = await openOffice()
    await desk.json('start', 'design', '--at', '13:00')
    proxy.fate = inTurn(passOn, refusing)
    expect(await desk.tt('start', 'review', '--at', '13:30')).toMatchObject({ status: 7 })
    expect(await desk.json('status', '--cached')).toMatchObject({ id: '~3', task: 'Review' })
    proxy.fate = passOn
    expect(await desk.tt('sync', 'discard', '~3', '--yes')).toMatchObject({
      status: 0,
      stderr: 'Dropped 1 change.\n',
    })
    expect((await desk.tt('status', '--cached', '--json')).stdout).toBe('null\n')
    expect((await desk.tt('status', '--json')).stdout).toBe('null\n')
  })
})

test('an entry that waits behind many others is kept, and that is what is said', async () => {
  const { desk, proxy } = await waiting(4)
  proxy.fate = async (_, forward) => {
    await new Promise((resolve) => setTimeout(resolve, 1300))
    return forward()
  }
  desk.at('2024-05-08T12:10:00Z')
  const begun = performance.now()
  const outcome = await desk.tt(...change)
  expect(performance.now() - begun).toBeLessThan(6000)
  expect(outcome).toMatchObject({
    status: 0,
    stderr: expect.stringContaining(
      'Saved locally: what was typed before is sent first. Run `tt sync` to send it.',
    ),
  })
})
