import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Api } from '../../../../src/api-client/api.js'
import type { WireRecord } from '../../../../src/api-client/types.js'
import { Cache } from '../../../../src/outbox/cache/cache.js'
import {
  findLostCreate,
  matchCreates,
  withoutUncertainRecords,
} from '../../../../src/outbox/delivery/lost-create.js'
import { offsetAtSending } from '../../../../src/outbox/delivery/settling-time.js'
import { Outbox } from '../../../../src/outbox/outbox.js'
import type { QueuedChange } from '../../../../src/outbox/queued-change.js'
import { now, openTestState, present, queuedChange } from '../fixtures.js'

const fields = { time_start: '2024-05-08T09:00:00Z', time_end: null, task_link_id: 1, notes: 'phone' }

/** A create without a response that was sent when the service had entry 1. */
async function inDoubt() {
  const state = await openTestState()
  const [cache, outbox] = [new Cache(state.database), new Outbox(state)]
  cache.store('entry', { id: 1, ...fields }, now)
  const change = present(outbox.append({ kind: 'entry', op: 'create', fields }, now))
  outbox.update({ ...change, outcomeUnknown: true, knownUntil: cache.lastRow() })
  const shown = (...records: { id: number; notes?: string; time_start?: string; time_end?: string }[]) =>
    withoutUncertainRecords(
      records.map((record) => ({ ...fields, ...record })),
      outbox.all(),
      { cache, outbox },
    ).map(({ id }) => id)
  return { outbox, shown }
}

test('leaves out the record of a create with an unknown outcome, and no earlier record', async () => {
  const { shown } = await inDoubt()
  expect(shown({ id: 1 }, { id: 2 }, { id: 3, notes: 'other' })).toEqual([1, 3])
})

test('leaves out the record with the nearest times', async () => {
  const { shown } = await inDoubt()
  const near = { time_start: '2024-05-08T09:00:20Z' }
  expect(shown({ id: 2, time_start: '2024-05-08T09:00:40Z' }, { id: 3, ...near })).toEqual([2])
  expect(shown({ id: 2, ...near }, { id: 3, time_start: '2024-05-08T09:00:40Z' })).toEqual([3])
})

test('leaves out a timer that was stopped elsewhere since', async () => {
  const { shown } = await inDoubt()
  const stopped = { time_end: '2024-05-08T10:00:00Z' }
  expect(shown({ id: 2, ...stopped }, { id: 3, notes: 'other', ...stopped })).toEqual([3])
})

test.each([
  ['of the create', 'T-1', { id: 9 }],
  ['of another record', 'T-2', undefined],
  ['that is missing', undefined, undefined],
])('adopts the record of a lookup only with the external ID %s', async (_, externalId, expected) => {
  const { outbox } = await inDoubt()
  const own = { ...fields, external_id: 'T-1', notes: 'other' }
  const change = present(outbox.append({ kind: 'entry', op: 'create', fields: own }, now))
  const api = {
    findTimeEntryByExternalId: async () => ({ ...fields, id: 9, external_id: externalId }),
    listTimeEntries: async () => [],
  } as unknown as Api
  const { found } = await findLostCreate(change, { api, cache: undefined, outbox, now })
  expect(found === undefined ? undefined : { id: found.id }).toEqual(expected)
})

test('keeps the record of another create', async () => {
  const { outbox, shown } = await inDoubt()
  outbox.renameRecord('entry', '~7', '2')
  expect(shown({ id: 2 })).toEqual([2])
})

test('takes a record with other notes for the create with the nearest times', async () => {
  const { outbox } = await inDoubt()
  const changes = [0, 30].map((seconds) => {
    const start = `2024-05-09T09:00:${String(seconds).padStart(2, '0')}Z`
    const own = { ...fields, time_start: start, notes: `typed at ${seconds}` }
    const change = present(outbox.append({ kind: 'entry', op: 'create', fields: own }, now))
    outbox.update({ ...change, outcomeUnknown: true })
    return change
  })
  const edited = { ...fields, id: 9, time_start: '2024-05-09T09:00:00Z', notes: 'edited' }
  const api = { listTimeEntries: async () => [edited] } as unknown as Api
  const found = changes.map((change) => findLostCreate(change, { api, cache: undefined, outbox, now }))
  expect((await Promise.all(found)).map((result) => result.edited?.id)).toEqual([9, undefined])
})

const sentMs = now.getTime()
const outbox = { isCreatedHere: () => false } as unknown as Outbox
const expense = { spent_on: '2024-05-08', amount: '3.00', notes: 'tram' }

const create = (seq: number, more: Partial<QueuedChange> = {}) =>
  queuedChange({
    ...{
      seq,
      kind: 'expense',
      record: `~${seq}`,
      fields: expense,
      attempts: 1,
      outcomeUnknown: true,
      sends: 1,
    },
    ...{ sentAt: sentMs, firstSentAt: sentMs, clockOffsetMs: 0, ...more },
  })

const record = (id: number, createdMs?: number, more: Partial<WireRecord> = {}): WireRecord => ({
  ...{ id, ...expense, ...more },
  ...(createdMs === undefined ? {} : { created_at: new Date(createdMs).toISOString() }),
})

function matchesOf(creates: QueuedChange[], records: WireRecord[], facts: object = {}) {
  const matches = matchCreates(creates, records, {
    ...{ cache: undefined, outbox, now: new Date(sentMs + 60_000), ...facts },
  })
  return creates.map(({ seq }) => {
    const match = matches.get(seq)
    return match && [match.record.id, match.isCertain]
  })
}

test.each<[string, number | undefined, Partial<QueuedChange>, object, [number, boolean] | undefined]>([
  ['within the tolerance before it was sent', sentMs - 4_900, {}, {}, [7, true]],
  ['clearly before it was sent', sentMs - 5_100, {}, {}, undefined],
  ['late, but before it has settled', sentMs + 60_000, {}, {}, [7, true]],
  ['an hour after it was sent', sentMs + 3_600_000, {}, {}, [7, false]],
  ['between its first and its last request', sentMs + 60_000, { sentAt: sentMs + 120_000 }, {}, [7, true]],
  [
    'before it, by the clock of the service, which is an hour ahead',
    sentMs + 300,
    { clockOffsetMs: 3_600_000 },
    {},
    undefined,
  ],
  [
    'after it, by a clock that is an hour behind and was compared later',
    sentMs - 3_600_000,
    { clockOffsetMs: null },
    { clockOffsetMs: () => -3_600_000 },
    [7, true],
  ],
  ['at an unknown time of the service', sentMs - 5_100, { clockOffsetMs: null }, {}, [7, false]],
  ['at an unknown time, when its day was not listed', undefined, {}, {}, [7, false]],
  ['at an unknown time, when its day was listed before', undefined, { listedAt: sentMs }, {}, [7, true]],
  ['at an unknown time, an hour after the list', undefined, { listedAt: sentMs - 3_600_000 }, {}, [7, false]],
])('an equal expense that was created %s', (_, createdMs, more, facts, expected) => {
  expect(matchesOf([create(1, more)], [record(7, createdMs)], facts)).toEqual([expected])
})

test.each(['2024-05-08T11:00:00', '2024-05-08', 5])(
  'an equal expense that was created at %j, which is no instant',
  (created) => {
    const found = record(7, undefined, { created_at: created })
    expect(matchesOf([create(1)], [found])).toEqual([[7, false]])
  },
)

test.each<[string, Partial<QueuedChange>, number | undefined]>([
  ['that was measured at sending', { clockOffsetMs: 5 }, 5],
  ['of now, by a clock that was not set since', { sentUptimeMs: 1_000 }, 7],
  ['that is unknown after the clock was set', { sentUptimeMs: 100_000 }, undefined],
  ['that is unknown after a restart', { sentUptimeMs: 700_000 }, undefined],
  ['that is unknown after a second request', { sentUptimeMs: 1_000, firstSentAt: sentMs - 1 }, undefined],
])('the create has the clock difference %s', (_, more, expected) => {
  const clocks = { clock: () => new Date(sentMs + 600_000), uptimeMs: () => 601_000 }
  const offset = offsetAtSending({ clockOffsetMs: () => 7 }, clocks)
  expect(offset(create(1, { clockOffsetMs: null, ...more }))).toBe(expected)
})

const entry = (start: string, end: string) => ({
  fields: {
    time_start: `2024-05-08T${start}Z`,
    time_end: `2024-05-08T${end}Z`,
    notes: 'call',
    task_link_id: 1,
  },
  kind: 'entry' as const,
})

test.each<[string, [string, string], [string, string], [number, boolean] | undefined]>([
  ['the sent times', ['09:00:10', '09:30:10'], ['09:00:10', '09:30:10'], [7, true]],
  ['whole minutes, rounded', ['09:00:40', '09:30:10'], ['09:01:00', '09:30:00'], [7, true]],
  ['other seconds', ['09:00:00', '09:00:30'], ['09:00:45', '09:01:15'], [7, false]],
  ['other minutes', ['09:00:00', '09:30:00'], ['09:02:00', '09:30:00'], undefined],
])('an equal entry with %s', (_, sent, stored, expected) => {
  const found = { id: 7, ...entry(...stored).fields }
  expect(matchesOf([create(1, entry(...sent))], [found])).toEqual([expected])
})

test('an equal entry that was created an hour later may be another one', () => {
  const sent = entry('09:00:10', '09:30:10')
  const found = { id: 7, ...sent.fields, created_at: new Date(sentMs + 3_600_000).toISOString() }
  expect(matchesOf([create(1, sent)], [found])).toEqual([[7, false]])
})

test('matches creates and records as a whole, the nearest first', () => {
  const [lost, arrived] = [entry('09:00:00', '09:00:30'), entry('09:00:45', '09:01:15')]
  expect(matchesOf([create(1, lost), create(2, arrived)], [{ id: 7, ...arrived.fields }])).toEqual([
    undefined,
    [7, true],
  ])
})

test('matches each create and each record at most once, and as many as possible of equal ones', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 6 }), (creates, records) => {
      const sent = Array.from({ length: creates }, (_, index) => create(index + 1))
      const stored = Array.from({ length: records }, (_, index) => record(index + 100, sentMs + index * 100))
      const ids = matchesOf(sent, stored).flatMap((match) => match?.[0] ?? [])
      expect(new Set(ids).size).toBe(ids.length)
      expect(ids).toHaveLength(Math.min(creates, records))
    }),
  )
})
