import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matchesPredicates } from '../../../../src/api-client/filter/predicates.js'
import type { Predicates } from '../../../../src/api-client/filter/query.js'
import { recordFilter } from '../../../../src/api-client/filter/record-filter.js'

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
