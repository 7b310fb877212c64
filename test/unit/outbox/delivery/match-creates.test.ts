import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import type { WireRecord } from '../../../../src/api-client/types.js'
import { matchCreates } from '../../../../src/outbox/delivery/lost-create.js'
import { offsetAtSending } from '../../../../src/outbox/delivery/settling-time.js'
import { Outbox } from '../../../../src/outbox/outbox.js'
import type { QueuedChange } from '../../../../src/outbox/queued-change.js'
import { openTestState, queuedChange } from '../fixtures.js'

const sentMs = Date.parse('2024-05-08T12:00:00Z')
let outbox: Outbox

beforeEach(async () => {
  outbox = new Outbox(await openTestState())
})

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
