import { expect, test } from 'vitest'
import { fieldsNotIn, mayBe } from '../../../src/tracking/values.js'

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
  ['task_link_id', 12, '12', true],
  ['tags', ['a'], ['a'], true],
  ['tags', ['a'], ['b'], false],
])('%s sent as %j may be kept as %j: %s', (name, sent, kept, expected) => {
  expect(mayBe(name, sent, kept)).toBe(expected)
})

test('the fields that differ are named', () => {
  expect(fieldsNotIn({ id: 1, notes: 'a', amount: '5' }, { notes: 'a', amount: '6', project_id: 2 })).toEqual(
    ['amount', 'project_id'],
  )
})
