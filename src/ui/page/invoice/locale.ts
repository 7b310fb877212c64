import type { InvoiceLocale, TaxCategory } from '../../../lib/invoice-words.js'

/** The labels of an invoice in a language. */
export interface Labels {
  invoice: string
  cancellation: string
  draft: string
  from: string
  to: string
  number: string
  date: string
  period: string
  due: string
  reference: string
  cancels: string
  taxId: string
  vatId: string
  services: string
  description: string
  hours: string
  rate: string
  amount: string
  expenses: string
  net: string
  tax: string
  /** Between a tax and its net amount: "Tax 19% on 100.00". */
  on: string
  total: string
  payment: string
  account: string
  annex: string
  /** Of the sum of the annex. */
  totalHours: string
  notes: string
  /** Why there is no tax; empty for the category with a tax. */
  categories: Readonly<Record<TaxCategory, string>>
}

export const labels: Readonly<Record<InvoiceLocale, Labels>> = {
  en: {
    ...{ invoice: 'Invoice', cancellation: 'Cancellation', draft: 'Draft', from: 'From', to: 'To' },
    ...{ number: 'Number', date: 'Date', period: 'Period', due: 'Due', reference: 'Your reference' },
    ...{ cancels: 'Cancels invoice', taxId: 'Tax number', vatId: 'VAT ID', services: 'Services' },
    ...{ description: 'Description', hours: 'Hours', rate: 'Rate', amount: 'Amount', expenses: 'Expenses' },
    ...{ net: 'Net', tax: 'Tax', on: 'on', total: 'Total', payment: 'Payment', account: 'IBAN' },
    ...{ annex: 'Time in detail', totalHours: 'Total hours', notes: 'Notes' },
    categories: {
      standard: '',
      zero: 'Zero-rated',
      exempt: 'Exempt from tax',
      reverse_charge: 'Reverse charge: the recipient is liable for the tax',
      outside: 'Not subject to tax',
    },
  },
  de: {
    ...{ invoice: 'Rechnung', cancellation: 'Stornorechnung', draft: 'Entwurf', from: 'Von', to: 'An' },
    ...{ number: 'Nummer', date: 'Datum', period: 'Leistungszeitraum', due: 'Zahlbar bis' },
    ...{ reference: 'Ihr Zeichen', cancels: 'Storniert Rechnung', taxId: 'Steuernummer', vatId: 'USt-IdNr.' },
    ...{ services: 'Leistungen', description: 'Beschreibung', hours: 'Stunden', rate: 'Satz' },
    ...{ amount: 'Betrag', expenses: 'Auslagen', net: 'Netto', tax: 'Umsatzsteuer', on: 'auf' },
    ...{ total: 'Gesamtbetrag', payment: 'Zahlung', account: 'IBAN', annex: 'Zeiten im Einzelnen' },
    ...{ totalHours: 'Stunden gesamt', notes: 'Notizen' },
    categories: {
      standard: '',
      zero: 'Steuersatz null',
      exempt: 'Steuerfrei',
      reverse_charge: 'Steuerschuldnerschaft des Leistungsempfängers',
      outside: 'Nicht steuerbar',
    },
  },
  fr: {
    ...{ invoice: 'Facture', cancellation: 'Facture d’annulation', draft: 'Brouillon', from: 'De', to: 'À' },
    ...{ number: 'Numéro', date: 'Date', period: 'Période', due: 'À payer avant le' },
    ...{ reference: 'Votre référence', cancels: 'Annule la facture', taxId: 'N° fiscal', vatId: 'N° TVA' },
    ...{ services: 'Prestations', description: 'Description', hours: 'Heures', rate: 'Taux' },
    ...{ amount: 'Montant', expenses: 'Frais', net: 'Total HT', tax: 'TVA', on: 'sur' },
    ...{ total: 'Total TTC', payment: 'Paiement', account: 'IBAN', annex: 'Détail du temps' },
    ...{ totalHours: 'Total des heures', notes: 'Notes' },
    categories: {
      standard: '',
      zero: 'Taux zéro',
      exempt: 'Exonéré de TVA',
      reverse_charge: 'Autoliquidation',
      outside: 'Non soumis à la TVA',
    },
  },
  es: {
    ...{
      invoice: 'Factura',
      cancellation: 'Factura de anulación',
      draft: 'Borrador',
      from: 'De',
      to: 'Para',
    },
    ...{ number: 'Número', date: 'Fecha', period: 'Período', due: 'Vencimiento' },
    ...{ reference: 'Su referencia', cancels: 'Anula la factura', taxId: 'NIF', vatId: 'NIF-IVA' },
    ...{ services: 'Servicios', description: 'Descripción', hours: 'Horas', rate: 'Tarifa' },
    ...{ amount: 'Importe', expenses: 'Gastos', net: 'Base imponible', tax: 'IVA', on: 'sobre' },
    ...{ total: 'Total', payment: 'Pago', account: 'IBAN', annex: 'Detalle del tiempo' },
    ...{ totalHours: 'Total de horas', notes: 'Notas' },
    categories: {
      standard: '',
      zero: 'Tipo cero',
      exempt: 'Exento de IVA',
      reverse_charge: 'Inversión del sujeto pasivo',
      outside: 'No sujeto a IVA',
    },
  },
  nl: {
    ...{ invoice: 'Factuur', cancellation: 'Creditfactuur', draft: 'Concept', from: 'Van', to: 'Aan' },
    ...{ number: 'Nummer', date: 'Datum', period: 'Periode', due: 'Te betalen vóór' },
    ...{ reference: 'Uw referentie', cancels: 'Crediteert factuur', taxId: 'Belastingnummer' },
    ...{ vatId: 'Btw-nummer', services: 'Diensten', description: 'Omschrijving', hours: 'Uren' },
    ...{ rate: 'Tarief', amount: 'Bedrag', expenses: 'Onkosten', net: 'Subtotaal', tax: 'Btw', on: 'over' },
    ...{ total: 'Totaal', payment: 'Betaling', account: 'IBAN', annex: 'Tijd in detail' },
    ...{ totalHours: 'Totaal uren', notes: 'Notities' },
    categories: {
      standard: '',
      zero: 'Nultarief',
      exempt: 'Vrijgesteld van btw',
      reverse_charge: 'Btw verlegd',
      outside: 'Geen btw van toepassing',
    },
  },
}

interface NumberForm {
  group: string
  decimal: string
  /** The least number of digits before the decimal sign that are grouped. */
  minGroupedDigits: number
  percent: string
}

const narrowSpace = '\u202f'
const space = '\u00a0'

/** As in the Unicode CLDR. `Intl` would round what it cannot represent. */
const numberForms: Readonly<Record<InvoiceLocale, NumberForm>> = {
  en: { group: ',', decimal: '.', minGroupedDigits: 4, percent: '%' },
  de: { group: '.', decimal: ',', minGroupedDigits: 4, percent: `${space}%` },
  fr: { group: narrowSpace, decimal: ',', minGroupedDigits: 4, percent: `${space}%` },
  es: { group: '.', decimal: ',', minGroupedDigits: 5, percent: `${space}%` },
  nl: { group: '.', decimal: ',', minGroupedDigits: 4, percent: '%' },
}

/** Returns a decimal number with the separators of a language and all its digits. */
export function formatDecimal(text: string, locale: InvoiceLocale): string {
  const { group, decimal, minGroupedDigits } = numberForms[locale]
  const [, sign = '', whole = '', fraction] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  const grouped = whole.length < minGroupedDigits ? whole : whole.replace(/\B(?=(\d{3})+$)/g, group)
  return `${sign === '-' ? '\u2212' : ''}${grouped}${fraction === undefined ? '' : `${decimal}${fraction}`}`
}

/** Returns a percentage: "19%" in English, "8,1 %" in German. */
export function formatPercent(percent: string, locale: InvoiceLocale): string {
  return `${formatDecimal(percent, locale)}${numberForms[locale].percent}`
}

/** Returns a day in words: "3 May 2024". */
export function formatInvoiceDay(day: string, locale: InvoiceLocale): string {
  // The order of American dates would be another one.
  const format = new Intl.DateTimeFormat(locale === 'en' ? 'en-GB' : locale, {
    ...{ day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' },
  })
  return format.format(new Date(`${day}T00:00:00Z`))
}

/** Returns the name of a country; its code if it is unknown. */
export function countryName(code: string, locale: InvoiceLocale): string {
  return new Intl.DisplayNames([locale], { type: 'region', fallback: 'code' }).of(code) ?? code
}
