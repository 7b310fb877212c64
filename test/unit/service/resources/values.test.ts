import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  formatDecimal,
  formatInstant,
  isDay,
  parseDecimal,
  parseId,
  parseInstant,
  toUnits,
} from '../../../../src/service/resources/values.js'

const first = Date.parse('0001-01-01T00:00:00.000Z')
const last = Date.parse('9999-12-31T23:59:59.999Z')

describe('an instant', () => {
  it('survives formatting and parsing', () => {
    fc.assert(
      fc.property(fc.integer({ min: first, max: last }), (instant) => {
        const text = new Date(instant).toISOString()
        expect(formatInstant(instant)).toBe(text)
        expect(parseInstant(text)).toBe(instant)
      }),
    )
  })

  it.each([
    ['2024-05-08t09:30:00z', '2024-05-08T09:30:00.000Z'],
    ['2024-05-08 09:30:00+00:00', '2024-05-08T09:30:00.000Z'],
    ['2024-05-08T09:30:00.5+05:30', '2024-05-08T04:00:00.500Z'],
    ['2024-05-08T09:30:00.123999-08:00', '2024-05-08T17:30:00.123Z'],
    ['2024-02-29T23:59:59-23:59', '2024-03-01T23:58:59.000Z'],
  ])('%s is parsed as %s', (text, iso) => {
    expect(parseInstant(text)).toBe(Date.parse(iso))
  })

  it.each([
    '2024-05-08',
    '2024-05-08T09:30Z',
    '2024-05-08T09:30:00',
    '2024-05-08 09:30:00 UTC',
    '2024-05-08T24:00:00Z',
    '2024-05-08T09:60:00Z',
    '2024-05-08T09:30:60Z',
    '2024-05-08T09:30:00+24:00',
    '2024-05-08T09:30:00+05:60',
    '2023-02-29T09:30:00Z',
    '0001-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    ' 2024-05-08T09:30:00Z',
    '2024-05-08T09:30:00Z\n',
  ])('%j is invalid', (text) => {
    expect(parseInstant(text)).toBeUndefined()
  })
})

it('isDay accepts only days of the calendar', () => {
  expect(['2024-02-29', '0001-01-01', '9999-12-31'].every(isDay)).toBe(true)
  expect(['2023-02-29', '2024-13-01', '0000-01-01', '2024-1-1', '2024-05-08T', '', 'today'].some(isDay)).toBe(
    false,
  )
})

it('a formatted decimal keeps its value and has at least two decimal places', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }), fc.nat(4), (digits, decimals) => {
      const text = formatDecimal({ digits, decimals })
      expect(text).toMatch(/^-?\d+\.\d{2,4}$/)
      const read = parseDecimal(text)
      expect(read && toUnits(4, read).units).toBe(toUnits(4, { digits, decimals }).units)
    }),
  )
})

it('toUnits rounds a decimal between two units down', () => {
  expect(toUnits(0, { digits: 15n, decimals: 1 })).toEqual({ units: 1n, isExact: false })
  expect(toUnits(0, { digits: -15n, decimals: 1 })).toEqual({ units: -2n, isExact: false })
  expect(toUnits(0, { digits: -20n, decimals: 1 })).toEqual({ units: -2n, isExact: true })
})

it.each(['', '.5', '5.', '1e3', '+1', '1,5', ' 1', 'NaN', null, true, {}])('%j is not a decimal', (value) => {
  expect(parseDecimal(value)).toBeUndefined()
})

it('parseId accepts a positive whole number, also as text', () => {
  expect([1, '12', 9007199254740991].map(parseId)).toEqual([1, 12, 9007199254740991])
  expect([0, -1, 1.5, '01', '', '9007199254740993', null, true].map(parseId)).toEqual(
    Array(8).fill(undefined),
  )
})
