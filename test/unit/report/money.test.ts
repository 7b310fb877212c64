import { expect, test } from 'vitest'
import { addAmounts } from '../../../src/report/rates.js'

test('amounts of different currencies are added separately, in the order of their codes', () => {
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
