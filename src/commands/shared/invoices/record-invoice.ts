import { randomUUID } from 'node:crypto'
import type { RecordKind } from '../../../api-client/types.js'
import type { Context } from '../../../cli/context.js'
import { invoiceNumbersLockPath, invoiceNumbersPath } from '../../../config/paths.js'
import { statePathOf } from '../../../config/profile.js'
import { dayOf } from '../../../lib/calendar/day.js'
import { toRfc3339 } from '../../../lib/calendar/time.js'
import { TtError } from '../../../lib/errors.js'
import { openReadOnly } from '../../../lib/sqlite/open.js'
import { fold, nearestNames } from '../../../lib/text/nearest-names.js'
import { hasTable } from '../../../outbox/cache/inspect-state.js'
import type { InvoiceBody } from '../../../records/shapes/invoices.js'
import { cancellationOf } from '../../../report/invoice/document.js'
import { InvoiceStore, type StoredInvoice } from '../../../report/invoice/invoice-store.js'
import {
  checkNumber,
  nextNumber,
  parseNumberPattern,
  type TakenNumber,
} from '../../../report/invoice/numbers.js'
import { TakenNumbers } from '../../../report/invoice/taken-numbers.js'
import { nameOfInvoice } from './invoice-text.js'

/** Another process has written the profile since the entries of an invoice were read. */
export class ProfileChanged extends Error {
  override readonly name = 'ProfileChanged'
}

export interface Recording {
  /** The invoice without its number. */
  draft: InvoiceBody
  /** The number that the user has chosen; undefined for the next one of the series. */
  chosen?: string | undefined
  records: readonly { kind: RecordKind; record: string }[]
  /** `state.version()` before the entries were read; undefined if they do not matter. */
  version?: number | undefined
  /** The ID of the invoice that it cancels. */
  cancels?: string | undefined
  /** Called within the transaction; may throw. */
  check?: (() => void) | undefined
  /** Its title in the history. */
  title: string
}

/** The number of attempts to take a number before other processes. */
const maxAttempts = 50

/** A number, and the series that it moves. */
interface Choice extends TakenNumber {
  number: string
}

/**
 * Records an invoice under the next number, or the chosen one. `render` renders the document before the number is taken,
 * and calls `take` when that succeeded; it does so again with another number if another process was faster.
 *
 * Throws ProfileChanged if the entries must be read again, and TtError `usage` for a chosen number that is taken.
 */
export async function recordInvoice<Result>(
  ctx: Context,
  { store, numbers }: Invoices,
  recording: Recording,
  render: (
    document: InvoiceBody,
    take: () => Promise<StoredInvoice | undefined>,
  ) => Promise<Result | undefined>,
): Promise<Result> {
  const { invoice: settings } = await ctx.config.settings()
  const pattern = parseNumberPattern(settings.number)
  const { draft, chosen } = recording
  if (chosen !== undefined) checkNumber(chosen)
  const choose = (recorded: ReadonlyMap<string, TakenNumber>): Choice => {
    // A profile also knows its own numbers, should the file be lost.
    const own = store.list().map(({ number, body }): [string, TakenNumber] => {
      const count = pattern.countIn(body.date, number) ?? null
      return [number, { series: count === null ? null : pattern.seriesOf(body.date), count }]
    })
    const taken = new Map([...own, ...recorded])
    if (chosen === undefined) return nextNumber(pattern, draft.date, { taken, start: settings.start })
    if (!taken.has(chosen)) return { number: chosen, series: null, count: null }
    throw new TtError('usage', `The number ${chosen} is taken.`, {
      hint: 'Nothing was recorded. Choose another number, or omit --number for the next one.',
    })
  }
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const expected = choose(await numbers.read())
    const document = { ...draft, number: expected.number }
    const take = async () => {
      const parts = { id: randomUUID(), at: ctx.host.now() }
      const origin = {
        profile: ctx.config.profile.stateKey,
        invoice: parts.id,
        taken_at: toRfc3339(parts.at),
      }
      const taken = await numbers.take(
        (recorded) => {
          const next = choose(recorded)
          return next.number === expected.number ? { ...next, ...origin } : undefined
        },
        ({ number }) => insert(ctx, store, { ...recording, ...parts, number }),
      )
      return taken && { ...parts, number: taken.number, body: document, cancelledBy: null }
    }
    const result = await render(document, take)
    if (result !== undefined) return result
  }
  throw new TtError('failure', 'Other processes take numbers all the time.', {
    hint: 'Nothing was recorded. Repeat the command.',
  })
}

async function insert(
  ctx: Context,
  store: Invoices['store'],
  {
    id,
    number,
    at,
    draft,
    records,
    cancels,
    version,
    check,
    title,
  }: Recording & { id: string; number: string; at: Date },
): Promise<void> {
  const [state, { history, outbox }] = await Promise.all([ctx.state(), ctx.tracker()])
  // The number is on the disk already. After a power cut, it must not lack its invoice.
  state.database.exec('PRAGMA synchronous = FULL')
  await state.exclusively(async () => {
    if (version !== undefined && state.version() !== version) throw new ProfileChanged()
    check?.()
    const current = records.map(({ kind, record }) => ({ kind, record: outbox.resolve(kind, record) }))
    store.insert({
      id,
      number,
      at,
      body: draft,
      records: current,
      ...(cancels === undefined ? {} : { cancels }),
    })
    if (cancels === undefined) {
      history.discardRedoable()
      history.record(title, [], at, { invoice: id })
    } else {
      store.release(cancels)
      history.discardInvoice(cancels)
    }
  })
}

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

/** The invoices of the profile, and the numbers of this machine. */
interface Invoices {
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
