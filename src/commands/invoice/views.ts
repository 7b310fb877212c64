import type {
  CreatedInvoiceJson,
  InvoiceJson,
  InvoicePosition,
  ShownInvoiceJson,
} from '../../records/shapes/invoices.js'
import type { Summary, View } from '../../ui/view.js'
import { sumText } from '../shared/invoices/invoice-text.js'
import { emptyList } from '../views/record.js'

type Shown = Pick<
  InvoiceJson,
  'number' | 'kind' | 'date' | 'client' | 'total' | 'currency' | 'due' | 'cancels' | 'cancelled_by'
>

const columns: View<Shown>['columns'] = [
  { key: 'number', title: 'Number' },
  { key: 'date', title: 'Date' },
  { key: 'client', title: 'Client', canShrink: true },
  { key: 'net', title: 'Net', align: 'right', isFigure: true, isMinor: true },
  { key: 'tax', title: 'Tax', align: 'right', isFigure: true, isMinor: true },
  { key: 'total', title: 'Total', align: 'right', isFigure: true },
  { key: 'currency', title: 'Currency' },
  { key: 'due', title: 'Due', text: ({ due }) => due ?? '' },
  { key: 'status', title: 'Status', text: statusText },
]

/** Returns "issued", "void (2024-002)" or "cancels 2024-001". */
function statusText({ cancels, cancelled_by: cancelledBy }: Shown): string {
  if (cancels !== null) return `cancels ${cancels}`
  return cancelledBy === null ? 'issued' : `void (${cancelledBy})`
}

export const invoiceView: View<InvoiceJson> = {
  columns: columns as View<InvoiceJson>['columns'],
  json: (invoice) => ({ ...invoice }),
  empty: emptyList('invoices', 'tt invoice CLIENT', 'writes one'),
}

export const createdInvoiceView: View<CreatedInvoiceJson> = {
  columns: columns as unknown as View<CreatedInvoiceJson>['columns'],
  json: (invoice) => ({ ...invoice }),
  empty: 'No invoice.',
}

/** Returns the positions of an invoice for tables and CSV, and the invoice for JSON. */
export function shownInvoiceSummary(invoice: ShownInvoiceJson): Summary {
  const rows = [
    ...invoice.lines.map((line): InvoicePosition => ({ kind: 'line', date: null, ...line })),
    ...invoice.expenses.map(
      ({ id: _, ...expense }): InvoicePosition => ({ kind: 'expense', ...expense, hours: null, rate: null }),
    ),
  ]
  const view = {
    columns: [
      { key: 'kind', title: 'Kind', isHiddenOnTerminal: true },
      { key: 'date', title: 'Date' },
      { key: 'description', title: 'Description', canShrink: true },
      { key: 'hours', title: 'Hours', align: 'right', isFigure: true },
      { key: 'rate', title: 'Rate', align: 'right', isFigure: true },
      { key: 'amount', title: 'Amount', align: 'right', isFigure: true },
      { key: 'tax_category', title: 'Tax', isHiddenOnTerminal: true },
      { key: 'tax_percent', title: 'Percent', align: 'right', isHiddenOnTerminal: true },
    ],
    json: (position) => ({ ...position }),
    footer: () => factsText(invoice),
    empty: 'No lines.',
  } satisfies View<InvoicePosition>
  const positions = { view: view as View<unknown>, rows }
  return { record: { ...invoice }, tree: positions, flat: positions }
}

/** Returns what is below the positions: the sums, and what has changed since. */
function factsText(invoice: ShownInvoiceJson): string {
  const { number, client, date, due, since, until, kind, changes } = invoice
  const heading = `${kind === 'cancellation' ? 'Cancellation' : 'Invoice'} ${number} for ${client}: ${statusText(invoice)}`
  const facts = [
    `dated ${date}`,
    ...(due === null ? [] : [`due ${due}`]),
    ...(since === null || until === null ? [] : [`for ${since} to ${until}`]),
  ]
  const changed = changes.map(({ kind, id, change, fields }) =>
    change === 'deleted' ? `  ${kind} ${id} is deleted` : `  ${kind} ${id} has another ${fields.join(', ')}`,
  )
  return [
    sumText(invoice),
    '',
    heading,
    `${facts.join(', ')}`,
    ...(changed.length > 0 ? ['Changed since the invoice:', ...changed] : []),
  ].join('\n')
}
