import { expect, test } from 'vitest'
import { invoiceLocales } from '../../../../../src/lib/invoice-words.js'
import { invoicePage } from '../../../../../src/ui/page/invoice/invoice-page.js'
import {
  countryName,
  formatDecimal,
  formatInvoiceDay,
  formatPercent,
} from '../../../../../src/ui/page/invoice/locale.js'
import { exampleInvoice } from './example.js'

const samples = ['0.00', '5.72', '999.99', '1234.50', '9999', '12345.678', '1234567.89', '-1234.50']

test.each(invoiceLocales)('numbers in %s are those of the Unicode CLDR', (locale) => {
  for (const sample of samples) {
    const digits = sample.split('.')[1]?.length ?? 0
    const format = new Intl.NumberFormat(locale, {
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    })
    // The minus sign is a typographic one.
    expect(formatDecimal(sample, locale)).toBe(format.format(Number(sample)).replace('-', '\u2212'))
  }
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
  // Versions of the CLDR have different spaces.
  const withSpace = (text: string) => text.replace(/\s/u, ' ')
  expect(withSpace(formatPercent('8.1', locale))).toBe(withSpace(percent.format(0.081)))
})

test('numbers keep all their digits', () => {
  expect(formatDecimal('123456789012345678.123', 'en')).toBe('123,456,789,012,345,678.123')
})

test.each([
  ['en', '3 May 2024', 'Germany', 'Total', 'Total hours'],
  ['de', '3. Mai 2024', 'Deutschland', 'Gesamtbetrag', 'Stunden gesamt'],
  ['fr', '3 mai 2024', 'Allemagne', 'Total TTC', 'Total des heures'],
  ['es', '3 de mayo de 2024', 'Alemania', 'Total', 'Total de horas'],
  ['nl', '3 mei 2024', 'Duitsland', 'Totaal', 'Totaal uren'],
] as const)('days, countries and the labels of both sums in %s', (locale, day, country, total, hours) => {
  expect(formatInvoiceDay('2024-05-03', locale)).toBe(day)
  expect(countryName('DE', locale)).toBe(country)
  expect(countryName('XX', locale)).toBe('XX')
  const page = invoicePage(exampleInvoice({ locale, annex: 'days' }), { isDraft: false })
  expect(page).toContain(`<tr class="total"><th scope="row">${total}</th>`)
  expect(page).toContain(`<tr class="sum"><th scope="row">${hours}</th>`)
})
