import { expect, test } from 'vitest'
import { encodeQuery, parsePredicate, predicate } from '../../../src/api/query.js'

test('predicates combine into one JSON object', () => {
  const q = { ...predicate('time_start', 'gteq', '2024-05-01'), ...predicate('task_link_id', 'eq', 12) }
  expect(encodeQuery(q)).toBe('{"time_start_gteq":"2024-05-01","task_link_id_eq":12}')
})

test.each([
  ['notes_cont=review', 'notes_cont', 'review'],
  ['time_start_gteq=2024-05-01', 'time_start_gteq', '2024-05-01'],
  ['notes_eq=a=b', 'notes_eq', 'a=b'],
  ['notes_eq=', 'notes_eq', ''],
  ['task_link_id_lt=12', 'task_link_id_lt', '12'],
])('%s is the predicate %s with the value "%s"', (text, key, value) => {
  expect(parsePredicate(text)).toEqual([key, value])
})

test.each([
  ['notes_cont', '"notes_cont" has no "="'],
  ['notes=x', '"notes" ends in no known matcher'],
  ['time_start_lteq=2024', '"time_start_lteq" ends in no known matcher'],
  ['_eq=x', '"_eq" names no field'],
  ['a b_eq=x', '"a b_eq" names no field'],
])('%s is a usage error that says %s and lists the matchers', (text, message) => {
  expect(() => parsePredicate(text)).toThrow(
    expect.objectContaining({
      code: 'usage',
      message: expect.stringContaining(message),
      hint: expect.stringContaining('_eq, _gteq, _lt, _cont'),
    }),
  )
})

test.each([
  ['time_start_gteq=soon', 'time_start_gteq'],
  ['time_end_lt=2024-5-1', 'time_end_lt'],
  ['spent_on_eq=', 'spent_on_eq'],
])(
  '%s is not sent: a service may drop a time that it cannot read, and the condition with it',
  (text, key) => {
    expect(() => parsePredicate(text)).toThrow(
      expect.objectContaining({ code: 'usage', message: expect.stringContaining(key) }),
    )
  },
)

test.each([
  'time_start_gteq=2024-05-01',
  'time_start_eq=2024-05-01T09:30:00.000+02:00',
  'spent_on_lt=2024-05-01',
])('%s is sent as it was typed', (text) => {
  expect(parsePredicate(text).join('=')).toBe(text)
})
