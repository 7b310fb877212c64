import type { Annex, InvoiceLocale } from '../../lib/invoice-words.js'
import type { InvoiceBody, InvoiceExpense } from '../../records/shapes/invoices.js'
import { negate, roundAmount } from './decimals.js'
import { type BilledEntry, linesOf, type TaxTerms, taxFields, totalsOf } from './lines.js'

/** An expense that is billed. */
export interface BilledExpense extends Pick<InvoiceExpense, 'id' | 'date' | 'description'> {
  amount: string
}

/** How expenses are billed: net and taxed like lines, passed through untaxed, or not at all. */
export type ExpenseMode = 'net' | 'gross' | 'none'

/** The parts of an invoice other than its entries and expenses. */
export interface InvoiceTerms
  extends Pick<
    InvoiceBody,
    'sender' | 'client' | 'client_id' | 'recipient' | 'reference' | 'due' | 'iban' | 'note' | 'logo'
  > {
  currency: string
  locale: InvoiceLocale
  tax: TaxTerms
}

export interface DraftParts {
  terms: InvoiceTerms
  date: string
  since: string | null
  until: string | null
  entries: readonly BilledEntry[]
  expenses: readonly BilledExpense[]
  expenseMode: ExpenseMode
  annex: Annex
}

/** The terms of expenses that are passed through. */
const passedThrough: TaxTerms = { category: 'outside', percent: '0', reason: null }

/** Returns an invoice without a number. */
export function createDraft(parts: DraftParts): InvoiceBody {
  const { terms, date, since, until, annex } = parts
  const { currency, tax, ...others } = terms
  const { lines, entries, annex: rows } = linesOf(parts.entries, { currency, tax, annex })
  const expenseTax = parts.expenseMode === 'gross' ? passedThrough : tax
  const expenses = (parts.expenseMode === 'none' ? [] : parts.expenses).map(
    (expense): InvoiceExpense => ({
      ...expense,
      amount: roundAmount(expense.amount, currency),
      ...taxFields(expenseTax),
    }),
  )
  return {
    ...{ kind: 'invoice', number: null, cancels: null, date, since, until, currency },
    ...others,
    lines,
    expenses,
    ...totalsOf([...lines, ...expenses], { currency, reasons: [tax] }),
    ...{ annex: rows, annex_kind: annex, entries },
  }
}

/** Returns the cancellation of an invoice: the same lines with negative hours and amounts. */
export function cancellationOf(invoice: InvoiceBody, date: string): InvoiceBody {
  return {
    ...invoice,
    ...{ kind: 'cancellation', number: null, cancels: invoice.number, date, due: null },
    lines: invoice.lines.map((line) => ({ ...line, hours: negate(line.hours), amount: negate(line.amount) })),
    expenses: invoice.expenses.map((expense) => ({ ...expense, amount: negate(expense.amount) })),
    net: negate(invoice.net),
    taxes: invoice.taxes.map((tax) => ({ ...tax, net: negate(tax.net), tax: negate(tax.tax) })),
    tax: negate(invoice.tax),
    total: negate(invoice.total),
    ...{ iban: null, note: null, annex: [], annex_kind: 'none', entries: [] },
  }
}
