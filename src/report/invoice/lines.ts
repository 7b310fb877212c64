import { currencyDecimals } from '../../lib/currencies.js'
import { apportion, fromUnits, unitsOf } from '../../lib/decimals.js'
import type { Annex, TaxCategory } from '../../lib/invoice-words.js'
import type {
  AnnexRow,
  InvoicedEntry,
  InvoiceExpense,
  InvoiceLine,
  InvoiceTax,
} from '../../records/shapes/invoices.js'
import { decimalHours } from '../decimal-hours.js'
import { lineAmount, sumOf, taxOf } from './decimals.js'

/** The tax of lines and expenses. */
export interface TaxTerms {
  category: TaxCategory
  /** "19"; "0" in every category but `standard`. */
  percent: string
  /** Why there is no tax, as text on the page. */
  reason: string | null
}

/** A finished entry that is billed. */
export interface BilledEntry
  extends Pick<
    InvoicedEntry,
    'id' | 'time_start' | 'time_end' | 'task_link_id' | 'external_id' | 'seconds' | 'billed_seconds'
  > {
  /** Entries with the same text and rate are one line. */
  description: string
  /** Lines are sorted by it, and by rate. */
  order: string
  /** Price of an hour as a decimal number. */
  rate: string
  /** The day on which it starts. */
  day: string
  notes: string
}

export interface Lines {
  lines: InvoiceLine[]
  entries: InvoicedEntry[]
  annex: AnnexRow[]
}

/**
 * Returns the lines of entries: one for each description and rate. The hours of a line are its billed seconds / 3600 with two
 * places, its amount is hours times rate, both rounded half up. The hours and amounts of entries are parts of those of their
 * line, which add up to it.
 */
export function linesOf(
  billed: readonly BilledEntry[],
  { currency, tax, annex }: { currency: string; tax: TaxTerms; annex: Annex },
): Lines {
  const groups = groupEntries(billed)
  const lines: InvoiceLine[] = []
  const rows: { entry: BilledEntry; invoiced: InvoicedEntry; hundredths: bigint }[] = []
  for (const [index, group] of groups.entries()) {
    const { description, rate } = group[0] as BilledEntry
    const seconds = group.map((entry) => BigInt(entry.billed_seconds))
    const total = seconds.reduce((sum, each) => sum + each, 0n)
    const hours = decimalHours(Number(total))
    const amount = lineAmount(hours, rate, currency)
    lines.push({ description, hours, rate, amount, ...taxFields(tax) })
    const [amounts, hundredths] = [amount, hours].map((text) => distribute(unitsOf(text), seconds, total))
    for (const [at, entry] of group.entries()) {
      const { id, time_start, time_end, task_link_id, external_id, seconds, billed_seconds } = entry
      const part = fromUnits(amounts?.[at] ?? 0n, currencyDecimals(currency))
      rows.push({
        entry,
        invoiced: {
          id,
          time_start,
          time_end,
          task_link_id,
          external_id,
          seconds,
          billed_seconds,
          line: index,
          amount: part,
        },
        hundredths: hundredths?.[at] ?? 0n,
      })
    }
  }
  rows.sort((a, b) => Date.parse(a.entry.time_start) - Date.parse(b.entry.time_start))
  return { lines, entries: rows.map(({ invoiced }) => invoiced), annex: annexOf(rows, annex) }
}

/** Returns the net sum, the tax of each rate on its net, and the total. */
export function totalsOf(
  positions: readonly Pick<InvoiceLine, 'amount' | 'tax_category' | 'tax_percent'>[],
  { currency, reasons }: { currency: string; reasons: readonly TaxTerms[] },
): { net: string; taxes: InvoiceTax[]; tax: string; total: string } {
  const nets = new Map<string, InvoiceTax & { amounts: string[] }>()
  for (const { amount, tax_category, tax_percent } of positions) {
    const key = `${tax_category} ${tax_percent}`
    const reason = reasons.find(({ category }) => category === tax_category)?.reason ?? null
    const group = nets.get(key) ?? { tax_category, tax_percent, net: '', tax: '', reason, amounts: [] }
    group.amounts.push(amount)
    nets.set(key, group)
  }
  const taxes = [...nets.values()].map(({ amounts, ...group }): InvoiceTax => {
    const net = sumOf(amounts, currency)
    return { ...group, net, tax: taxOf(net, group.tax_percent, currency) }
  })
  const net = sumOf(
    positions.map(({ amount }) => amount),
    currency,
  )
  const tax = sumOf(
    taxes.map((each) => each.tax),
    currency,
  )
  return { net, taxes, tax, total: sumOf([net, tax], currency) }
}

/** Returns the fields of a line or expense with these terms. */
export function taxFields({
  category,
  percent,
}: TaxTerms): Pick<InvoiceExpense, 'tax_category' | 'tax_percent'> {
  return { tax_category: category, tax_percent: percent }
}

function groupEntries(billed: readonly BilledEntry[]): BilledEntry[][] {
  const groups = new Map<string, BilledEntry[]>()
  for (const entry of billed) {
    const key = JSON.stringify([entry.order, entry.description, entry.rate])
    const group = groups.get(key)
    if (group) group.push(entry)
    else groups.set(key, [entry])
  }
  return [...groups.values()].sort(([a], [b]) => compareLines(a as BilledEntry, b as BilledEntry))
}

function compareLines(a: BilledEntry, b: BilledEntry): number {
  if (a.order !== b.order) return a.order < b.order ? -1 : 1
  if (a.description !== b.description) return a.description < b.description ? -1 : 1
  return Number(b.rate) - Number(a.rate)
}

function distribute(total: bigint, weights: readonly bigint[], sum: bigint): bigint[] {
  if (sum === 0n) return weights.map(() => 0n)
  return apportion(
    total,
    weights.map((weight) => total * weight),
    sum,
  )
}

/** Returns the rows of the annex: the entries, or the days on which they start. */
function annexOf(rows: readonly { entry: BilledEntry; hundredths: bigint }[], annex: Annex): AnnexRow[] {
  if (annex === 'none') return []
  if (annex === 'entries') {
    return rows.map(({ entry: { day, description, notes }, hundredths }) => ({
      ...{ date: day, description, notes: notes || null, hours: fromUnits(hundredths, 2) },
    }))
  }
  const days = new Map<string, bigint>()
  for (const { entry, hundredths } of rows) days.set(entry.day, (days.get(entry.day) ?? 0n) + hundredths)
  return [...days].map(([date, sum]) => ({ date, description: null, notes: null, hours: fromUnits(sum, 2) }))
}
