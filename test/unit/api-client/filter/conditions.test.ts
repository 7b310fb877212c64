import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readExpense, readProject, readTimeEntry } from '../../../../src/api-client/decode/records.js'
import { matchesPredicates, recordFilter } from '../../../../src/api-client/filter/conditions.js'
import type { Predicates } from '../../../../src/api-client/filter/query.js'
import { inZone } from '../../lib/calendar/zone.js'

type Value = Predicates[string]

/** Returns whether the filter of received lists and the local filter accept a record with that value. */
function accepted(field: string, value: unknown, matcher: string, operand: Value) {
  const [record, predicates] = [{ [field]: value }, { [`${field}_${matcher}`]: operand }]
  return { received: recordFilter(predicates)(record)(record), local: matchesPredicates(record, predicates) }
}

const matcher = fc.constantFrom('eq', 'gteq', 'lt', 'cont')
const decimal = fc
  .tuple(fc.constantFrom('', ' ', '0'), fc.nat(20), fc.constantFrom('', '.', '.0', '.5', '.50', ' '))
  .map((parts) => parts.join(''))
const flag = fc.constantFrom<Value>('true', 'T', 't', '1', 'false', 'F', '0', 1, 0, true, false)
const time = fc
  .tuple(fc.integer({ min: 0, max: 3 }), fc.constantFrom('Z', '+00:00', '+0200', '-03:00'))
  .map(([hour, offset]) => `2024-05-01T0${hour}:00:00${offset}`)
const day = fc.integer({ min: 1, max: 9 }).map((number) => `2024-05-0${number}`)
const letters = fc.string({
  unit: fc.constantFrom('a', 'A', 'ß', 'ẞ', 'SS', 'Σ', 'σ', 'ς', ' ', 'É', 'é'),
  maxLength: 5,
})
const anything = fc.oneof(decimal, flag, time, day, letters, fc.integer(), fc.constant(null))

describe('the filter of received lists and the local filter', () => {
  test.each<[string, string, fc.Arbitrary<unknown>, fc.Arbitrary<Value>, string[]]>([
    ['numbers and decimals', 'value', fc.nat(20), decimal, ['eq', 'gteq', 'lt']],
    ['amounts', 'amount', decimal, decimal, ['eq', 'gteq', 'lt']],
    ['booleans', 'value', fc.boolean(), flag, ['eq']],
    ['times with offsets', 'value', time, time, ['eq', 'gteq', 'lt']],
    ['days', 'value', day, day, ['eq', 'gteq', 'lt']],
    ['parts of texts', 'value', letters, letters, ['cont']],
    ['texts', 'value', letters, letters, ['eq']],
    ['missing values', 'value', fc.constantFrom(null, 'a', 1, true), fc.constant(null), ['eq']],
  ])('agree about %s', (_, field, values, operands, matchers) => {
    fc.assert(
      fc.property(values, operands, fc.constantFrom(...matchers), (value, operand, name) => {
        const { received, local } = accepted(field, value, name, operand)
        expect(received).toBe(local)
      }),
    )
  })

  test('never drop a received record that matches locally', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('value', 'amount'),
        anything,
        matcher,
        anything,
        (field, value, name, operand) => {
          const { received, local } = accepted(field, value, name, operand)
          if (local) expect(received).toBe(true)
        },
      ),
      { numRuns: 1000 },
    )
  })
})

test('both filters ignore case, including ß as SS and final sigma', () => {
  for (const [value, operand] of [
    ['Größe', 'GRÖSSE'],
    ['GRÖẞE', 'größe'],
    ['Größe', 'GRÖẞE'],
    ['ΟΔΟΣΑ', 'οδος'],
  ])
    expect(accepted('notes', value, 'cont', String(operand))).toEqual({ received: true, local: true })
})

const entry = {
  id: 12,
  time_start: '2024-05-01T07:30:00.250Z',
  time_end: null,
  notes: 'Review of page 2',
  task_link_id: 'L7',
  active: false,
  tags: ['a'],
}
const expense = { id: '3', spent_on: '2024-05-01', amount: '12.50', notes: '12.50', currency: 'EUR' }

test.each<[Predicates, boolean]>([
  [{ id_eq: '12' }, true],
  [{ id_eq: '12.0' }, true],
  [{ id_eq: 13 }, false],
  [{ id_eq: 'one' }, false],
  [{ id_gteq: 12 }, true],
  [{ id_gteq: '9' }, true],
  [{ id_gteq: 'one' }, false],
  [{ id_lt: 12 }, false],
  [{ id_cont: '1' }, false],
  [{ task_link_id_eq: 7 }, false],
  [{ notes_eq: 'Review of page 2' }, true],
  [{ notes_eq: 'review of page 2' }, false],
  [{ notes_cont: 'REVIEW' }, true],
  [{ notes_cont: '%' }, false],
  [{ notes_cont: '' }, true],
  [{ notes_cont: 2 }, true],
  [{ notes_lt: 'S' }, true],
  [{ notes_gteq: 'S' }, false],
  [{ time_end_eq: null }, true],
  [{ time_end_eq: 'null' }, false],
  [{ time_end_lt: '2030-01-01' }, false],
  [{ time_start_eq: null }, false],
  [{ time_start_eq: '2024-05-01T09:30:00.250+02:00' }, true],
  [{ time_start_eq: '2024-05-01T07:30:00.251Z' }, false],
  [{ time_start_gteq: '2024-05-01T07:30:00.250Z' }, true],
  [{ time_start_lt: '2024-05-01T07:30:00.250Z' }, false],
  [{ time_start_gteq: 'yesterday' }, false],
  [{ active_eq: 'false' }, true],
  [{ active_eq: true }, false],
  [{ active_lt: true }, false],
  [{ tags_eq: 'a' }, false],
  [{ colour_eq: 'red' }, false],
  [{ toString_cont: 'native' }, false],
  [{ notes_matches: 'Review' }, false],
  [{ id_eq: 12, notes_cont: 'page', time_start_gteq: '2024-05-01' }, true],
  [{ id_eq: 12, notes_cont: 'paper' }, false],
])('matchesPredicates returns for an entry and %j %s', (predicates, expected) => {
  expect(inZone('UTC', () => matchesPredicates(entry, predicates))).toBe(expected)
})

test.each<[Predicates, boolean]>([
  [{ spent_on_gteq: '2024-05-01' }, true],
  [{ spent_on_lt: '2024-05-01' }, false],
  [{ spent_on_lt: '2024-10-01' }, true],
  [{ amount_eq: '12.5' }, true],
  [{ amount_gteq: '9' }, true],
  [{ notes_eq: '12.5' }, false],
])('matchesPredicates returns for an expense and %j %s', (predicates, expected) => {
  expect(matchesPredicates(expense, predicates)).toBe(expected)
})

test.each([
  ['Europe/Berlin', '2024-04-30T22:00:00.000Z'],
  ['America/New_York', '2024-05-01T04:00:00.000Z'],
])('a date compared with a time means its midnight in %s', (zone, midnight) => {
  const before = new Date(Date.parse(midnight) - 1).toISOString()
  const fits = (start: string, predicates: Predicates) =>
    inZone(zone, () => matchesPredicates({ time_start: start }, predicates))
  expect(fits(midnight, { time_start_gteq: '2024-05-01' })).toBe(true)
  expect(fits(before, { time_start_gteq: '2024-05-01' })).toBe(false)
  expect(fits(before, { time_start_lt: '2024-05-01' })).toBe(true)
  expect(fits(midnight, { time_start_eq: '2024-05-01' })).toBe(true)
})

describe('for any value', () => {
  const time = fc
    .date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString())
  const number = fc.integer({ min: -1000, max: 1000 })
  const text = fc.string({ unit: 'grapheme' })

  test('exactly one of gteq and lt matches, and gteq matches equal values', () => {
    fc.assert(
      fc.property(fc.oneof(fc.tuple(time, time), fc.tuple(number, number)), ([value, operand]) => {
        const atLeast = matchesPredicates({ value }, { value_gteq: operand })
        expect(matchesPredicates({ value }, { value_lt: operand })).toBe(!atLeast)
        if (matchesPredicates({ value }, { value_eq: operand })) expect(atLeast).toBe(true)
        expect(atLeast).toBe(value >= operand)
      }),
    )
  })

  test('cont matches each part of a text in any case', () => {
    fc.assert(
      fc.property(text, text, text, (before, part, after) => {
        for (const operand of [part, part.toLowerCase(), part.toUpperCase()])
          expect(matchesPredicates({ value: before + part + after }, { value_cont: operand })).toBe(true)
      }),
    )
  })
})

const received = {
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
  const sent: unknown = structuredClone(record)
  const test = recordFilter(q)(sent)
  return test(read(sent) as unknown as Record<string, unknown>)
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
    expect(accepts(received, readTimeEntry, q)).toBe(isAccepted)
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
    inZone('Pacific/Kiritimati', () => expect(accepts(received, readTimeEntry, q)).toBe(true))
  })

  test('accepts an entry whose notes are missing in the response', () => {
    const { notes: _, ...bare } = received
    expect(accepts(bare, readTimeEntry, { notes_cont: 'x' })).toBe(true)
    expect(accepts({ ...received, notes: null }, readTimeEntry, { notes_cont: '' })).toBe(false)
    expect(accepts({ timesheet: received }, readTimeEntry, { notes_cont: 'x' })).toBe(false)
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
