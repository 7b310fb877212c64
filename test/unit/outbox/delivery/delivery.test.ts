import { expect, test } from 'vitest'
import type { Api } from '../../../../src/api-client/api.js'
import { Cache } from '../../../../src/outbox/cache/cache.js'
import { openCapabilities } from '../../../../src/outbox/cache/known-capabilities.js'
import { Delivery } from '../../../../src/outbox/delivery/delivery.js'
import { Outbox } from '../../../../src/outbox/outbox.js'
import { openTestState } from '../fixtures.js'

const nowMs = Date.parse('2024-05-08T12:00:00Z')
const entry = {
  id: 5,
  time_start: '2024-05-08T08:00:00.000Z',
  time_end: '2024-05-08T08:30:00.000Z',
  notes: 'before',
  task_link_id: 1,
}

/** Delivers an edit of an entry that was read at that time by the wall clock and since the start of the machine. */
async function deliver(readAt: { wallMs: number; uptimeMs: number | undefined }) {
  const state = await openTestState()
  const [outbox, cache] = [new Outbox(state), new Cache(state.database)]
  const requests: string[] = []
  const api = {
    async getTimeEntry() {
      requests.push('GET')
      return entry
    },
    async updateTimeEntry(_id: unknown, fields: object) {
      requests.push('PATCH')
      return { record: { ...entry, ...fields }, isRead: false }
    },
  } as unknown as Api
  const delivery = new Delivery({
    ...{ api, state, outbox, cache, hasDelivery: true, warn: () => {} },
    capabilities: openCapabilities(state, () => new Date(nowMs)),
    ...{ clock: () => new Date(nowMs), uptimeMs: () => 500_000 },
    facts: { supportsKeys: () => false, supportsConditions: () => false, clockOffsetMs: () => undefined },
    ...{ labelOf: () => 'Design', recordDelivery: () => {} },
  })
  const change = outbox.append(
    { kind: 'entry', op: 'update', record: entry, fields: { notes: 'after' } },
    new Date(nowMs),
  )
  const result = await delivery.run({ fresh: new Map(change ? [[change.seq, readAt]] : []) })
  return { requests, delivered: result.delivered }
}

test.each([
  ['a moment ago', { wallMs: nowMs - 1900, uptimeMs: 498_100 }, ['PATCH']],
  ['a moment ago, where the uptime is unknown', { wallMs: nowMs - 1900, uptimeMs: undefined }, ['PATCH']],
  ['more than two seconds ago', { wallMs: nowMs - 2100, uptimeMs: 497_900 }, ['GET', 'PATCH']],
  [
    'before the machine slept, and the clock was set back',
    { wallMs: nowMs, uptimeMs: 1_000 },
    ['GET', 'PATCH'],
  ],
  ['before the clock was set back', { wallMs: nowMs + 60_000, uptimeMs: undefined }, ['GET', 'PATCH']],
])('reads an entry again that was read %s', async (_, readAt, requests) => {
  expect(await deliver(readAt)).toEqual({ requests, delivered: 1 })
})
