import type { Context } from '../../../cli/context.js'
import { countText } from '../../../lib/text/words.js'
import type { InvoiceBody, InvoiceDocument, LeftOut } from '../../../records/shapes/invoices.js'

/** Upper bound for the lines that a preview lists. */
const maxLines = 40

/** Returns the lines, expenses and sums of an invoice for the terminal. */
export function invoiceText(invoice: InvoiceDocument): string {
  const { lines, expenses } = invoice
  const rows = [
    ...lines.map(
      ({ description, hours, rate, amount }): Row => [description, `${hours} h × ${rate}`, amount],
    ),
    ...expenses.map(({ date, description, amount }): Row => [description || 'Expense', date ?? '', amount]),
  ]
  const listed = rows.slice(0, maxLines)
  const sums = sumRows(invoice)
  const more = rows.length > maxLines ? [`  … and ${rows.length - maxLines} more lines`] : []
  const aligned = alignRows([...listed, ...sums])
  return [...aligned.slice(0, listed.length), ...more, ...aligned.slice(listed.length)].join('\n')
}

/** Returns the sums of an invoice for the terminal. */
export function sumText(invoice: InvoiceDocument): string {
  return alignRows(sumRows(invoice)).join('\n')
}

function sumRows({ net, taxes, total, currency }: InvoiceDocument): Row[] {
  return [
    ['Net', '', net],
    ...taxes.map(
      ({ tax_category: category, tax_percent: percent, net, tax }): Row => [
        category === 'standard' ? `Tax ${percent}%` : `No tax (${category.replace('_', ' ')})`,
        `on ${net}`,
        tax,
      ],
    ),
    [`Total in ${currency}`, '', total],
  ]
}

type Row = [name: string, detail: string, amount: string]

const maxNameLength = 48

function alignRows(rows: readonly Row[]): string[] {
  const shorten = (name: string) =>
    [...name].length > maxNameLength ? `${[...name].slice(0, maxNameLength - 1).join('')}…` : name
  const width = (column: 0 | 1 | 2) => Math.max(...rows.map((row) => [...shorten(row[column])].length))
  const [first, second, third] = [width(0), width(1), width(2)]
  return rows.map(
    ([name, detail, amount]) =>
      `  ${shorten(name).padEnd(first)}  ${detail.padStart(second)}  ${amount.padStart(third)}`,
  )
}

const reasons: Readonly<Record<LeftOut['reason'], string>> = {
  earlier: 'before the period: add --earlier to include',
  running: 'still running',
  pending: 'not yet synced: run `tt sync` first',
  not_billable: 'not billable',
  no_rate: 'without a rate',
  currency: 'in another currency: add --currency to bill',
  no_amount: 'without an amount',
}

/** Returns what an invoice leaves out, and why; undefined for nothing. */
export function leftOutText(ctx: Context, leftOut: readonly LeftOut[]): string | undefined {
  if (leftOut.length === 0) return undefined
  const lines = leftOut.map(({ reason, kind, count, seconds, amounts }) => {
    const records = kind === 'entry' ? countText(count, 'entry', 'entries') : countText(count, 'expense')
    const sums = amounts.map(({ amount, currency }) => `${amount} ${currency}`)
    const figures = [...(seconds === null ? [] : [ctx.durations.format(seconds)]), ...sums].join(', ')
    const object = ['earlier', 'currency'].includes(reason) ? (count === 1 ? ' it' : ' them') : ''
    return `  ${records}${figures && ` (${figures})`} ${reasons[reason]}${object}`
  })
  return `Left out:\n${lines.join('\n')}`
}

/** Returns "2024-001 for Acme". */
export function nameOfInvoice({ number, client }: Pick<InvoiceBody, 'number' | 'client'>): string {
  return `${number ?? 'draft'} for ${client}`
}
