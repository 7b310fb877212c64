import { expect, test } from 'vitest'
import { invoicePage } from '../../../../../src/ui/page/invoice/invoice-page.js'
import { exampleInvoice } from './example.js'

test.each([
  ['en', 'Total', 'Total hours'],
  ['de', 'Gesamtbetrag', 'Stunden gesamt'],
  ['fr', 'Total TTC', 'Total des heures'],
  ['es', 'Total', 'Total de horas'],
  ['nl', 'Totaal', 'Totaal uren'],
] as const)(
  'the sums of the amounts and of the hours have different labels in %s',
  (locale, total, hours) => {
    const page = invoicePage(exampleInvoice({ locale, annex: 'days' }), { isDraft: false })
    expect(page).toContain(`<tr class="total"><th scope="row">${total}</th>`)
    expect(page).toContain(`<tr class="sum"><th scope="row">${hours}</th>`)
  },
)
