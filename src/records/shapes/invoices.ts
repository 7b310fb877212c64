import { z } from 'zod'
import { annexes, invoiceLocales, taxCategories } from '../../lib/invoice-words.js'
import { count, day, id, name, seconds, text, time } from './values.js'

const decimal = z.string().regex(/^-?\d+(\.\d+)?$/)
const amount = decimal.describe('A decimal number with the digits of the currency, such as "1234.50".')
const percent = decimal.describe('A percentage, such as "19" or "8.1".')
const hours = decimal.describe('Decimal hours with two places, such as "3.75".')

const party = z
  .object({
    name,
    street: text.nullable(),
    city: text.nullable(),
    postal_code: text.nullable(),
    country: text.nullable().describe('Code of ISO 3166, such as "DE".'),
    tax_id: text.nullable(),
    vat_id: text.nullable(),
    email: text.nullable(),
  })
  .meta({ id: 'InvoiceParty' })
export type Party = z.infer<typeof party>

const taxTerms = {
  tax_category: z.enum(taxCategories),
  tax_percent: percent,
}

const line = z
  .object({ description: text, hours, rate: decimal.describe('Price of an hour.'), amount, ...taxTerms })
  .meta({ id: 'InvoiceLine', description: 'A line of an invoice: hours × rate, rounded half up, is amount.' })
export type InvoiceLine = z.infer<typeof line>

const expense = z
  .object({ id, date: day.nullable(), description: text, amount, ...taxTerms })
  .meta({ id: 'InvoiceExpense' })
export type InvoiceExpense = z.infer<typeof expense>

const tax = z
  .object({
    ...taxTerms,
    net: amount,
    tax: amount,
    reason: text.nullable().describe('Why there is no tax, as on the page.'),
  })
  .meta({ id: 'InvoiceTax', description: 'The tax of all lines and expenses with one rate.' })
export type InvoiceTax = z.infer<typeof tax>

const annexRow = z
  .object({ date: day, description: text.nullable(), notes: text.nullable(), hours })
  .meta({ id: 'InvoiceAnnexRow', description: 'A day or an entry. The hours add up to those of the lines.' })
export type AnnexRow = z.infer<typeof annexRow>

const documentKeys = {
  kind: z.enum(['invoice', 'cancellation']),
  number: text.nullable().describe('null in a draft.'),
  cancels: text.nullable().describe('The number of the invoice that this cancellation cancels.'),
  date: day,
  due: day.nullable(),
  since: day.nullable().describe('The first day of the period.'),
  until: day.nullable().describe('The last day of the period.'),
  currency: text.describe('Code of ISO 4217.'),
  locale: z.enum(invoiceLocales),
  sender: party,
  client: name,
  client_id: id,
  recipient: party,
  reference: text.nullable().describe('The reference of the client.'),
  lines: z.array(line),
  expenses: z.array(expense),
  net: amount.describe('The sum of the lines and expenses.'),
  taxes: z.array(tax),
  tax: amount,
  total: amount,
  iban: text.nullable(),
  note: text.nullable(),
  logo: text.nullable().describe('A data URL (RFC 2397).'),
  annex: z.array(annexRow),
  annex_kind: z.enum(annexes),
}

/** An invoice as its client gets it. */
export type InvoiceDocument = z.infer<z.ZodObject<typeof documentKeys>>

const invoicedEntry = z
  .object({
    id,
    time_start: time,
    time_end: time,
    task_link_id: id.nullable(),
    external_id: z.string().nullable().describe('Its ID in the source that it was imported from.'),
    seconds,
    billed_seconds: seconds.describe('Whole seconds after rounding.'),
    line: count.describe('The index of its line.'),
    amount: amount.describe('Its part of the amount of the line.'),
  })
  .meta({ id: 'InvoicedEntry', description: 'An entry as it was when the invoice was written.' })
export type InvoicedEntry = z.infer<typeof invoicedEntry>

const recordKeys = { ...documentKeys, entries: z.array(invoicedEntry) }
/** What a profile stores of an invoice. */
const invoiceBody = z.object(recordKeys)
export type InvoiceBody = z.infer<typeof invoiceBody>

const storedKeys = {
  ...recordKeys,
  number: text,
  status: z.enum(['issued', 'void']),
  cancelled_by: text.nullable().describe('The number of its cancellation.'),
  created_at: time,
}
export const invoice = z
  .object(storedKeys)
  .meta({ id: 'Invoice', description: 'An invoice or a cancellation with the entries that it bills.' })
export type InvoiceJson = z.infer<typeof invoice>

const changedRecord = z
  .object({
    kind: z.enum(['entry', 'expense']),
    id,
    change: z.enum(['deleted', 'changed']),
    fields: z.array(text).describe('The fields that differ.'),
  })
  .meta({ id: 'InvoicedRecordChange' })
export type InvoicedRecordChange = z.infer<typeof changedRecord>

export const shownInvoice = z
  .object({
    ...storedKeys,
    changes: z.array(changedRecord).describe('Entries and expenses that differ from the invoice today.'),
  })
  .meta({ id: 'ShownInvoice' })
export type ShownInvoiceJson = z.infer<typeof shownInvoice>

/** A line or an expense of an invoice. */
export const invoicePosition = z
  .object({
    kind: z.enum(['line', 'expense']),
    date: day.nullable().describe('Only of an expense.'),
    description: text,
    hours: hours.nullable(),
    rate: decimal.nullable(),
    amount,
    ...taxTerms,
  })
  .meta({ id: 'InvoicePosition' })
export type InvoicePosition = z.infer<typeof invoicePosition>

const leftOut = z
  .object({
    reason: z.enum(['earlier', 'running', 'pending', 'not_billable', 'no_rate', 'currency', 'no_amount']),
    kind: z.enum(['entry', 'expense']),
    count,
    seconds: seconds.nullable().describe('Whole seconds after rounding; null for expenses.'),
    amounts: z.array(z.object({ currency: text, amount: decimal })),
  })
  .meta({ id: 'LeftOut', description: 'Entries or expenses that are not on the invoice, and why.' })
export type LeftOut = z.infer<typeof leftOut>

export const createdInvoice = z
  .object({
    ...recordKeys,
    status: z.enum(['draft', 'issued', 'void']),
    cancelled_by: text.nullable(),
    created_at: time,
    left_out: z.array(leftOut),
    file: text.nullable().describe('The path of the written file.'),
  })
  .meta({ id: 'CreatedInvoice', description: 'A new invoice, or a draft with --dry-run.' })
export type CreatedInvoiceJson = z.infer<typeof createdInvoice>
