import { expect, test } from 'vitest'
import type { Api } from '../../../../src/api-client/api.js'
import {
  InvalidResponseError,
  RejectedError,
  UnreachableError,
} from '../../../../src/api-client/api-errors.js'
import type { TimeEntry, WireFields } from '../../../../src/api-client/types.js'
import { ChangeSender, type ChangeSenderParts } from '../../../../src/outbox/delivery/change-sender.js'
import type { QueuedChange } from '../../../../src/outbox/queued-change.js'
import { rejectionOf } from '../../api-client/test-server.js'
import { queuedChange } from '../fixtures.js'

const nowMs = Date.parse('2024-05-08T12:00:00Z')
const stored: TimeEntry = {
  id: 5,
  time_start: '2024-05-08T08:00:00.000Z',
  time_end: '2024-05-08T08:30:00.000Z',
  notes: 'before',
  task_link_id: 1,
}

function queued(op: QueuedChange['op'], fields: WireFields, more: Partial<QueuedChange> = {}): QueuedChange {
  const existing = op === 'create' ? {} : { record: '5', base: stored }
  return queuedChange({ op, fields, ...existing, ...more })
}

const lost = queued(
  'create',
  { notes: 'new', time_end: stored.time_end },
  { outcomeUnknown: true, sends: 1, sentAt: nowMs - 20_000 },
)

/** Returns a sender with these parts, and the list of what it does, in order. */
function setUp(api: Partial<Api> = {}, parts: Partial<ChangeSenderParts> = {}) {
  const steps: string[] = []
  const logged = Object.fromEntries(
    Object.entries(api).map(([name, call]) => [
      name,
      (...values: unknown[]) => {
        steps.push(name)
        return (call as (...values: unknown[]) => unknown)(...values)
      },
    ]),
  )
  const sender = new ChangeSender({
    api: logged as unknown as Api,
    clock: () => new Date(nowMs),
    ...{ supportsKeys: () => false, supportsConditions: () => false, clockOffsetMs: () => undefined },
    hasCreationTimes: () => true,
    existedBefore: async () => false,
    isCreatedHere: () => false,
    lookUp: async () => ({}),
    recordSending() {
      steps.push('record')
      return () => void steps.push('remove record')
    },
    storeRead: () => void steps.push('store'),
    ...parts,
  })
  return { sender, steps }
}

const rejected = (status: number, fields: string[] = []) =>
  new RejectedError('rejected', 'No.', { reason: 'No.', fields, status })

const updated = (record: object, isRead = false) => ({ record: record as TimeEntry, isRead })

test('records that a change is being sent, removes the record of a request that was not sent, and keeps it for a request without a response', async () => {
  for (const [isUnsent, steps] of [
    [true, ['record', 'updateTimeEntry', 'remove record']],
    [false, ['record', 'updateTimeEntry']],
  ] as const) {
    const error = new UnreachableError('The service cannot be reached.', { isUnsent })
    const setup = setUp({ updateTimeEntry: () => Promise.reject(error) })
    expect(await rejectionOf(setup.sender.send(queued('update', { notes: 'x' }), true))).toBe(error)
    expect(setup.steps).toEqual(steps)
  }
})

test('sends a create with another key when the response is the record of an equal one', async () => {
  const keys: unknown[] = []
  const { sender } = setUp(
    {
      createTimeEntry: async (_, options) => {
        keys.push(options?.key)
        return { ...stored, id: keys.length === 1 ? 5 : 6 }
      },
    },
    { isCreatedHere: (_, id) => id === '5' },
  )
  const settled = { ...lost, sentAt: nowMs - 61_000 }
  expect(await sender.send(settled, false)).toMatchObject({ name: 'delivered', record: { id: 6 } })
  expect(keys).toEqual(['key', 'key-again'])
})

test('looks up a create again when the machine slept during the look-up', async () => {
  let ms = nowMs
  const { sender, steps } = setUp(
    { createTimeEntry: async () => stored },
    {
      clock: () => new Date(ms),
      lookUp: async () => {
        ms += 300_000
        return {}
      },
    },
  )
  expect(await sender.send(lost, false)).toMatchObject({ name: 'settling', until: nowMs + 40_000 })
  expect(steps).toEqual([])
  expect(await sender.send(lost, false)).toMatchObject({ name: 'delivered' })
})

test.each([404, 409, 422])(
  'keeps a create that its earlier request may still make after a %i to its repetition',
  async (status) => {
    const api = { createTimeEntry: () => Promise.reject(rejected(status)), listTimeEntries: async () => [] }
    const { sender, steps } = setUp(api, { supportsKeys: () => true })
    expect(await sender.send(lost, false)).toMatchObject({ name: 'settling', until: nowMs + 40_000 })
    expect(steps.slice(0, 3)).toEqual(['record', 'createTimeEntry', 'remove record'])
    const settled = { ...lost, sentAt: nowMs - 61_000 }
    expect(await sender.send(settled, false)).toMatchObject({ name: 'refused' })
  },
)

test.each([404, 405])('finds an entry in the list of its day after a %i to reading it', async (status) => {
  const { sender, steps } = setUp({
    getTimeEntry: () => Promise.reject(rejected(status)),
    listTimeEntries: async () => [stored],
    updateTimeEntry: async (_, fields) => updated({ ...stored, ...fields }),
  })
  expect(await sender.send(queued('update', { notes: 'x' }), false)).toMatchObject({ name: 'delivered' })
  expect(steps).toEqual(['getTimeEntry', 'listTimeEntries', 'store', 'record', 'updateTimeEntry'])
})

test('takes no entry for deleted that is missing in an incomplete list', async () => {
  const { sender } = setUp({
    getTimeEntry: () => Promise.reject(rejected(404)),
    listTimeEntries: async () => Object.assign([], { incomplete: 'the second page failed' }),
  })
  const error = await rejectionOf(sender.send(queued('update', { notes: 'x' }), false))
  expect(error).toBeInstanceOf(InvalidResponseError)
  expect((error as Error).message).toContain('the second page failed')
})

test('repeats an accepted update that the service has not stored, and then reports it', async () => {
  const { sender, steps } = setUp({
    getTimeEntry: async () => stored,
    updateTimeEntry: async () => updated(stored),
  })
  expect(await sender.send(queued('update', { notes: 'x' }), false)).toMatchObject({
    name: 'refused',
    rejection: { message: 'The service accepted the change of entry 5, but did not store it.' },
  })
  expect(steps.filter((step) => step === 'updateTimeEntry')).toHaveLength(3)
})

test('sends only the fields that another client has not changed', async () => {
  let sent: WireFields | undefined
  const current = { ...stored, notes: 'elsewhere' }
  const { sender, steps } = setUp({
    getTimeEntry: async () => current,
    updateTimeEntry: async (_, fields) => {
      sent = fields
      return updated({ ...current, ...fields })
    },
  })
  const change = queued('update', { notes: 'here', task_link_id: 2 })
  expect(await sender.send(change, false)).toMatchObject({
    name: 'conflict',
    stored: { notes: 'elsewhere', task_link_id: 2 },
    fields: { notes: 'here' },
  })
  expect(sent).toEqual({ task_link_id: 2 })
  expect(steps).toEqual(['getTimeEntry', 'store', 'record', 'updateTimeEntry'])
})

test('reads the record after a response without one, which may be that of a proxy to a rejection', async () => {
  const current = { ...stored, notes: 'elsewhere' }
  const { sender, steps } = setUp({
    updateTimeEntry: async () => updated(current, true),
  })
  const change = queued('update', { notes: 'here', task_link_id: 2 })
  expect(await sender.send(queued('update', { notes: 'here' }), true)).toMatchObject({
    name: 'conflict',
    stored: { notes: 'elsewhere' },
    fields: { notes: 'here' },
  })
  expect(steps).toEqual(['record', 'updateTimeEntry', 'store'])
  // A service that never stores the change.
  expect(await sender.send(change, true)).toMatchObject({ name: 'refused' })
  expect(steps.filter((step) => step === 'updateTimeEntry')).toHaveLength(4)
})

test.each([
  ['a record with other notes is edited elsewhere', { edited: stored }, 'edited_elsewhere'],
  ['the record that is found is delivered', { found: stored }, 'delivered'],
  ['an incomplete list is settling', { incomplete: 'it ends early' }, 'settling'],
])('does not send a create with an unknown outcome again at once: %s', async (_, result, name) => {
  const { sender, steps } = setUp({}, { lookUp: async () => result })
  const outcome = await sender.send(lost, false)
  expect(outcome.name).toBe(name)
  if (outcome.name === 'settling') expect(outcome.until).toBeUndefined()
  expect(steps).toEqual([])
})

test('sends a create with an unknown outcome again after the settling time, and only that is resent', async () => {
  const { sender } = setUp({ createTimeEntry: async () => stored })
  const delivered = { name: 'delivered', record: stored }
  const change = { ...lost, sentAt: nowMs - 60_000 }
  expect(await sender.send(change, false)).toEqual({ ...delivered, isResent: true })
  expect(await sender.send(queued('create', {}), true)).toEqual({ ...delivered, isResent: false })
})

test('starts the settling time of a create where no clock shows when it was sent', async () => {
  const { sender } = setUp()
  expect(await sender.send({ ...lost, sentAt: null }, false)).toEqual({
    name: 'settling',
    until: nowMs + 60_000,
    startsNow: true,
  })
})

test.each([
  ['without an end, for its end', {}, rejected(422, ['time_end']), { name: 'open_entry_refused' }],
  [
    'without an end, for its notes',
    {},
    rejected(422, ['notes']),
    { name: 'refused', isEndIrrelevant: false },
  ],
  ['with an end', { time_end: 'now' }, rejected(422), { name: 'refused', isEndIrrelevant: true }],
  ['that a firewall blocks', {}, new InvalidResponseError('Blocked.', { status: 403 }), { name: 'failed' }],
])('returns the outcome of a create %s', async (_, fields, error, outcome) => {
  const { sender } = setUp({ createTimeEntry: () => Promise.reject(error) })
  expect(await sender.send(queued('create', fields), true)).toMatchObject(outcome)
})
