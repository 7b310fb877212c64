import { expect, test } from 'vitest'
import { overlayPending, type PendingChange } from '../../../src/outbox/pending.js'
import type { QueuedChange } from '../../../src/outbox/queued-change.js'

const record = { id: '5', notes: 'old' }
const change = (op: PendingChange['op'], state: QueuedChange['state']): PendingChange => ({
  ...{ kind: 'entry', op, state, record: op === 'create' ? '~1' : '5' },
  ...{ fields: { notes: 'new' }, base: op === 'create' ? null : record },
})

test.each<[QueuedChange['state'], boolean]>([
  ['waiting', true],
  ['held', true],
  ['refused', false],
  ['conflict', false],
])('an update and a deletion that are %s are applied: %s', (state, isApplied) => {
  const unchanged = { record, pending: false }
  expect(overlayPending([record], [change('update', state)])).toEqual([
    isApplied ? { record: { id: '5', notes: 'new' }, pending: true } : unchanged,
  ])
  expect(overlayPending([record], [change('delete', state)])).toEqual(isApplied ? [] : [unchanged])
})

test.each<QueuedChange['state']>(['refused', 'ambiguous'])(
  'a new record that is %s exists only here, and is shown',
  (state) => {
    const shown = { record: expect.objectContaining({ id: '~1', notes: 'new' }), pending: true }
    expect(overlayPending([], [change('create', state)])).toEqual([shown])
  },
)
