import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decimalHours, roundToHundredth } from '../../../src/report/decimal-hours.js'
import { amountOf, parseRate } from '../../../src/report/rates.js'

describe('decimal hours', () => {
  test.each([
    [17, '0.00'],
    [18, '0.01'],
    [3 * 3600 + 50 * 60, '3.83'],
    [3600 - 18, '1.00'],
    [1234 * 3600 + 20 * 60, '1234.33'],
  ])('of %i seconds are %s', (seconds, hours) => {
    expect(decimalHours(seconds)).toBe(hours)
  })

  test('are the exact hours, rounded half up', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e9 }), (seconds) => {
        const hundredths = (BigInt(seconds) * 200n + 3600n) / 7200n
        expect(BigInt(decimalHours(seconds).replace('.', ''))).toBe(hundredths)
      }),
    )
  })

  test('times the rate are the amount of the rounded seconds', () => {
    const rate = parseRate('95.55 EUR', 'rate', undefined)
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), (seconds) => {
        const hundredths = BigInt(decimalHours(seconds).replace('.', ''))
        expect(amountOf(rate, roundToHundredth(seconds))).toBe((hundredths * 9555n + 50n) / 100n)
      }),
    )
  })
})
