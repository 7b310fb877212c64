import type { Annex, InvoiceLocale } from '../../../../../src/lib/invoice-words.js'
import type { InvoiceBody, Party } from '../../../../../src/records/shapes/invoices.js'
import { createDraft } from '../../../../../src/report/invoice/document.js'
import type { BilledEntry } from '../../../../../src/report/invoice/lines.js'

export const sender: Party = {
  ...{ name: 'Ada Lovelace', street: 'Unter den Linden 1', city: 'Berlin', postal_code: '10117' },
  ...{ country: 'DE', tax_id: '12/345/67890', vat_id: 'DE123456789', email: 'ada@example.com' },
}
export const recipient: Party = {
  ...{ name: 'Acme Ltd', street: '1 Main Street', city: 'London', postal_code: 'W1A 1AA' },
  ...{ country: 'GB', tax_id: null, vat_id: 'GB987654321', email: null },
}

/** Returns an entry that starts at an instant in epoch milliseconds. */
export function billedEntry(
  startMs: number,
  entry: Pick<BilledEntry, 'id' | 'seconds' | 'rate' | 'description'> & Partial<BilledEntry>,
): BilledEntry {
  const start = new Date(startMs).toISOString()
  return {
    ...{ task_link_id: 1, external_id: null, notes: `note ${entry.id}`, billed_seconds: entry.seconds },
    ...{ order: entry.description.toLowerCase(), time_start: start, day: start.slice(0, 10) },
    time_end: new Date(startMs + entry.seconds * 1000).toISOString(),
    ...entry,
  }
}

export interface ExampleOptions {
  lines?: number
  expenses?: number
  locale?: InvoiceLocale
  annex?: Annex
  description?: (index: number) => string
  terms?: Partial<Pick<InvoiceBody, 'sender' | 'recipient' | 'note' | 'logo' | 'reference'>>
  tax?: { category: 'standard' | 'reverse_charge' | 'exempt'; percent: string; reason: string | null }
  number?: string | null
}

/** Returns an invoice with as many lines, each of one entry of a different length. */
export function exampleInvoice({
  lines = 3,
  expenses = 2,
  locale = 'en',
  annex = 'none',
  description = (index) => `Website / Task ${index + 1}`,
  terms = {},
  tax = { category: 'standard', percent: '19', reason: null },
  number = '2024-007',
}: ExampleOptions = {}): InvoiceBody {
  const entries = Array.from({ length: lines }, (_, index) =>
    billedEntry(Date.UTC(2024, 4, 1 + (index % 31), 9), {
      ...{ id: index + 1, seconds: 600 + ((index * 7919) % 30_000), rate: '95.00' },
      ...{ description: description(index), order: String(index).padStart(5, '0') },
      notes: `Worked on part ${index + 1}`,
    }),
  )
  const draft = createDraft({
    terms: {
      ...{ currency: 'EUR', locale, tax, sender, recipient, client: 'Acme', client_id: 1 },
      ...{ reference: 'PO-4711', due: '2024-06-17', iban: 'DE89370400440532013000' },
      ...{ note: 'Thank you!', logo: null },
      ...terms,
    },
    ...{ date: '2024-06-03', since: '2024-05-01', until: '2024-05-31', entries, annex },
    expenses: Array.from({ length: expenses }, (_, id) => ({
      ...{ id, date: '2024-05-08', description: 'Travel: train to Köln', amount: `${48 + id}.90` },
    })),
    expenseMode: 'net',
  })
  return { ...draft, number }
}
