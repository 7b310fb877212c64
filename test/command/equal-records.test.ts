import { describe, expect, test } from 'vitest'
import { rejection } from '../support/rejection.js'
import { forwardToForeign, type ServiceSetup, setUpService } from './service-fixtures.js'

const tram = ['expenses', 'add', '3', '--type', 'Travel', '-n', 'tram']
const tramRecord = { amount: '3', currency: 'EUR', notes: 'tram', spent_on: '2024-05-08' }

type Kind = 'with creation times' | 'without creation times'

/** Sets up a service of another kind, whose responses to creates `lose` cuts: before or after it has stored them. */
async function setUpForeign(kind: Kind): Promise<ServiceSetup & { lose(when?: 'before' | 'after'): void }> {
  const setup = await setUpService()
  const omitted = kind === 'with creation times' ? [] : ['created_at', 'updated_at']
  let lost: 'before' | 'after' | undefined
  setup.proxy.fault = async (request, forward) => {
    if (request.method !== 'POST' || lost === undefined) return forwardToForeign(request, forward, omitted)
    if (lost === 'after') await forwardToForeign(request, forward)
    return undefined
  }
  return {
    ...setup,
    lose: (when) => {
      lost = when
    },
  }
}

/** Adds an equal expense as another client. */
async function addElsewhere({ cli, sendAsOtherClient }: ServiceSetup) {
  const [type] = await cli.json<{ id: number }[]>('expenses', 'types')
  return sendAsOtherClient('POST', '/expenses', { expense: { ...tramRecord, expense_type_id: type?.id } })
}

describe.each(['with creation times', 'without creation times'] as const)('at a service %s', (kind) => {
  test('an expense that never arrived is not taken for an equal one that was there before', async () => {
    const service = await setUpForeign(kind)
    const { cli, lose, expenses } = service
    // Another client has added it since this machine has read the list.
    await addElsewhere(service)
    cli.setTime('2024-05-08T12:10:00Z')
    lose('before')
    await cli.run(...tram)
    lose()
    cli.setTime('2024-05-08T12:12:00Z')
    expect(await cli.run('sync')).toMatchObject({ status: 0 })
    expect(await expenses()).toHaveLength(2)
    expect(await cli.json('sync', 'list')).toEqual([])
  })

  test('an expense that was sent after a 429 is not taken for an equal one of the time between', async () => {
    const service = await setUpForeign(kind)
    const { cli, lose, expenses, proxy } = service
    const { fault } = proxy
    proxy.fault = (request, forward) =>
      request.method === 'POST' ? { status: 429, headers: {}, body: '' } : fault(request, forward)
    await cli.run(...tram)
    proxy.fault = fault
    cli.setTime('2024-05-08T12:15:00Z')
    await addElsewhere(service)
    lose('before')
    cli.setTime('2024-05-08T12:15:10Z')
    await cli.run('sync')
    lose()
    cli.setTime('2024-05-08T12:18:00Z')
    expect(await cli.run('sync')).toMatchObject({ status: 0 })
    expect(await expenses()).toHaveLength(2)
  })

  test('an expense that arrived is found although an equal one was there before', async () => {
    const service = await setUpForeign(kind)
    const { cli, lose, expenses } = service
    await addElsewhere(service)
    cli.setTime('2024-05-08T12:10:00Z')
    lose('after')
    await cli.run(...tram)
    lose()
    cli.setTime('2024-05-08T12:12:00Z')
    expect(await cli.run('sync')).toMatchObject({ status: 0 })
    expect(await expenses()).toHaveLength(2)
    expect(await cli.json('sync', 'list')).toEqual([])
  })

  test('two equal entries 45 seconds apart stay two when the first one never arrived', async () => {
    const service = await setUpForeign(kind)
    const { cli, lose, entries } = service
    const add = (from: string, to: string) =>
      cli.run('add', 'design', '--from', from, '--to', to, '-n', 'call')
    lose('before')
    await add('09:00:00', '09:00:30')
    lose('after')
    await add('09:00:45', '09:01:15')
    lose()
    cli.setTime('2024-05-08T12:05:00Z')
    await cli.run('sync')
    expect((await entries()).map(({ time_start: start }) => String(start).slice(11, 19)).sort()).toEqual([
      '07:00:00',
      '07:00:45',
    ])
    expect(await cli.json('sync', 'list')).toEqual([])
  })
})

describe('an expense that may be one of another client', () => {
  /** Loses an expense at a service without creation times, and finds an equal one an hour later. */
  async function setUpAmbiguous() {
    const service = await setUpForeign('without creation times')
    const { cli, lose } = service
    lose('before')
    await cli.run(...tram)
    lose()
    const { id: other } = await addElsewhere(service)
    cli.setTime('2024-05-08T13:30:00Z')
    return { ...service, other: String(other) }
  }

  test('is ambiguous, and other changes are sent', async () => {
    const { cli, other, entries, expenses } = await setUpAmbiguous()
    const { status, stderr } = await cli.run('add', 'design', '--from', '9:00', '--for', '1h')
    expect({ status, stderr }).toMatchObject({ status: 0, stderr: expect.stringContaining('is ambiguous') })
    expect(stderr).toContain(`tt sync adopt 1 ${other}`)
    expect(await entries()).toHaveLength(1)
    expect(await expenses()).toHaveLength(1)
    expect(await cli.json('sync', 'list')).toMatchObject([
      { id: 1, state: 'ambiguous', candidates: [other], in_doubt: true },
    ])
  })

  test('is not taken for it after a retry whose response is lost', async () => {
    const { cli, lose, expenses } = await setUpAmbiguous()
    expect(await cli.run('sync')).toMatchObject({ status: 7 })
    lose('before')
    await cli.run('sync', 'retry', '1')
    lose()
    cli.setTime('2024-05-08T13:35:00Z')
    expect(await cli.run('sync')).toMatchObject({ status: 0 })
    expect(await expenses()).toHaveLength(2)
  })

  test('is that one with tt sync adopt, with its later changes', async () => {
    const { cli, other, expenses } = await setUpAmbiguous()
    await cli.run('expenses', 'edit', '~1', '-n', 'tram home')
    await cli.run('sync')
    expect(await cli.run('sync', 'adopt', '1', other)).toMatchObject({ status: 0 })
    expect(await expenses()).toMatchObject([{ id: Number(other), notes: 'tram home' }])
    expect(await cli.json('sync', 'list')).toEqual([])
  })

  test('tt sync adopt exits 3 for records and changes that do not exist', async () => {
    const { cli } = await setUpAmbiguous()
    await cli.run('sync')
    for (const [words, message] of [
      [['1', '999'], 'has no expense 999'],
      [['77', '1'], 'No pending or rejected change'],
    ] as const) {
      const stderr = expect.stringContaining(message)
      expect(await cli.run('sync', 'adopt', ...words)).toMatchObject({ status: 3, stderr })
    }
  })
})

test('tt sync adopt rejects the record of another change', async () => {
  const service = await setUpForeign('without creation times')
  const { cli, lose } = service
  lose()
  const { id } = await cli.json('expenses', 'add', '9', '--type', 'Travel')
  lose('before')
  await cli.run(...tram)
  lose()
  await addElsewhere(service)
  cli.setTime('2024-05-08T13:30:00Z')
  await cli.run('sync')
  expect(await cli.run('sync', 'adopt', '2', String(id))).toMatchObject({ status: 2 })
  expect(await cli.json('sync', 'list')).toMatchObject([{ state: 'ambiguous' }])
})

test('tt sync adopt rejects a change whose outcome is unknown but that is no new record, and one that was never sent', async () => {
  const { cli, proxy } = await setUpService()
  const { id } = await cli.json('add', 'design', '--from', '9:00', '--for', '1h')
  proxy.fault = ({ method }, forward) => (method === 'GET' ? forward() : undefined)
  await cli.run('edit', String(id), '-n', 'x')
  await cli.run(...tram)
  for (const change of ['2', '3'])
    expect(await cli.run('sync', 'adopt', change, '5')).toMatchObject(
      rejection(2, `Change ${change} is not a new record whose outcome is unknown.`),
    )
})

describe('an entry that was added offline with the external ID of another one', () => {
  const add = (notes: string) => [
    ...['add', 'design', '--from', '9:00', '--for', '1h', '-n', notes, '--external-id', 'T-1'],
  ]

  async function setUpOffline(notes: string) {
    const service = await setUpService()
    const { cli, proxy, sendAsOtherClient } = service
    proxy.fault = () => undefined
    cli.setTime('2024-05-08T12:10:00Z')
    await cli.run(...add('here'))
    await sendAsOtherClient('POST', '/timesheets', {
      ...{ time_start: '2024-05-08T07:00:00Z', time_end: '2024-05-08T08:00:00Z' },
      ...{ task_link_id: 1, notes, external_id: 'T-1' },
    })
    const sentAt = '2024-05-08T12:11:00Z'
    // The service has created the other entry at noon.
    proxy.fault = async (_, forward) => {
      const response = await forward()
      return { ...response, headers: { ...response.headers, date: new Date(sentAt).toUTCString() } }
    }
    cli.setTime(sentAt)
    return service
  }

  test('is that one when it has the same content', async () => {
    const { cli, entries } = await setUpOffline('here')
    expect(await cli.run('sync')).toMatchObject({ status: 0 })
    expect(await entries()).toHaveLength(1)
    expect(await cli.json('sync', 'list')).toEqual([])
  })

  test('is in conflict when it has another content, and both are shown', async () => {
    const { cli, entries } = await setUpOffline('elsewhere')
    await cli.json('log')
    expect(await entries()).toMatchObject([{ notes: 'elsewhere' }])
    expect(await cli.json('sync', 'list')).toMatchObject([
      {
        state: 'conflict',
        message: expect.stringContaining('the notes are "elsewhere" there, and "here" here'),
      },
    ])
    expect(await cli.run('sync', 'retry', '1')).toMatchObject({ status: 0 })
    expect(await entries()).toMatchObject([{ notes: 'here' }])
  })
})
