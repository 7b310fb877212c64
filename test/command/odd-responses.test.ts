// @module-tag slow

import { describe, expect, test } from 'vitest'
import type { Fault } from '../support/proxy.js'
import { noFault } from '../support/proxy.js'
import { forwardToForeign, type ServiceSetup, setUpService } from './service-fixtures.js'

const noRoute = {
  status: 404,
  headers: { 'content-type': 'application/json' },
  body: '{"message":"no Route matched with those values"}',
}

/** Responds like a gateway without a route, or with this response, to reading paths with this end. */
const withoutPath =
  (end: string, response = noRoute): Fault =>
  (request, forward) =>
    request.method === 'GET' && request.path.endsWith(end) ? response : forwardToForeign(request, forward)

/** Sets up an entry and an expense of the day before. */
async function setUpRecords(): Promise<ServiceSetup & { entry: string; expense: string }> {
  const setup = await setUpService()
  setup.proxy.fault = forwardToForeign
  const { id: entry } = await setup.cli.json('add', 'design', '--from', '7:00', '--for', '1h', '-n', 'old')
  const { id: expense } = await setup.cli.json('expenses', 'add', '5', '--type', 'Travel', '-n', 'old')
  return { ...setup, entry: String(entry), expense: String(expense) }
}

type Records = Awaited<ReturnType<typeof setUpRecords>>

const changes: [string, (records: Records) => string[]][] = [
  ['an edit of an entry', ({ entry }) => ['edit', entry, '-n', 'new']],
  ['a deletion of an entry', ({ entry }) => ['rm', entry, '--yes']],
  ['an edit of an expense', ({ expense }) => ['expenses', 'edit', expense, '-n', 'new']],
  ['a deletion of an expense', ({ expense }) => ['expenses', 'rm', expense, '--yes']],
  ['a new entry', () => ['add', 'design', '--from', '9:00', '--for', '1h']],
  ['a new expense', () => ['expenses', 'add', '7', '--type', 'Travel']],
]

describe.each(changes)('%s', (_, words) => {
  test('stays pending while a gateway responds 404 to everything, and is sent once then', async () => {
    const records = await setUpRecords()
    const { cli, proxy, takeChanges, entries, expenses } = records
    const before = { entries: await entries(), expenses: await expenses() }
    // The command reads the records, then the gateway loses its routes.
    let hasRoutes = true
    proxy.fault = (request, forward) => {
      if (request.method !== 'GET') hasRoutes = false
      return hasRoutes ? forwardToForeign(request, forward) : noRoute
    }
    const { status, stderr } = await cli.run(...words(records))
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining('Saved locally') })
    for (const text of [new URL(proxy.url).host, '404', 'no Route matched']) expect(stderr).toContain(text)
    for (let round = 0; round < 3; round++) await cli.run('status')
    expect(await cli.json('sync', 'list')).toMatchObject([{ state: 'waiting' }])
    expect({ entries: await entries(), expenses: await expenses() }).toEqual(before)
    proxy.fault = forwardToForeign
    takeChanges()
    cli.setTime('2024-05-08T12:05:00Z')
    expect(await cli.run('sync')).toMatchObject({ status: 0 })
    expect(takeChanges()).toHaveLength(1)
    expect(await cli.json('sync', 'list')).toEqual([])
  })
})

test('changes of another collection are sent while one is not the API', async () => {
  const { cli, proxy, entries } = await setUpRecords()
  proxy.fault = (request, forward) =>
    request.path.includes('/expenses') ? noRoute : forwardToForeign(request, forward)
  expect(await cli.run('expenses', 'add', '7', '--type', 'Travel')).toMatchObject({ status: 0 })
  expect(await cli.json('add', 'design', '--from', '9:00', '--for', '1h')).toMatchObject({ pending: false })
  expect(await entries()).toHaveLength(2)
  expect(await cli.json('sync', 'list')).toMatchObject([{ kind: 'expense', state: 'waiting' }])
  expect(await cli.run('sync')).toMatchObject({
    status: 6,
    stderr: expect.stringContaining('This is not the API'),
  })
})

test.each([404, 405])('a new entry is rejected with %i by a service whose list is valid', async (status) => {
  const { cli, proxy } = await setUpRecords()
  proxy.fault = (request, forward) =>
    request.method === 'POST' ? { ...noRoute, status } : forwardToForeign(request, forward)
  expect(await cli.run('add', 'design', '--from', '9:00', '--for', '1h')).toMatchObject({ status: 7 })
  expect(await cli.json('sync', 'list')).toMatchObject([{ state: 'refused' }])
})

test('a deletion that a gateway answers with 404 is not done while the service lists the record', async () => {
  const { cli, proxy, entry, entries } = await setUpRecords()
  proxy.fault = (request, forward) =>
    request.method === 'DELETE' ? noRoute : forwardToForeign(request, forward)
  expect(await cli.run('rm', entry, '--yes')).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('But the service lists the record'),
  })
  expect(await entries()).toHaveLength(1)
  proxy.fault = forwardToForeign
  cli.setTime('2024-05-08T12:02:00Z')
  await cli.run('sync')
  expect(await entries()).toEqual([])
})

test.each([
  [['undo', '--yes'], []],
  [['edit', '@1', '-n', 'new'], [{ notes: 'new' }]],
])('tt %j changes an entry that a gateway answers with 404 to reading it', async (words, expected) => {
  const { cli, proxy, entries } = await setUpService()
  proxy.fault = forwardToForeign
  const { id } = await cli.json('add', 'design', '--from', '7:00', '--for', '1h', '-n', 'old')
  proxy.fault = withoutPath(`/timesheets/${id}`)
  expect(await cli.run(...words)).toMatchObject({ status: 0 })
  proxy.fault = forwardToForeign
  expect(await entries()).toMatchObject(expected)
})

describe('a deletion that the service accepts without doing it', () => {
  const accepted: Fault = (request, forward) =>
    request.method === 'DELETE' ? { status: 204, headers: {}, body: '' } : forwardToForeign(request, forward)

  test('is sent again once when a later list has the record', async () => {
    const { cli, proxy, entry, entries } = await setUpRecords()
    proxy.fault = accepted
    expect(await cli.run('rm', entry, '--yes')).toMatchObject({ status: 0 })
    proxy.fault = forwardToForeign
    cli.setTime('2024-05-08T12:01:00Z')
    await cli.json('log')
    cli.setTime('2024-05-08T12:02:00Z')
    await cli.json('log')
    expect(await entries()).toEqual([])
    expect(await cli.json('sync', 'list')).toEqual([])
  })

  test('is reported when the record is there after that, too', async () => {
    const { cli, proxy, entry, takeChanges } = await setUpRecords()
    proxy.fault = accepted
    await cli.run('rm', entry, '--yes')
    takeChanges()
    const warnings: string[] = []
    for (let minute = 1; minute < 9; minute++) {
      cli.setTime(`2024-05-08T12:0${minute}:00Z`)
      warnings.push((await cli.run('log')).stderr)
    }
    expect(takeChanges()).toHaveLength(1)
    expect(warnings.filter((text) => text.includes('accepted its deletion twice'))).toHaveLength(1)
  })

  test('is not sent again for a record that another client has restored', async () => {
    const { cli, proxy, entry, takeChanges, sendAsOtherClient } = await setUpRecords()
    proxy.fault = accepted
    await cli.run('rm', entry, '--yes')
    await sendAsOtherClient('PATCH', `/timesheets/${entry}`, { notes: 'restored' })
    proxy.fault = forwardToForeign
    takeChanges()
    for (const minute of [1, 2, 3]) {
      cli.setTime(`2024-05-08T12:0${minute}:00Z`)
      await cli.json('log')
    }
    expect(takeChanges()).toEqual([])
  })
})

describe('a create whose look-up is rejected', () => {
  test.each([403, 404, 422])('with %i is neither rejected nor doubled', async (status) => {
    const { cli, proxy, entries } = await setUpRecords()
    proxy.fault = async (request, forward) => {
      const response = await forwardToForeign(request, forward)
      return request.method === 'POST' ? undefined : response
    }
    await cli.run('add', 'design', '--from', '9:00', '--for', '1h')
    proxy.fault = withoutPath('/timesheets', { ...noRoute, status })
    cli.setTime('2024-05-08T12:05:00Z')
    expect((await cli.run('expenses', 'add', '7', '--type', 'Travel')).status).toBe(0)
    await cli.run('sync')
    expect(await cli.json('sync', 'list')).toMatchObject([
      { kind: 'entry', state: 'waiting', in_doubt: true },
    ])
    proxy.fault = forwardToForeign
    cli.setTime('2024-05-08T12:06:00Z')
    expect(await cli.run('sync')).toMatchObject({ status: 0 })
    expect(await entries()).toHaveLength(2)
    expect(await cli.json('sync', 'list')).toEqual([])
  })

  test('is ambiguous after a day, and tt sync retry sends it', async () => {
    const { cli, proxy, entries } = await setUpRecords()
    proxy.fault = (request, forward) =>
      request.method === 'POST' ? undefined : forwardToForeign(request, forward)
    await cli.run('add', 'design', '--from', '9:00', '--for', '1h')
    proxy.fault = withoutPath('/timesheets', { ...noRoute, status: 422 })
    cli.setTime('2024-05-09T13:00:00Z')
    expect(await cli.run('sync')).toMatchObject({ status: 7, stderr: expect.stringContaining('ambiguous') })
    expect(await cli.json('sync', 'list')).toMatchObject([{ id: 3, state: 'ambiguous', candidates: [] }])
    proxy.fault = forwardToForeign
    expect(await cli.run('sync', 'retry', '3')).toMatchObject({ status: 0 })
    expect(await entries()).toHaveLength(2)
  })
})

test('a create is sent again with its key, and without a look-up, once the service supports keys', async () => {
  const { cli, proxy, entries, clearRequests } = await setUpRecords()
  proxy.fault = ({ method }, forward) => (method === 'POST' ? undefined : forward())
  await cli.run('add', 'design', '--from', '9:00', '--for', '1h')
  proxy.fault = noFault
  clearRequests()
  await cli.run('expenses', 'list')
  const lookUps = proxy.requests.filter(
    ({ method, path }) => method === 'GET' && path.endsWith('/timesheets'),
  )
  expect(lookUps.length).toBeLessThanOrEqual(1)
  expect(await entries()).toHaveLength(2)
})

test.each([404, 422])(
  'an edit whose response is empty is not rejected by a %i to reading its entry',
  async (status) => {
    const { cli, proxy, entry, entries } = await setUpRecords()
    proxy.fault = async (request, forward) => {
      const response = await forwardToForeign(request, forward)
      if (request.method === 'PATCH') return { status: 200, headers: {}, body: '' }
      const isEntry = request.method === 'GET' && request.path.endsWith(`/timesheets/${entry}`)
      return isEntry && proxy.requests.some(({ method }) => method === 'PATCH')
        ? { ...noRoute, status }
        : response
    }
    await cli.run('edit', entry, '-n', 'new')
    expect(await cli.json('sync', 'list')).toMatchObject([{ state: 'waiting' }])
    proxy.fault = forwardToForeign
    expect(await cli.run('sync')).toMatchObject({ status: 0 })
    expect(await entries()).toMatchObject([{ notes: 'new' }])
  },
)

test.each([403, 422, 500])('a %i to reading an entry rejects no change of it', async (status) => {
  const { cli, proxy, entry, entries } = await setUpRecords()
  proxy.fault = () => undefined
  await cli.run('edit', entry, '-n', 'new')
  proxy.fault = withoutPath(`/timesheets/${entry}`, {
    ...noRoute,
    status,
    body: '{"error":"invalid_filter"}',
  })
  cli.setTime('2024-05-08T12:05:00Z')
  expect(await cli.run('add', 'design', '--from', '9:00', '--for', '1h')).toMatchObject({ status: 0 })
  expect(await cli.json('sync', 'list')).toMatchObject([{ state: 'waiting', op: 'update' }])
  expect(await entries()).toMatchObject([{ notes: 'old' }, {}])
  proxy.fault = forwardToForeign
  expect(await cli.run('sync')).toMatchObject({ status: 0 })
  expect(await entries()).toMatchObject([{ notes: 'new' }, {}])
})

test('tt sync --wait ends when a record cannot be read again, and says so', async () => {
  const { cli, proxy, entry } = await setUpRecords()
  proxy.fault = (request, forward) =>
    request.method === 'PATCH' ? undefined : forwardToForeign(request, forward)
  await cli.run('edit', entry, '-n', 'new')
  proxy.fault = forwardToForeign
  await cli.run('sync')
  proxy.fault = withoutPath(`/timesheets/${entry}`, {
    ...noRoute,
    status: 403,
    body: '{"error":"forbidden"}',
  })
  cli.setTime('2024-05-08T12:05:00Z')
  expect((await cli.run('sync', '--wait')).stderr).toContain(`entry ${entry} cannot be read`)
  cli.setTime('2024-05-10T12:05:00Z')
  await cli.run('sync')
  expect((await cli.run('sync')).stderr).not.toContain('cannot be read')
})
