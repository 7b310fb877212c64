import { describe, expect, test } from 'vitest'
import type { Fault, ProxiedRequest, ProxiedResponse } from '../support/proxy.js'
import { forwardToForeign, type ServiceSetup, setUpService } from './service-fixtures.js'

type Forward = typeof forwardToForeign

type LateService = Awaited<ReturnType<typeof setUpLate>>

/** Sets up a service with one entry, 09:00 to 17:00, and requests that it executes late. */
async function setUpLate(forwardRequest: Forward = forwardToForeign) {
  const setup = await setUpService()
  const { cli, proxy, entries } = setup
  const late: (() => Promise<ProxiedResponse>)[] = []
  let delayed = ''
  const headers: ProxiedRequest['headers'][] = []
  const fault: Fault = (request, forward) => {
    const send = () => forwardRequest(request, forward)
    headers.push({ ...request.headers })
    if (request.method !== delayed) return send()
    delayed = ''
    late.push(send)
    return undefined
  }
  proxy.fault = fault
  const { id } = await cli.json('add', 'design', '--from', '2024-05-07 09:00', '--to', '2024-05-07 17:00')
  return {
    ...setup,
    id: String(id),
    /** Cuts the connection of the next request with this method; `arrive` lets the service execute it. */
    delay(method: string) {
      delayed = method
    },
    async arrive() {
      for (const send of late.splice(0)) await send()
    },
    at: (time: string) => cli.setTime(`2024-05-08T${time}Z`),
    times: async () =>
      (await entries()).map(({ time_start: start, time_end: end }) =>
        [start, end].map((time) => String(time).slice(11, 16)).join('-'),
      ),
    sentHeaders: (name: string) => headers.flatMap((each) => each[name] ?? []),
  }
}

/** Runs a command at this time and expects exit 0; returns stderr. */
function runAt(service: LateService, time: string, ...argv: string[]): Promise<string> {
  service.at(time)
  return run(service, ...argv)
}

async function run({ cli }: Pick<ServiceSetup, 'cli'>, ...argv: string[]): Promise<string> {
  const { status, stderr } = await cli.run(...argv)
  expect({ argv, status, stderr }).toMatchObject({ status: 0 })
  return stderr
}

describe('an edit that the service applies late', () => {
  test('is undone by the edit that came after it, and nothing is pending then', async () => {
    const service = await setUpLate()
    const { id, cli, delay, arrive, at, times } = service
    delay('PATCH')
    expect(await runAt(service, '12:00:00', 'edit', id, '--to', '10:30')).toContain('Saved locally')
    expect(await runAt(service, '12:00:10', 'edit', id, '--to', '16:45')).toContain('Saved locally')
    const [before] = await times()
    at('12:00:20')
    await arrive()
    await runAt(service, '12:01:30', 'sync', '--wait')
    expect(before).not.toBe('09:00-16:45')
    expect(await times()).toEqual(['07:00-14:45'])
    expect(await cli.json('sync', 'list')).toEqual([])
  })

  test('is undone when its repetition and a later edit were delivered before', async () => {
    const service = await setUpLate()
    const { id, cli, delay, arrive, times } = service
    delay('PATCH')
    await runAt(service, '12:00:00', 'edit', id, '--to', '10:30')
    await runAt(service, '12:00:05', 'sync')
    expect(await times()).toEqual(['07:00-08:30'])
    expect(await runAt(service, '12:00:10', 'edit', id, '--to', '16:45')).toMatch(
      /Saved locally: an earlier change of the same record got no response and may still arrive\. It is sent in \d+ s\./,
    )
    expect(await cli.json('log', '--since', '2024-05-07')).toMatchObject([
      { pending: true, time_end: '2024-05-07T16:45:00+02:00' },
    ])
    await runAt(service, '12:01:01', 'status')
    expect(await times()).toEqual(['07:00-14:45'])
    await arrive()
    expect(await times()).toEqual(['07:00-08:30'])
  })

  test('is corrected by the next command when it arrives after its own repetition', {
    tags: 'slow',
  }, async () => {
    const service = await setUpLate()
    const { id, cli, delay, arrive, times } = service
    delay('PATCH')
    await runAt(service, '12:00:00', 'edit', id, '--to', '10:30', '-n', 'first')
    await runAt(service, '12:00:05', 'sync')
    await runAt(service, '12:00:10', 'edit', id, '--to', '16:45')
    await runAt(service, '12:00:20', 'edit', id, '-n', 'second')
    await arrive()
    expect(await run(service, 'sync')).toContain('It is sent in 40 s')
    await runAt(service, '12:01:05', 'log')
    expect(await times()).toEqual(['07:00-14:45'])
    expect(await service.entries()).toMatchObject([{ notes: 'second' }])
    expect(await cli.json('sync', 'list')).toEqual([])
    expect(await run(service, 'sync')).toContain('No pending changes')
  })

  test('leaves an undo a change: a split day has all its hours again', async () => {
    const service = await setUpLate()
    const { id, cli, delay, arrive, times } = service
    delay('PATCH')
    await runAt(service, '12:00:00', 'split', id, '--at', '10:00')
    await runAt(service, '12:00:10', 'undo')
    await arrive()
    await runAt(service, '12:01:30', 'sync', '--wait')
    await runAt(service, '12:03:00', 'sync', '--wait')
    expect(await times()).toEqual(['07:00-15:00'])
    expect(await cli.json('sync', 'list')).toEqual([])
  })

  test('is in conflict when another client has changed one of its fields as well', {
    tags: 'slow',
  }, async () => {
    const service = await setUpLate()
    const { id, cli, delay, arrive, at, sendAsOtherClient } = service
    delay('PATCH')
    await runAt(service, '12:00:00', 'edit', id, '--to', '10:30', '-n', 'first')
    await runAt(service, '12:00:05', 'edit', id, '--to', '16:45')
    await runAt(service, '12:00:10', 'edit', id, '--to', '10:45')
    await runAt(service, '12:01:30', 'sync')
    delay('PATCH')
    await run(service, 'edit', id, '--to', '11:30', '-n', 'second')
    await runAt(service, '12:01:35', 'sync')
    await runAt(service, '12:01:40', 'edit', id, '--to', '12:30', '-n', 'third')
    await arrive()
    await sendAsOtherClient('PATCH', `/timesheets/${id}`, { notes: 'elsewhere' })
    at('12:02:40')
    await cli.run('sync')
    expect(await cli.json('sync', 'list')).toMatchObject([
      { state: 'conflict', op: 'update', fields: { notes: 'third' } },
    ])
    expect(await service.times()).toEqual(['07:00-10:30'])
  })

  describe('does not replace what another client has set before its repetition', () => {
    async function setUpConflict() {
      const service = await setUpLate()
      const { id, cli, delay, arrive, at, sendAsOtherClient } = service
      delay('PATCH')
      await runAt(service, '12:00:00', 'edit', id, '--to', '10:30', '-n', 'here')
      await sendAsOtherClient('PATCH', `/timesheets/${id}`, { notes: 'elsewhere' })
      at('12:00:05')
      await cli.run('sync')
      await arrive()
      expect(await service.entries()).toMatchObject([{ notes: 'here' }])
      return service
    }

    test('and the conflict stays', async () => {
      const service = await setUpConflict()
      service.at('12:01:10')
      await service.cli.run('sync')
      expect(await service.entries()).toMatchObject([{ notes: 'elsewhere' }])
      expect(await service.cli.json('sync', 'list')).toMatchObject([
        { state: 'conflict', fields: { notes: 'here' } },
      ])
    })

    test('nor what it has set after that in another field', async () => {
      const service = await setUpConflict()
      await service.sendAsOtherClient('PATCH', `/timesheets/${service.id}`, {
        time_end: '2024-05-07T18:00:00Z',
      })
      service.at('12:01:10')
      await service.cli.run('sync')
      expect(await service.times()).toEqual(['07:00-18:00'])
    })
  })
})

describe('a deletion that the service applies late', () => {
  test('deletes no record that undo has restored', async () => {
    const service = await setUpLate()
    const { id, cli, delay, arrive, times } = service
    delay('DELETE')
    await runAt(service, '12:00:00', 'rm', id, '--yes')
    await runAt(service, '12:00:10', 'undo')
    await arrive()
    await runAt(service, '12:02:30', 'sync', '--wait')
    expect(await times()).toEqual(['07:00-15:00'])
    expect(await cli.json('sync', 'list')).toEqual([])
  })

  test('is repeated at once, and the record is gone', async () => {
    const service = await setUpLate()
    const { id, delay, times } = service
    delay('DELETE')
    await runAt(service, '12:00:00', 'rm', id, '--yes')
    await runAt(service, '12:00:10', 'sync')
    expect(await times()).toEqual([])
  })
})

describe('a service that honours If-Match', () => {
  const forwardWithConditions: Forward = (_request, forward) => forward()

  /** Sets up a service where another client edits the notes before the first request with this method. */
  async function setUpEditedBefore(method: string): Promise<LateService> {
    const service = await setUpLate(forwardWithConditions)
    const { id, proxy, sendAsOtherClient } = service
    const { fault } = proxy
    let isEdited = false
    proxy.fault = async (request, forward) => {
      if (request.method === method && !isEdited) {
        isEdited = true
        await sendAsOtherClient('PATCH', `/timesheets/${id}`, { notes: 'elsewhere' })
      }
      return fault(request, forward)
    }
    return service
  }

  test('gets a later edit at once, and rejects the one that arrives late', async () => {
    const service = await setUpLate(forwardWithConditions)
    const { id, cli, delay, arrive, times, sentHeaders } = service
    delay('PATCH')
    await runAt(service, '12:00:00', 'edit', id, '--to', '10:30')
    await runAt(service, '12:00:05', 'edit', id, '--to', '16:45')
    expect(await times()).toEqual(['07:00-14:45'])
    await arrive()
    expect(await times()).toEqual(['07:00-14:45'])
    expect(await cli.json('sync', 'list')).toEqual([])
    expect(sentHeaders('if-match').length).toBeGreaterThanOrEqual(3)
  })

  test('keeps other fields that another client has changed between the read and the request', async () => {
    const service = await setUpEditedBefore('PATCH')
    await run(service, 'edit', service.id, '--to', '16:45')
    expect(await service.times()).toEqual(['07:00-14:45'])
    expect(await service.entries()).toMatchObject([{ notes: 'elsewhere' }])
  })

  test('has a conflict when another client has changed the same field in between', async () => {
    const { id, cli, entries } = await setUpEditedBefore('PATCH')
    await cli.run('edit', id, '-n', 'here')
    expect(await entries()).toMatchObject([{ notes: 'elsewhere' }])
    expect(await cli.json('sync', 'list')).toMatchObject([{ state: 'conflict' }])
  })

  test('keeps a record that another client has changed before it is deleted', async () => {
    const { id, cli, entries } = await setUpEditedBefore('DELETE')
    await cli.run('rm', id, '--yes')
    expect(await entries()).toMatchObject([{ notes: 'elsewhere' }])
    expect(await cli.json('sync', 'list')).toMatchObject([{ state: 'conflict', op: 'delete' }])
  })
})
