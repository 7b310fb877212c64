import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addAmounts, computeAmounts, currencyDecimals, parseRate } from '../../../src/report/money.js'
import { usageErrorOf } from '../calendar/zone.js'

test.each([
  ['95', 'EUR', { amount: '95', currency: 'EUR' }],
  ['95.50 usd', 'EUR', { amount: '95.50', currency: 'USD' }],
  [' 0 JPY ', undefined, { amount: '0', currency: 'JPY' }],
])('reads the rate %j', (text, currency, rate) => {
  expect(parseRate(text, 'rate.Acme', currency)).toEqual(rate)
})

test.each([
  ['', 'EUR'],
  ['-1', 'EUR'],
  ['1,5', 'EUR'],
  ['ninety', 'EUR'],
  ['95 EURO', 'EUR'],
  ['95', undefined],
])('rejects the rate %j with the default currency %j', (text, currency) => {
  expect(usageErrorOf(() => parseRate(text, 'rate.Acme', currency)).message).toContain('rate.Acme')
})

test.each([
  ['EUR', 2],
  ['JPY', 0],
  ['KWD', 3],
  ['points', 2],
])('%s has %i decimal places', (currency, digits) => {
  expect(currencyDecimals(currency)).toBe(digits)
})

test('an amount is hourly rate × time, rounded half up to the decimal places of the currency', () => {
  const cost = (amount: string, seconds: number, currency = 'EUR') =>
    computeAmounts(new Map([[{ amount, currency }, seconds]]))[0]?.amount
  expect(cost('95', 3600)).toBe('95.00')
  expect(cost('95', 1)).toBe('0.03')
  expect(cost('0.01', 1800)).toBe('0.01')
  expect(cost('0.01', 1799)).toBe('0.00')
  expect(cost('1000', 1, 'JPY')).toBe('0')
  expect(cost('1800', 1, 'JPY')).toBe('1')
})

test('amounts agree with an exact integer calculation', () => {
  const cents = fc.bigInt({ min: 0n, max: 10n ** 12n })
  const seconds = fc.integer({ min: 0, max: 4e9 })
  const fraction = fc.record({ times: fc.nat({ max: 4e9 }), by: fc.integer({ min: 1, max: 4e9 }) })
  fc.assert(
    fc.property(cents, seconds, fraction, (rate, time, scale) => {
      const amount = `${rate / 100n}.${String(rate % 100n).padStart(2, '0')}`
      const [whole, by] = [rate * BigInt(time) * BigInt(scale.times), 3600n * BigInt(scale.by)]
      const expected = (2n * whole + by) / (2n * by)
      const [money] = computeAmounts(new Map([[{ amount, currency: 'EUR' }, time]]), scale)
      expect(BigInt((money?.amount ?? '').replace('.', ''))).toBe(expected)
    }),
  )
})

test('sums are separate for each currency, in the order of their codes', () => {
  const sum = addAmounts(
    [
      { currency: 'USD', amount: '0.10' },
      { currency: 'EUR', amount: '1' },
    ],
    [
      { currency: 'EUR', amount: '0.20' },
      { currency: 'USD', amount: '0.20' },
      { currency: 'CHF', amount: '3.00' },
    ],
  )
  expect(sum).toEqual([
    { currency: 'CHF', amount: '3.00' },
    { currency: 'EUR', amount: '1.20' },
    { currency: 'USD', amount: '0.30' },
  ])
})
