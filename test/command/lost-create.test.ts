import { describe, expect, test } from 'vitest'
import { dropRequest, dropResponse, type Fault, noFault } from '../support/proxy.js'
import { forwardWithoutKey, type ServiceSetup, setUpService } from './service-fixtures.js'

const entry = ['add', 'design', '--from', '9:00', '--for', '1h', '-n', 'phone']
const expense = ['expenses', 'add', '12.50', '--type', 'Travel', '-n', 'train']
const rowsOf = ({ entries, expenses }: ServiceSetup, [word]: string[]) =>
  word === 'expenses' ? expenses() : entries()

/** Delivers a change, and responds with this text. */
const respondWith =
  (body: string): Fault =>
  async (request, forward) => {
    const response = await forward()
    return request.method === 'GET' ? response : { status: 200, headers: {}, body }
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

async function expectFound(fault: Fault, line: string[]) {
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
}

test.each(lines)('%s whose response was lost is found and not sent again', (_, line) =>
  expectFound(dropResponse, line),
)

test.each([
  ['an entry', 'a web page', entry, '<html></html>'],
  ['an entry', 'empty', entry, ''],
  ['an expense', 'a web page', expense, '<html></html>'],
  ['an expense', 'empty', expense, ''],
])('%s whose response was %s is found and not sent again', (_, __, line, body) =>
  expectFound(respondWith(body), line),
)

describe('a create with an unknown outcome', () => {
  const outcomes = { delivered: noFault, 'without a response': dropResponse, lost: dropRequest }

  test.each<(keyof typeof outcomes)[]>([
    ['delivered', 'without a response'],
    ['delivered', 'lost'],
    ['without a response', 'without a response'],
    ['without a response', 'lost'],
    ['lost', 'without a response'],
    ['lost', 'lost'],
  ])('that is %s, and an equal one that is %s, are two entries', async (...sent) => {
    const { cli, proxy, entries } = await setUpService()
    for (const [minute, outcome] of sent.entries()) {
      proxy.fault = outcomes[outcome]
      cli.setTime(`2024-05-08T12:1${minute}:00Z`)
      expect(await cli.run(...entry)).toMatchObject({ status: 0 })
    }
    proxy.fault = noFault
    cli.setTime('2024-05-08T12:30:00Z')
    expect(await cli.run('sync')).toMatchObject({ status: 0 })
    expect(await entries()).toHaveLength(2)
    expect(await cli.json('log')).toHaveLength(2)
  })

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

describe('a change whose response was lost', () => {
  test.each([
    ['an edit', entry, 'edit ID -n x --for 2h', [{ notes: 'x' }]],
    ['an edit of an expense', expense, 'expenses edit ID --amount 13 -n x', [{ notes: 'x' }]],
    ['a deletion', entry, 'rm ID --yes', []],
    ['a deletion of an expense', expense, 'expenses rm ID --yes', []],
  ])('is executed once: %s', async (_name, line, change, expected) => {
    const setup = await setUpService()
    const { cli, proxy } = setup
    const { id } = await cli.json(...line)
    proxy.fault = dropResponse
    expect(await cli.run(...change.replace('ID', String(id)).split(' '))).toMatchObject({ status: 0 })
    const there = await rowsOf(setup, line)
    proxy.fault = forwardWithoutKey
    expect(await cli.run('sync')).toMatchObject({ status: 0 })
    expect(await rowsOf(setup, line)).toEqual(there)
    expect(there).toMatchObject(expected)
    expect(await cli.json(line === entry ? 'log' : 'expenses')).toMatchObject(expected)
  })
})

test.each<[lines: string, sent: unknown[]]>([
  ['edit ID -n x; edit ID -n phone', []],
  ['edit ID -n x; rm ID --yes', [['DELETE', undefined]]],
  ['rm ID --yes; undo', []],
  ['edit ID -n x; rm ID --yes; undo', [['PATCH', { notes: 'x' }]]],
])('the offline changes "%s" of an entry are sent as %j', async (lines, sent) => {
  const { cli, proxy, takeChanges } = await setUpService()
  const { id } = await cli.json(...entry)
  takeChanges()
  await proxy.close()
  for (const line of lines.replaceAll('ID', String(id)).split('; ')) await cli.json(...line.split(' '))
  await proxy.open()
  expect(await cli.run('sync')).toMatchObject({ status: 0 })
  expect(takeChanges().map(({ method, body }) => [method, body])).toEqual(sent)
})

test.each([
  ['an entry', entry],
  ['an expense', expense],
])('a service that supports keys is sent %s again with its key, and has it once', async (_, line) => {
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
})
