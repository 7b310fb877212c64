import { describe, expect, test } from 'vitest'
import {
  design,
  type ForeignServiceSetup,
  readLog,
  runAt,
  setUpForeignService,
} from '../support/foreign-service-setup.js'
import { dropRequest, noFault } from '../support/proxy.js'

const rejection = { status: 422, body: '{"errors":{"time_end":["must be given"]}}' }

/** Sets up a service that rejects open entries, and a timer since 08:00, which is local. */
async function setUpLocalTimer(openEntryResponse = rejection): Promise<ForeignServiceSetup> {
  const setup = await setUpForeignService({ openEntryResponse })
  await runAt(setup.cli, '08:00:00', 'start', 'design', '-n', 'one')
  return setup
}

/** Returns the requests since the last call that change records. */
const takeChanges = ({ service }: ForeignServiceSetup) =>
  service.requests.splice(0).filter((request) => !request.startsWith('GET'))

describe('a local timer', () => {
  test('starts without a warning, and is shown like any other', async () => {
    const setup = await setUpForeignService({ openEntryResponse: rejection })
    const stderr = await runAt(setup.cli, '08:00:00', 'start', 'design', '-n', 'one')
    expect(stderr).toBe('Started Website / Design at 08:00.\n')
    expect((await setup.cli.run('status')).stderr).toBe('')
    expect(await setup.cli.json('status')).toMatchObject({
      id: '~1',
      local_id: '~1',
      running: true,
      pending: true,
      time_end: null,
    })
    expect(await setup.cli.json('status', '--cached')).toMatchObject({ id: '~1', notes: 'one' })
    expect(await readLog(setup.cli)).toEqual([design('one', '08:00', '')])
    expect(await setup.entries()).toEqual([])
  })

  test('does not fail tt sync, which leaves it local', async () => {
    const setup = await setUpLocalTimer()
    takeChanges(setup)
    expect(await runAt(setup.cli, '08:10:00', 'sync')).not.toMatch(/still pending|rejected|in conflict/)
    expect(await setup.cli.json('sync', 'list')).toMatchObject([{ state: 'held', record: '~1' }])
    expect(takeChanges(setup)).toEqual([])
  })

  test('is delivered in one request when it stops, and is still found by its local ID', {
    tags: 'slow',
  }, async () => {
    const setup = await setUpLocalTimer()
    takeChanges(setup)
    await runAt(setup.cli, '08:20:00', 'edit', '@', '--from', '07:50', '-n', 'two')
    await runAt(setup.cli, '08:25:00', 'edit', '~1', '--task', 'review')
    expect(await runAt(setup.cli, '08:30:00', 'stop', '-n', 'three')).toContain('40m (07:50–08:30)')
    expect(takeChanges(setup)).toEqual(['POST /timesheets'])
    expect(await setup.entries()).toEqual([{ task: 'Review', notes: 'three', from: '07:50', to: '08:30' }])
    expect(await setup.cli.json('show', '~1')).toMatchObject({ notes: 'three', pending: false })
    expect(await setup.cli.json('sync', 'list')).toEqual([])
  })

  test('saves a request for the next timer', async () => {
    const setup = await setUpLocalTimer()
    await runAt(setup.cli, '08:30:00', 'stop')
    takeChanges(setup)
    await runAt(setup.cli, '08:40:00', 'start', 'review')
    expect(takeChanges(setup)).toEqual([])
    await runAt(setup.cli, '08:50:00', 'start', 'design')
    await runAt(setup.cli, '08:55:00', 'stop')
    expect(takeChanges(setup)).toEqual(['POST /timesheets', 'POST /timesheets'])
  })

  test('is cancelled and restored by undo without a request', { tags: 'slow' }, async () => {
    const setup = await setUpLocalTimer()
    takeChanges(setup)
    expect(await runAt(setup.cli, '08:10:00', 'cancel', '--yes')).toContain(
      'Cancelled Website / Design (10m)',
    )
    expect(await setup.cli.json('status')).toBeNull()
    expect(await setup.cli.json('sync', 'list')).toEqual([])
    await runAt(setup.cli, '08:11:00', 'undo')
    expect(await setup.cli.json('status')).toMatchObject({ notes: 'one', running: true })
    await runAt(setup.cli, '08:12:00', 'undo')
    expect(await setup.cli.json('status')).toBeNull()
    expect(takeChanges(setup)).toEqual([])
    expect(await setup.entries()).toEqual([])
  })

  test('runs again after its stop is undone, also offline', async () => {
    const setup = await setUpLocalTimer()
    await runAt(setup.cli, '08:30:00', 'stop')
    setup.proxy.fault = dropRequest
    await runAt(setup.cli, '08:40:00', 'undo')
    expect(await setup.cli.json('status')).toMatchObject({ notes: 'one', running: true })
    expect(await readLog(setup.cli)).toEqual([design('one', '08:00', '')])
    await runAt(setup.cli, '08:50:00', 'stop')
    setup.proxy.fault = noFault
    await runAt(setup.cli, '08:55:00', 'sync')
    expect(await setup.entries()).toEqual([design('one', '08:00', '08:50')])
    expect(await setup.cli.json('sync', 'list')).toEqual([])
  })
})

test('the knowledge that a service rejects open entries is removed when the service also rejects the entry with its end', {
  tags: 'slow',
}, async () => {
  const setup = await setUpLocalTimer({ status: 422, body: '' })
  // The task link was the reason: the service now rejects every create.
  setup.proxy.fault = ({ method }, forward) =>
    method === 'POST' ? { status: 422, headers: {}, body: '{"errors":["Not today."]}' } : forward()
  setup.cli.setTime('2024-05-08T08:30:00')
  const stopped = await setup.cli.run('stop')
  expect(stopped).toMatchObject({ status: 7, stderr: expect.stringContaining('Not today.') })
  expect(await readLog(setup.cli)).toEqual([design('one', '08:00', '08:30')])
  setup.proxy.fault = noFault
  setup.service.variant = {}
  takeChanges(setup)
  await runAt(setup.cli, '08:40:00', 'start', 'review', '-n', 'open')
  expect(takeChanges(setup)).toEqual(['POST /timesheets'])
  expect(await setup.entries()).toEqual([{ task: 'Review', notes: 'open', from: '08:40', to: '' }])
  await runAt(setup.cli, '08:41:00', 'sync', 'retry', '1')
  expect(await setup.cli.json('sync', 'list')).toEqual([])
  expect(await setup.entries()).toHaveLength(2)
})
