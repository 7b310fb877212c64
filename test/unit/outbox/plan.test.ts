import { expect, test } from 'vitest'
import { Outbox } from '../../../src/outbox/outbox.js'
import { type PlannedChange, type StepStatus, statusOf } from '../../../src/outbox/plan.js'
import type { QueuedChange } from '../../../src/outbox/queued-change.js'
import { openTestState } from './fixtures.js'

const stored = { id: 5, notes: 'stored' }

interface Case {
  title: string
  op: PlannedChange['op']
  /** The state of the change in the outbox; null if it has left the outbox, undefined if there was no change. */
  state: QueuedChange['state'] | null | undefined
  response?: typeof stored
  expected: StepStatus['name']
}

test.each<Case>([
  { title: 'a response', op: 'update', state: null, response: stored, expected: 'delivered' },
  {
    title: 'a response that the disk lacks',
    op: 'create',
    state: 'waiting',
    response: stored,
    expected: 'delivered',
  },
  { title: 'a response to a delete', op: 'delete', state: null, expected: 'deleted' },
  { title: 'a pending delete', op: 'delete', state: 'waiting', expected: 'deleted' },
  {
    title: 'a conflict of a delete',
    op: 'delete',
    state: 'conflict',
    response: stored,
    expected: 'conflict',
  },
  { title: 'a conflict in another process', op: 'update', state: 'conflict', expected: 'conflict' },
  { title: 'a change that has left the outbox', op: 'create', state: null, expected: 'delivered_elsewhere' },
  { title: 'a pending change', op: 'update', state: 'waiting', expected: 'queued' },
  { title: 'an update without a difference', op: 'update', state: undefined, expected: 'queued' },
])('$title is the status "$expected"', async ({ op, state, response, expected }) => {
  const outbox = new Outbox(await openTestState())
  const record = op === 'create' ? {} : { record: { id: 5 } }
  const change =
    state === undefined
      ? undefined
      : outbox.append({ kind: 'entry', op, fields: { notes: 'x' }, ...record }, new Date(0))
  const current = state && change ? { ...change, state } : undefined
  const status = statusOf({ op }, change, current, response)
  expect(status.name).toBe(expected)
  if (status.name === 'conflict') expect(status.stored).toBe(response)
  if (status.name === 'deleted') expect(status.pending).toBe(state === 'waiting')
})
