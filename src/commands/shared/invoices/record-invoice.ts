import { randomUUID } from 'node:crypto'
import type { RecordKind } from '../../../api-client/types.js'
import type { Context } from '../../../cli/context.js'
import { toRfc3339 } from '../../../lib/calendar/time.js'
import { TtError } from '../../../lib/errors.js'
import type { InvoiceBody } from '../../../records/shapes/invoices.js'
import type { StoredInvoice } from '../../../report/invoice/invoice-store.js'
import {
  checkNumber,
  nextNumber,
  parseNumberPattern,
  type TakenNumber,
} from '../../../report/invoice/numbers.js'
import type { Invoices } from './open-invoices.js'

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
