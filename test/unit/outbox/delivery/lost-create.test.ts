import { expect, test } from 'vitest'
import type { Api } from '../../../../src/api-client/api.js'
import { Cache } from '../../../../src/outbox/cache/cache.js'
import { findLostCreate, withoutUncertainRecords } from '../../../../src/outbox/delivery/lost-create.js'
import { Outbox } from '../../../../src/outbox/outbox.js'
import { now, openTestState, present } from '../fixtures.js'

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
