import { expect, test } from 'vitest'
import { currencyDecimals, isCurrency } from '../../../src/lib/currencies.js'

test.each([
  ['EUR', 2],
  ['JPY', 0],
  ['CLF', 4],
  ['IDR', 2],
  ['IQD', 3],
])('%s is a currency with %i decimals', (code, decimals) => {
  expect(isCurrency(code)).toBe(true)
  expect(currencyDecimals(code)).toBe(decimals)
})

test.each(['EUX', 'eur', 'EURO', '', 'XXX', 'XAU', 'DEM', 'E R'])('%j is not a currency', (code) => {
  expect(isCurrency(code)).toBe(false)
})

test('common currencies of the runtime are known, with its decimals where it follows ISO 4217', () => {
  for (const code of 'AUD BRL CAD CHF CNY GBP INR ISK KRW PLN SEK TND USD VND'.split(' ')) {
    const format = new Intl.NumberFormat('en', { style: 'currency', currency: code })
    expect([code, isCurrency(code), currencyDecimals(code)]).toEqual([
      code,
      true,
      format.resolvedOptions().maximumFractionDigits,
    ])
  }
})
