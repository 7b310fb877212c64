import { expect, test } from 'vitest'
import { changedElsewhere, compareWithBase } from '../../../../src/outbox/delivery/conflicts.js'
import type { QueuedChange } from '../../../../src/outbox/queued-change.js'

const base = { id: 5, time_start: '2024-05-08T08:00:00Z', time_end: '2024-05-08T08:30:00Z', notes: 'before' }

test.each([
  ['time_start', { time_start: '2024-05-08T07:00:00Z' }],
  ['time_end', { time_end: null }],
  ['notes', { notes: 'after' }],
])('a deletion does not follow a change of %s elsewhere', (_, changed) => {
  expect(changedElsewhere({ ...base, ...changed }, { base, kind: 'entry' })).toBeDefined()
  expect(changedElsewhere({ ...base, etag: '"2"' }, { base, kind: 'entry' })).toBeUndefined()
})

test.each([null, '', undefined])('empty notes are the same however they are written: %j', (notes) => {
  for (const other of [null, '', undefined]) {
    const before = { ...base, notes: other }
    expect(changedElsewhere({ ...base, notes }, { base: before, kind: 'entry' })).toBeUndefined()
    const change = { fields: { notes: 'mine' }, base: before } as unknown as QueuedChange
    expect(compareWithBase({ ...base, notes }, change)).toEqual({
      remaining: { notes: 'mine' },
      conflicting: {},
    })
  }
})
