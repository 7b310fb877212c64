import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { currencyDecimals } from '../../../src/lib/currencies.js'
import { decimalHours, roundToHundredth } from '../../../src/report/decimal-hours.js'
import { amountOf, amountsOfRoundedGroup, parseRate, toMoney } from '../../../src/report/rates.js'
import { usageErrorOf } from '../../support/usage-error.js'

const euros = (text: string) => parseRate(text, 'rate', 'EUR')

describe('a rate', () => {
  test.each([
    ['95', 'EUR', 'EUR', '95.00'],
    ['95.50 usd', 'EUR', 'USD', '95.50'],
    [' 0 JPY ', undefined, 'JPY', '0'],
    ['41.125 KWD', undefined, 'KWD', '41.125'],
  ])('%j has a currency and a price for an hour', (text, currency, code, amount) => {
    const rate = parseRate(text, 'rate.Acme', currency)
    expect(toMoney(new Map([[rate.currency, amountOf(rate, 3600)]]))).toEqual([{ currency: code, amount }])
  })

  test.each([
    ['', 'EUR'],
    ['-1', 'EUR'],
    ['1,5', 'EUR'],
    ['ninety', 'EUR'],
    ['95 EURO', 'EUR'],
    ['95', undefined],
  ])('cannot be %j where the currency is %j', (text, currency) => {
    expect(usageErrorOf(() => parseRate(text, 'rate.Acme', currency)).message).toContain('rate.Acme')
  })
})

describe('an amount', () => {
  const cost = (rate: string, seconds: number) => {
    const parsed = euros(rate)
    return toMoney(new Map([[parsed.currency, amountOf(parsed, seconds)]]))[0]?.amount
  }

  test('is the rate times the time in the digits of the currency, rounded half up', () => {
    expect(cost('95', 3600)).toBe('95.00')
    expect(cost('95', 1)).toBe('0.03')
    expect(cost('0.01', 1800)).toBe('0.01')
    expect(cost('0.01', 1799)).toBe('0.00')
    expect(cost('1000 JPY', 1)).toBe('0')
    expect(cost('1800 JPY', 1)).toBe('1')
    expect(cost('999999999999.99', 86_400)).toBe('23999999999999.76')
  })

  test('agrees with an exact calculation in whole numbers', () => {
    const cents = fc.bigInt({ min: 0n, max: 10n ** 12n })
    fc.assert(
      fc.property(cents, fc.integer({ min: 0, max: 4e9 }), (rate, seconds) => {
        const text = `${rate / 100n}.${String(rate % 100n).padStart(2, '0')}`
        const whole = rate * BigInt(seconds)
        expect(amountOf(euros(text), seconds)).toBe((2n * whole + 3600n) / 7200n)
      }),
    )
  })

  test('of a rounded group is rounded once per currency, over all of its rates', () => {
    const seconds = fc.integer({ min: 0, max: 1e6 })
    const rates = fc.array(fc.tuple(fc.bigInt({ min: 0n, max: 99_999n }), seconds), { minLength: 1 })
    fc.assert(
      fc.property(rates, seconds, (given, rounded) => {
        const exact = given.reduce((sum, [, part]) => sum + part, 0)
        const secondsByRate = new Map(
          given.map(([cents, part]) => [
            euros(`${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`),
            part,
          ]),
        )
        const sum = given.reduce((total, [cents, part]) => total + cents * BigInt(part), 0n) * BigInt(rounded)
        const divisor = 3600n * BigInt(exact)
        const expected = exact === 0 ? 0n : (2n * sum + divisor) / (2n * divisor)
        expect(amountsOfRoundedGroup(secondsByRate, { exact, rounded })).toEqual(new Map([['EUR', expected]]))
      }),
    )
  })
})

test('amounts of different currencies are sorted by code, each with the digits of its currency', () => {
  const amounts = new Map([
    ['USD', 5n],
    ['KWD', 12_345n],
    ['JPY', 7n],
    ['CLF', 1n],
  ])
  expect(toMoney(amounts)).toEqual([
    { currency: 'CLF', amount: '0.0001' },
    { currency: 'JPY', amount: '7' },
    { currency: 'KWD', amount: '12.345' },
    { currency: 'USD', amount: '0.05' },
  ])
  expect(currencyDecimals('points')).toBe(2)
})

describe('decimal hours', () => {
  test('are the exact hours, rounded half up', () => {
    expect([17, 18, 3600].map(decimalHours)).toEqual(['0.00', '0.01', '1.00'])
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e9 }), (seconds) => {
        const hundredths = (BigInt(seconds) * 200n + 3600n) / 7200n
        expect(BigInt(decimalHours(seconds).replace('.', ''))).toBe(hundredths)
      }),
    )
  })

  test('times the rate are the amount of the rounded seconds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), (seconds) => {
        const hundredths = BigInt(decimalHours(seconds).replace('.', ''))
        expect(amountOf(euros('95.55'), roundToHundredth(seconds))).toBe((hundredths * 9555n + 50n) / 100n)
      }),
    )
  })
})
