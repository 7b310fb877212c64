import { expect, test } from 'vitest'
import { parsePredicate } from '../../../../src/api-client/filter/query.js'
import { inZone } from '../../lib/calendar/zone.js'

test.each([
  ['notes_cont=review', 'notes_cont', 'review'],
  ['notes_eq=a=b', 'notes_eq', 'a=b'],
  ['notes_eq=', 'notes_eq', ''],
  [' notes_eq =x', 'notes_eq', 'x'],
])('reads %s as the predicate %s with the value "%s"', (text, key, value) => {
  expect(parsePredicate(text)).toEqual([key, value])
})

test.each([
  ['notes_cont', '"notes_cont" has no "="'],
  ['time_start_lteq=2024', '"time_start_lteq" does not end with a known matcher'],
  ['_eq=x', '"_eq" does not name a field'],
  ['a b_eq=x', '"a b_eq" does not name a field'],
  ['-notes_eq=x', '"-notes_eq" does not name a field'],
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
  ['time_start_gteq=2026-02-30', 'time_start_gteq'],
  ['time_start_lt=2024-05-01T24:00', 'time_start_lt'],
  ['time_start_lt=2024-05-01T09:60:00Z', 'time_start_lt'],
  ['time_start_lt=2024-05-01T09:00:00+25:00', 'time_start_lt'],
  ['expense_date_gteq=2026-02-30', 'expense_date_gteq'],
  ['approved_at_lt=2026-13-01', 'approved_at_lt'],
])('rejects %s, because a service may ignore a condition with an invalid time', (text, key) => {
  expect(() => parsePredicate(text)).toThrow(
    expect.objectContaining({ code: 'usage', message: expect.stringContaining(key) }),
  )
})

test.each([
  'time_start_gteq=2024-05-01',
  'time_start_eq=2024-05-01T09:30:00.000+02:00',
  'spent_on_lt=2024-02-29',
  'created_at_lt=2024-05-01T09:30:00Z',
  'notes_eq=2026-02-30',
  'expense_date_eq=soon',
  'planned_time_start_eq=soon',
])('sends %s unchanged', (text) => {
  expect(parsePredicate(text).join('=')).toBe(text)
})

test.each([
  ['Europe/Berlin', '2024-12-01T09:30:15.5', '2024-12-01T09:30:15.5+01:00'],
  // The clocks show this time twice: the first one counts.
  ['Europe/Berlin', '2024-10-27T02:30', '2024-10-27T02:30:00+02:00'],
  ['America/St_Johns', '2024-12-01T09:30', '2024-12-01T09:30:00-03:30'],
  ['UTC', '2024-05-01T09:30', '2024-05-01T09:30:00+00:00'],
])('in %s the time %s is sent as %s', (zone, typed, sent) => {
  inZone(zone, () => {
    expect(parsePredicate(`time_start_gteq=${typed}`)).toEqual(['time_start_gteq', sent])
    expect(parsePredicate(`approved_at_lt=${typed}`)).toEqual(['approved_at_lt', sent])
    expect(parsePredicate(`notes_eq=${typed}`)).toEqual(['notes_eq', typed])
  })
})

test('a time that the clocks skip is a usage error', () => {
  inZone('Europe/Berlin', () =>
    expect(() => parsePredicate('time_start_gteq=2024-03-31T02:30')).toThrow('the clocks skip it'),
  )
})
