import type { Context } from '../../cli/context.js'
import type { CreatedInvoiceJson, InvoiceJson, ShownInvoiceJson } from '../../shapes/invoices.js'
import type { View } from '../../ui/view.js'
import { invoiceText } from '../shared/invoices/invoice-text.js'
import { emptyList } from '../views/empty-list.js'

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

export const shownInvoiceView = (_ctx: Context): View<ShownInvoiceJson> => ({
  columns: columns as View<ShownInvoiceJson>['columns'],
  json: (invoice) => ({ ...invoice }),
  line: showText,
  empty: 'No invoice.',
})

/** Returns an invoice for the terminal, and what has changed since. */
function showText(invoice: ShownInvoiceJson): string {
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
    heading,
    `${facts.join(', ')}`,
    invoiceText(invoice),
    ...(changed.length > 0 ? ['Changed since the invoice:', ...changed] : []),
  ].join('\n')
}
