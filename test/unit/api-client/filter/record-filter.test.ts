import { describe, expect, test } from 'vitest'
import { readExpense, readProject, readTimeEntry } from '../../../../src/api-client/decode/records.js'
import { recordFilter } from '../../../../src/api-client/filter/conditions.js'
import type { Predicates } from '../../../../src/api-client/filter/query.js'
import { inZone } from '../../lib/calendar/zone.js'

const entry = {
  id: 12,
  time_start: '2024-05-01 09:30:00 +0200',
  time_end: null,
  notes: 'Stand-up, Größe',
  task_link_id: 3,
  external_id: 'T-7',
  flagged: true,
  rate: '12.50',
  created_at: '2024-05-01T07:30:00',
  tags: ['a'],
}

function accepts<Item extends object>(
  record: object,
  read: (value: unknown) => Item,
  q: Predicates,
): boolean {
  const received: unknown = structuredClone(record)
  const test = recordFilter(q)(received)
  return test(read(received) as unknown as Record<string, unknown>)
}

describe('the filter of received entries', () => {
  test.each<[Predicates, boolean]>([
    [{ notes_cont: 'Stand-up ' }, false],
    [{ notes_eq: '' }, false],
    [{ time_start_eq: '2024-05-01T07:30:00Z' }, true],
    [{ flagged_eq: '1' }, true],
    [{ flagged_eq: 'f' }, false],
    [{ rate_eq: '12.5' }, true],
    [{ rate_eq: '12.6' }, false],
    [{ notes_cont: 'stand', task_link_id_eq: '4' }, false],
  ])('accepts an entry for %j: %j', (q, isAccepted) => {
    expect(accepts(entry, readTimeEntry, q)).toBe(isAccepted)
  })

  test.each<[string, Predicates]>([
    [
      'a field that the response lacks',
      { colour_eq: 'red', project_name_cont: 'x', updated_at_lt: '2020-01-01' },
    ],
    ['a day compared with a time', { time_start_gteq: '2024-06-01', time_start_eq: '2024-06-01' }],
    ['a time in an unknown zone', { created_at_gteq: '2025-01-01T00:00:00Z' }],
    ['the order of texts', { notes_gteq: 'zzz', notes_lt: 'A', rate_lt: '9' }],
    ['text in a number or a list', { id_cont: '9', tags_cont: 'x', tags_eq: 'a', id_eq: 'one' }],
    ['text that is not a boolean', { flagged_eq: 'no' }],
    ['an unknown matcher', { notes_matches: 'x' }],
  ])('leaves %s to the service', (_, q) => {
    inZone('Pacific/Kiritimati', () => expect(accepts(entry, readTimeEntry, q)).toBe(true))
  })

  test('accepts an entry whose notes are missing in the response', () => {
    const { notes: _, ...bare } = entry
    expect(accepts(bare, readTimeEntry, { notes_cont: 'x' })).toBe(true)
    expect(accepts({ ...entry, notes: null }, readTimeEntry, { notes_cont: '' })).toBe(false)
    expect(accepts({ timesheet: entry }, readTimeEntry, { notes_cont: 'x' })).toBe(false)
  })
})

test('the filter compares a nested relation by its ID', () => {
  const project = { id: 1, name: 'Website', client: { id: 5, name: 'Acme' } }
  expect(accepts(project, readProject, { client_id_eq: '5' })).toBe(true)
  expect(accepts(project, readProject, { client_id_eq: '6' })).toBe(false)
})

test('the filter leaves a time compared with the day of an expense to the service', () => {
  const [expense, midnight] = [{ id: 'e1', spent_on: '2024-05-01' }, '2024-05-01T00:00:00Z']
  expect(accepts(expense, readExpense, { spent_on_gteq: midnight, spent_on_lt: midnight })).toBe(true)
})
