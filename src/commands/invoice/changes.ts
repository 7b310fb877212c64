import type { RecordKind, WireRecord } from '../../api-client/types.js'
import type { Context } from '../../cli/context.js'
import { isEquivalent } from '../../outbox/field-equality.js'
import type { InvoicedRecordChange } from '../../records/shapes/invoices.js'
import type { StoredInvoice } from '../../report/invoice/invoice-store.js'

/** Returns the entries and expenses of an invoice that are deleted today, or whose time, task or amount is another one. */
export async function changesOf(
  ctx: Context,
  { body, cancelledBy }: StoredInvoice,
): Promise<InvoicedRecordChange[]> {
  if (cancelledBy !== null || body.kind === 'cancellation') return []
  const [{ outbox, entries }, expenses] = [await ctx.tracker(), await ctx.expenses()]
  const changes: InvoicedRecordChange[] = []
  const compare = (
    kind: RecordKind,
    { id, ...billed }: { id: string | number } & Record<string, unknown>,
    current: WireRecord | undefined,
  ) => {
    const fields = Object.keys(billed).filter((name) => !isEquivalent(name, billed[name], current?.[name], 1))
    if (!current) changes.push({ kind, id, change: 'deleted', fields: [] })
    else if (fields.length > 0) changes.push({ kind, id, change: 'changed', fields })
  }
  const current = await currentEntries(ctx, body.entries)
  for (const { id, time_start, time_end, task_link_id } of body.entries) {
    const name = outbox.resolve('entry', String(id))
    const record = current.get(name) ?? (await entries.record(name))
    compare('entry', { id, time_start, time_end, task_link_id }, record)
  }
  const all = body.expenses.length === 0 ? [] : await expenses.list({}, {})
  for (const { id, date, amount } of body.expenses) {
    const name = outbox.resolve('expense', String(id))
    const found = all.find((expense) => String(expense.id) === name)
    const billed = { id, spent_on: date, amount }
    compare('expense', billed, found && { ...found.wire, currency: found.currency })
  }
  return changes
}

/** Returns the records of the entries around those of an invoice, by ID, with one list instead of a request for each. */
async function currentEntries(
  ctx: Context,
  billed: readonly { time_start: string }[],
): Promise<Map<string, WireRecord>> {
  const starts = billed.map(({ time_start: start }) => Date.parse(start))
  if (starts.length === 0) return new Map()
  const bounds = { start: new Date(Math.min(...starts)), end: new Date(Math.max(...starts) + 1) }
  const records = await (await ctx.entries()).records(bounds)
  return new Map(records.map((record) => [String(record.id), record]))
}
