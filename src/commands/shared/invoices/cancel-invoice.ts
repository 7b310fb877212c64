import type { Context } from '../../../cli/context.js'
import { dayOf } from '../../../lib/calendar/day.js'
import { TtError } from '../../../lib/errors.js'
import type { InvoiceBody } from '../../../records/shapes/invoices.js'
import { cancellationOf } from '../../../report/invoice/document.js'
import type { StoredInvoice } from '../../../report/invoice/invoice-store.js'
import { nameOfInvoice } from './invoice-text.js'
import { findInvoice, openInvoices } from './open-invoices.js'
import { recordInvoice } from './record-invoice.js'

export interface CancelOptions {
  /** The day of the cancellation; today without it. */
  date?: string | undefined
  /** The number of the cancellation; the next one without it. */
  chosen?: string | undefined
}

/** Renders a document, and calls `take` when that succeeded; undefined if `take` must be called with another number. */
export type Render = (
  document: InvoiceBody,
  take: () => Promise<StoredInvoice | undefined>,
) => Promise<StoredInvoice | undefined>

/**
 * Cancels an invoice, which keeps its number: records a cancellation with a number of its own, and releases the entries.
 * Returns the cancellation; undefined if the user declines. Throws TtError `usage` for a cancellation, and for an invoice
 * that is cancelled already.
 */
export async function cancelInvoice(
  ctx: Context,
  target: { id: string } | { number: string },
  { date = dayOf(ctx.now), chosen }: CancelOptions = {},
  render: Render = (_, take) => take(),
): Promise<StoredInvoice | undefined> {
  const invoices = await openInvoices(ctx)
  const { store } = invoices
  const invoice = 'id' in target ? store.withId(target.id) : findInvoice(store, target.number)
  if (!invoice) throw new TtError('not_found', 'The invoice no longer exists in this profile.')
  checkCancellable(invoice)
  const { number, body } = invoice
  const records = store.recordsOf(invoice.id).length
  const facts =
    `Invoice ${nameOfInvoice(body)}, ${body.total} ${body.currency}, keeps its number. ` +
    `A cancellation with its own number is written, and ${records === 1 ? '1 entry or expense' : `${records} entries and expenses`} can be billed again.`
  if (
    !(await ctx.terminal.confirm(`Void invoice ${number}?`, facts, {
      isPreview: true,
      subject: { void: number },
    }))
  )
    return undefined
  return recordInvoice(
    ctx,
    invoices,
    {
      ...{ draft: cancellationOf({ ...body, number }, date), chosen, records: [], cancels: invoice.id },
      title: `Cancellation of invoice ${number}`,
      // Another process may have voided it since.
      check: () => checkCancellable(store.withId(invoice.id) ?? invoice),
    },
    (document, take) =>
      render(document, async () => {
        const taken = await take()
        if (taken) ctx.terminal.message(`Voided invoice ${number} with the cancellation ${taken.number}.`)
        return taken
      }),
  )
}

function checkCancellable({ number, body, cancelledBy }: StoredInvoice) {
  if (body.kind === 'cancellation')
    throw new TtError('usage', `${number} is a cancellation, which cannot be voided.`, {
      hint: `To bill again what invoice ${body.cancels} had, write a new invoice.`,
    })
  if (cancelledBy !== null)
    throw new TtError('usage', `Invoice ${number} was voided by ${cancelledBy} already.`)
}
