import { expect, test } from 'vitest'
import { fieldsNotIn, isEquivalent, toCreateFields } from '../../../src/outbox/field-equality.js'

test.each([
  ['time_start', '2024-05-08T09:00:59.000Z', '2024-05-08T09:00:00.000Z', true],
  ['time_start', '2024-05-08T09:01:00.000Z', '2024-05-08T09:00:00.000Z', false],
  ['time_end', null, '2024-05-08T09:00:00.000Z', false],
  ['time_end', null, undefined, true],
  ['amount', '12.50', '12.5', true],
  ['amount', '+012.0', '12', true],
  ['amount', '100', '1', false],
  ['notes', '', null, true],
  ['notes', 'a  b\r\n', 'a b', true],
  ['notes', 'u\u0308', '\u00fc', true],
  ['notes', 'a', 'A', false],
  ['km', '12.50', 12.5, true],
  ['notes', '1.0', '1', false],
  ['external_id', '007', '7', false],
  ['due_on', '2024-05-08', '2024-05-08T00:00:00+02:00', true],
  ['due_on', '2024-05-08', '2024-05-09T00:00:00Z', false],
  ['tags', ['a'], ['a'], true],
  ['tags', ['a'], ['b'], false],
])('%s sent as %j may be stored as %j: %s', (name, sent, stored, expected) => {
  expect(isEquivalent(name, sent, stored)).toBe(expected)
})

test('returns the names of different fields', () => {
  expect(fieldsNotIn({ id: 1, notes: 'a', amount: '5' }, { notes: 'a', amount: '6', project_id: 2 })).toEqual(
    ['amount', 'project_id'],
  )
})

test('a record is created again with the documented fields and with those sent before', () => {
  const owned = { id: 7, user_id: 3, state: 'draft', created_at: '2024-05-08', url: 'https://example.test/7' }
  const expense = { ...owned, spent_on: '2024-05-08', amount: '5', notes: null, vat: 19, tags: ['a'] }
  expect(toCreateFields('expense', expense)).toEqual({ spent_on: '2024-05-08', amount: '5' })
  expect(toCreateFields('expense', expense, new Set(['vat', 'tags']))).toEqual({
    ...{ spent_on: '2024-05-08', amount: '5' },
    ...{ vat: 19, tags: ['a'] },
  })
  const entry = { ...owned, time_start: '2024-05-08T07:00:00.000Z', time_end: null, task_link_id: 1, vat: 19 }
  expect(toCreateFields('entry', entry)).toEqual({ time_start: '2024-05-08T07:00:00.000Z', task_link_id: 1 })
})
