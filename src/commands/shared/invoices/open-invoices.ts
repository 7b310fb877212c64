import type { Context } from '../../../cli/context.js'
import { invoiceNumbersLockPath, invoiceNumbersPath } from '../../../config/paths.js'
import { statePathOf } from '../../../config/profile.js'
import { TtError } from '../../../lib/errors.js'
import { openReadOnly } from '../../../lib/sqlite/open.js'
import { fold, nearestNames } from '../../../lib/text/nearest-names.js'
import { hasTable } from '../../../outbox/cache/inspect-state.js'
import { InvoiceStore, type StoredInvoice } from '../../../report/invoice/invoice-store.js'
import { TakenNumbers } from '../../../report/invoice/taken-numbers.js'

/** The invoices of the profile, and the numbers of this machine. */
export interface Invoices {
  store: InvoiceStore
  numbers: TakenNumbers
}

export async function openInvoices(ctx: Context): Promise<Invoices> {
  const { paths, profile } = ctx.config
  const store = new InvoiceStore(await ctx.state())
  const numbers = new TakenNumbers({
    path: invoiceNumbersPath(paths),
    lockPath: invoiceNumbersLockPath(paths),
    hasInvoice: async (key, id) =>
      key === profile.stateKey ? store.withId(id) !== undefined : hasInvoiceIn(statePathOf(paths, key), id),
  })
  return { store, numbers }
}

/** Whether the state of another profile has an invoice; undefined if it cannot be read. */
async function hasInvoiceIn(path: string, id: string): Promise<boolean | undefined> {
  try {
    const database = await openReadOnly(path)
    try {
      if (!database || !hasTable(database, 'invoice')) return undefined
      return database.prepare('SELECT 1 FROM invoice WHERE id = ?').get([id]) !== undefined
    } finally {
      database?.close()
    }
  } catch (error) {
    if (error instanceof TtError) return undefined
    throw error
  }
}

/** Returns the invoice with a number as typed. Throws TtError `not_found`. */
export function findInvoice(store: InvoiceStore, typed: string): StoredInvoice {
  const exact = store.withNumber(typed.trim())
  if (exact) return exact
  const all = store.list()
  const [found, ...others] = all.filter(({ number }) => fold(number) === fold(typed))
  if (found && others.length === 0) return found
  const candidates = nearestNames(
    typed,
    all.map(({ number }) => number),
  )
  throw new TtError('not_found', `There is no invoice ${typed} in this profile.`, {
    hint: 'Run `tt invoice list` to list the invoices.',
    candidates,
  })
}
