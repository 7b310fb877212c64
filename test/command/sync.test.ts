import { describe, expect, test } from 'vitest'
import { stopMonotonicClock } from '../support/monotonic-clock.js'
import type { Fault } from '../support/proxy.js'
import {
  dropRequest,
  dropResponse,
  jsonResponse,
  noFault,
  respondToAll,
  respondToChanges,
} from '../support/proxy.js'
import { type ServiceSetup, setUpService } from './service-fixtures.js'

const change = ['add', 'design', '--from', '9:00', '--for', '1h']
/** When a request of noon can no longer arrive. */
const afterSettling = '2024-05-08T12:02:00Z'
const rejectChanges = respondToChanges(422, { errors: { task_link_id: ['is closed'] } })

/** Sets up a service with this number of pending entries. */
async function setUpPending(count: number, options = {}): Promise<ServiceSetup> {
  const setup = await setUpService(options)
  await setup.proxy.close()
  for (let hour = 1; hour <= count; hour++)
    await setup.cli.json('add', 'design', '--from', `${hour}:00`, '--for', '10m', '-n', `#${hour}`)
  await setup.proxy.open()
  setup.clearRequests()
  return setup
}

/** Applies one fault to each change that is sent; later changes pass. */
function applyInTurn(...faults: Fault[]): Fault {
  return (request, forward) =>
    (request.method === 'GET' ? noFault : (faults.shift() ?? noFault))(request, forward)
}

describe('tt sync', () => {
  test('prints that nothing is pending, and sends no request', async () => {
    const { cli, proxy } = await setUpService()
    expect(await cli.run('sync')).toMatchObject({
      status: 0,
      stdout: '',
      stderr: 'No pending changes.\n',
    })
    expect(await cli.run('sync', '--json')).toMatchObject({ status: 0, stdout: '[]\n', stderr: '' })
    expect(proxy.requests).toEqual([])
  })

  test('retries after failures of a service that responds from time to time', async () => {
    const { cli, proxy, entries } = await setUpPending(4)
    const trouble = respondToChanges(503)
    proxy.fault = applyInTurn(dropRequest, noFault, trouble, dropResponse, noFault, dropResponse, dropRequest)
    expect(await cli.run('sync')).toMatchObject({ status: 0, stderr: 'Sent 4 changes.\n' })
    expect((await entries()).map(({ notes }) => notes)).toEqual(['#1', '#2', '#3', '#4'])
  })

  test('waits as long as Retry-After requests', async () => {
    const { cli, proxy, entries } = await setUpPending(2, { ticking: true })
    proxy.fault = () => {
      proxy.fault = noFault
      return jsonResponse(429, '', { 'retry-after': '20' })
    }
    expect(await cli.run('sync')).toMatchObject({ status: 0 })
    expect(await entries()).toHaveLength(2)
    expect(cli.pausesMs).toEqual([expect.closeTo(20_000, -4)]) // Less the time since the response.
  })

  test('exits 6 with the pending changes when the service stays unreachable', async () => {
    const { cli, proxy } = await setUpPending(2)
    proxy.fault = dropRequest
    const outcome = await cli.run('sync', '--json')
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
    expect(cli.pausesMs).toHaveLength(2)
    expect(JSON.parse(outcome.stderr)).toMatchObject({
      error: {
        code: 'unreachable',
        message: expect.stringMatching(/^2 changes are still pending\. The service .* cannot be reached/),
      },
    })
  })

  test('is not needed: the next command that reads sends the changes, and warns about a rejected one', async () => {
    const { cli, proxy } = await setUpPending(1)
    proxy.fault = rejectChanges
    expect(await cli.run('log')).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/is closed\. Run `tt sync retry 1`/),
    })
    expect(await cli.json('sync', 'list')).toMatchObject([{ state: 'refused' }])
  })

  test('exits 4 and leaves all changes pending when the service does not accept the token', async () => {
    const { cli, proxy } = await setUpPending(2)
    proxy.fault = respondToAll(401)
    expect(await cli.run('sync')).toMatchObject({
      status: 4,
      stderr: expect.stringContaining('2 changes are still pending.'),
    })
    proxy.fault = respondToChanges(403, { error: 'insufficient_scope' })
    expect(await cli.run('sync')).toMatchObject({
      status: 5,
      stderr: expect.stringContaining('2 changes are still pending.'),
    })
    proxy.fault = noFault
    expect(await cli.run('sync')).toMatchObject({ status: 0 })
  })

  test('exits 7 with the rejected change and delivers the others', async () => {
    const { cli, proxy, entries } = await setUpPending(3)
    proxy.fault = applyInTurn(noFault, rejectChanges)
    const outcome = await cli.run('sync')
    expect(outcome).toMatchObject({ status: 7 })
    expect(outcome.stderr).toMatch(
      /^Sent 2 changes\.\nerror: 1 change is rejected\.\nRun `tt sync retry 2` to send it again, or `tt sync discard 2` to discard it\./,
    )
    expect((await entries()).map(({ notes }) => notes)).toEqual(['#1', '#3'])
    expect(await cli.json('sync', 'list')).toMatchObject([
      { id: 2, state: 'refused', record: '~2', message: 'task_link_id is closed', status: 422 },
    ])
    expect((await cli.run('sync', 'list', '--csv')).stdout).toMatch(
      /^id,state,op,record,when,notes,message\r\n2,refused,create,~2,.*,#2,task_link_id is closed\r\n$/,
    )
    const table = await cli.runInTerminal(120, 'sync', 'list')
    expect(table.stdout).toMatch(/ID +State +Change +Record +When +Notes +Reason/)
    expect(table.stdout).toContain('2: task_link_id is closed')
  })

  test('shows its progress in a terminal on a line that it clears at the end', async () => {
    const { cli } = await setUpPending(3)
    const { stderr } = await cli.runInTerminal(80, 'sync')
    expect(stderr).toContain('\r\u001b[KSent 1, 2 pending')
    expect(stderr).toContain('\r\u001b[KSent 3, 0 pending\r\u001b[K')
    expect(stderr).toMatch(/KSent 3 changes\.\nNo pending changes\.\n$/)
    expect((await cli.runInTerminal(80, 'sync')).stderr).toBe('No pending changes.\n')
  })
})

describe('a rejected change', () => {
  /** Sets up a rejected create with the local ID ~1. */
  async function setUpRejected(...line: string[]) {
    const setup = await setUpService()
    setup.proxy.fault = rejectChanges
    expect(await setup.cli.run(...line)).toMatchObject({
      status: 7,
      stderr: expect.stringMatching(
        /The service rejected the change \(422\): task_link_id is closed\.\n.*`tt sync retry 1`/,
      ),
    })
    setup.proxy.fault = noFault
    setup.clearRequests()
    return setup
  }

  /** Sets up a rejected create with the local ID ~1 and an update that depends on it. */
  async function setUpDependent() {
    const setup = await setUpService()
    const { cli, proxy } = setup
    // The create is sent, so that later changes cannot be merged into it.
    proxy.fault = dropRequest
    await cli.json(...change)
    await cli.json('edit', '~1', '-n', 'x')
    cli.setTime(afterSettling)
    proxy.fault = rejectChanges
    expect(await cli.run('sync')).toMatchObject({ status: 7 })
    proxy.fault = noFault
    setup.clearRequests()
    return setup
  }

  test('is sent again by tt sync retry', async () => {
    const { cli, entries } = await setUpRejected(...change)
    expect(await cli.run('sync', 'retry', '~1')).toMatchObject({ status: 0, stderr: 'Sent 1 change.\n' })
    expect(await entries()).toHaveLength(1)
  })

  test('stays when the service rejects it again, and is discarded by tt sync discard after a prompt', async () => {
    const { cli, proxy, entries } = await setUpRejected(...change)
    proxy.fault = rejectChanges
    expect(await cli.run('sync', 'retry', '1')).toMatchObject({ status: 7 })
    expect(await cli.json('sync', 'list')).toMatchObject([{ id: 1, state: 'refused' }])
    proxy.fault = noFault
    expect(await cli.run('sync', 'discard', '1')).toMatchObject({ status: 2 })
    expect(await cli.run('sync', 'discard', '1', '--yes')).toMatchObject({
      status: 0,
      stderr: 'Discarded 1 change.\n',
    })
    expect(await cli.run('show', '~1')).toMatchObject({ status: 3 })
    expect(await cli.run('sync')).toMatchObject({ status: 0 })
    expect(await entries()).toEqual([])
    expect(await cli.run('sync', 'retry', '1')).toMatchObject({ status: 3 })
  })

  test('is found by the ID of its entry when it is an update', async () => {
    const { cli, proxy, entries } = await setUpService()
    for (let count = 1; count <= 3; count++) await cli.json(...change)
    const { id } = await cli.json(...change)
    proxy.fault = rejectChanges
    expect(await cli.run('edit', String(id), '-n', 'x')).toMatchObject({ status: 7 })
    expect(await cli.json('show', String(id))).toMatchObject({ notes: null, pending: false })
    proxy.fault = noFault
    expect(await cli.run('sync', 'retry', String(id))).toMatchObject({ status: 0 })
    expect((await entries()).at(-1)).toMatchObject({ notes: 'x' })
  })

  test('is not sent again automatically, and keeps its dependent changes pending', async () => {
    const { cli, entries, takeChanges } = await setUpDependent()
    expect(await cli.json('sync', 'list')).toMatchObject([
      { state: 'refused' },
      { state: 'waiting', op: 'update' },
    ])
    await cli.run('log')
    expect(takeChanges()).toEqual([])
    expect(await cli.run('sync', 'retry', '1')).toMatchObject({ status: 0 })
    expect(await entries()).toMatchObject([{ notes: 'x' }])
  })

  test('is discarded together with its dependent changes', async () => {
    const { cli } = await setUpDependent()
    expect(await cli.run('sync', 'discard', '1', '--yes')).toMatchObject({ status: 0 })
    expect(await cli.json('sync', 'list')).toEqual([])
  })

  test('does not block another timer when it is a timer', async () => {
    const { cli, proxy, entries } = await setUpRejected('start', 'design', '--at', '13:00')
    proxy.fault = applyInTurn(rejectChanges)
    expect(await cli.json('status', '--cached')).toMatchObject({ id: '~1', running: true })
    const started = await cli.run('start', 'review', '--at', '13:30')
    expect(started).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(
        /A new entry \(~1\) was rejected\. task_link_id is closed\. Run `tt sync retry 1` .*\n(.*\n)*Started Website \/ Review/,
      ),
    })
    expect(await entries()).toMatchObject([{ task_link_id: 2, time_end: null }])
    expect(await cli.json('sync', 'list')).toMatchObject([
      { state: 'refused', fields: { time_end: '2024-05-08T11:30:00.000Z' } },
    ])
    expect(await cli.json('status', '--cached')).toMatchObject({ task: 'Review' })
  })

  test('leaves the new timer running when it ends the earlier one', async () => {
    const { cli, proxy, entries } = await setUpService()
    const { id } = await cli.json('start', 'design', '--at', '13:00')
    proxy.fault = applyInTurn(rejectChanges)
    expect(await cli.run('start', 'review', '--at', '13:30')).toMatchObject({
      status: 0,
      stderr: expect.not.stringContaining('Stopped'),
    })
    expect(await entries()).toMatchObject([
      { id, time_end: null },
      { task_link_id: 2, time_end: null },
    ])
    expect(await cli.json('sync', 'list')).toMatchObject([{ state: 'refused', record: String(id) }])
  })

  test('updates the timer of tt status --cached', async () => {
    const { cli, proxy } = await setUpService()
    await cli.json('start', 'design', '--at', '13:00')
    proxy.fault = applyInTurn(noFault, rejectChanges)
    expect(await cli.run('start', 'review', '--at', '13:30')).toMatchObject({ status: 7 })
    expect(await cli.json('status', '--cached')).toMatchObject({ id: '~3', task: 'Review' })
    proxy.fault = noFault
    expect(await cli.run('sync', 'discard', '~3', '--yes')).toMatchObject({
      status: 0,
      stderr: 'Discarded 1 change.\n',
    })
    expect((await cli.run('status', '--cached', '--json')).stdout).toBe('null\n')
    expect((await cli.run('status', '--json')).stdout).toBe('null\n')
  })
})

test('an entry after many pending changes is saved with a message about them', async () => {
  const { cli, proxy, entries } = await setUpPending(4)
  const advanceClock = stopMonotonicClock()
  proxy.fault = (_, forward) => {
    advanceClock(1300)
    return forward()
  }
  cli.setTime('2024-05-08T12:10:00Z')
  const outcome = await cli.run(...change)
  // Earlier changes are sent for 3 s.
  expect(await entries()).toHaveLength(3)
  expect(outcome).toMatchObject({
    status: 0,
    stderr: expect.stringContaining(
      'Saved locally: earlier changes are sent first. Run `tt sync` to send it.',
    ),
  })
})
