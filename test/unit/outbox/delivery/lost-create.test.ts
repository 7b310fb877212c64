import { expect, test } from 'vitest'
import { Cache } from '../../../../src/cache/cache.js'
import { withoutUncertainRecords } from '../../../../src/outbox/delivery/lost-create.js'
import { Outbox } from '../../../../src/outbox/outbox.js'
import { openTestState } from '../fixtures.js'

const now = new Date('2024-05-08T12:00:00Z')
const fields = { time_start: '2024-05-08T09:00:00Z', time_end: null, task_link_id: 1, notes: 'phone' }

/** A create without a response that was sent when the service had entry 1. */
async function inDoubt() {
  const state = await openTestState()
  const [cache, outbox] = [new Cache(state.database), new Outbox(state)]
  cache.store('entry', { id: 1, ...fields }, now)
  const change = outbox.append({ kind: 'entry', op: 'create', fields }, now)
  if (!change) throw new Error('There is no change.')
  outbox.update({ ...change, outcomeUnknown: true, knownUntil: cache.lastRow() })
  const shown = (...records: { id: number; notes?: string }[]) =>
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
  expect(shown({ id: 1 }, { id: 3, notes: 'other' })).toEqual([1, 3])
})

test('leaves out one of two records that a create may have made', async () => {
  const { shown } = await inDoubt()
  expect(shown({ id: 2 }, { id: 3 })).toEqual([3])
})

test('keeps the record of another create', async () => {
  const { outbox, shown } = await inDoubt()
  outbox.renameRecord('entry', '~7', '2')
  expect(shown({ id: 2 })).toEqual([2])
})
