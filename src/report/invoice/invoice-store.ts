import type { RecordKind } from '../../api-client/types.js'
import type { ClientState } from '../../outbox/cache/client-state.js'
import type { InvoiceBody, InvoiceJson } from '../../records/shapes/invoices.js'

/** An invoice or a cancellation of a profile. */
export interface StoredInvoice {
  id: string
  number: string
  body: InvoiceBody
  /** The number of its cancellation; null if there is none. */
  cancelledBy: string | null
  at: Date
}

/** A new invoice, with the records that it bills by their current IDs. */
export interface NewInvoice {
  id: string
  number: string
  body: InvoiceBody
  at: Date
  records: readonly { kind: RecordKind; record: string }[]
  /** The ID of the invoice that it cancels. */
  cancels?: string
}

interface Row {
  id: string
  number: string
  body: string
  at: number
  cancelled_by: string | null
}

const selection = `SELECT invoice.id, invoice.number, invoice.body, invoice.at, cancellation.number AS cancelled_by
  FROM invoice LEFT JOIN invoice AS cancellation ON cancellation.cancels = invoice.id`

/** The tables `invoice` and `invoiced` of the client state. Call methods that write within a transaction. */
export class InvoiceStore {
  readonly #state: ClientState

  constructor(state: ClientState) {
    this.#state = state
  }

  /** Returns all invoices and cancellations, in the order in which they were written. */
  list(): StoredInvoice[] {
    return this.#rows('ORDER BY invoice.at, invoice.rowid')
  }

  withNumber(number: string): StoredInvoice | undefined {
    return this.#rows('WHERE invoice.number = ?', number)[0]
  }

  withId(id: string): StoredInvoice | undefined {
    return this.#rows('WHERE invoice.id = ?', id)[0]
  }

  /** Returns the last day that an invoice of the client covers, without cancelled ones; undefined without any. */
  lastDayOf(client: string): string | undefined {
    const row = this.#state.database
      .prepare(
        `SELECT max(until) AS until FROM invoice WHERE client = ? AND cancels IS NULL
           AND id NOT IN (SELECT cancels FROM invoice WHERE cancels IS NOT NULL)`,
      )
      .get([client]) as { until: string | null }
    return row.until ?? undefined
  }

  /** Returns the records on an invoice, by their current IDs. */
  recordsOf(id: string): { kind: RecordKind; record: string }[] {
    return this.#state.database.prepare('SELECT kind, record FROM invoiced WHERE invoice = ?').all([id]) as {
      kind: RecordKind
      record: string
    }[]
  }

  /** Adds an invoice. Throws TtError `failure` for a number or a record that another one has. */
  insert({ id, number, body, at, records, cancels }: NewInvoice) {
    const { database } = this.#state
    database
      .prepare(
        'INSERT INTO invoice (id, number, client, until, cancels, body, at) VALUES (?, ?, ?, ?, ?, ?, ?)',
      )
      .run([
        ...[id, number, String(body.client_id), body.until ?? body.date, cancels ?? null],
        ...[JSON.stringify({ ...body, number }), at.getTime()],
      ])
    const insert = database.prepare('INSERT INTO invoiced (kind, record, invoice) VALUES (?, ?, ?)')
    for (const { kind, record } of records) insert.run([kind, record, id])
  }

  /** Releases the records of an invoice, so that another one can bill them. */
  release(id: string) {
    this.#state.database.prepare('DELETE FROM invoiced WHERE invoice = ?').run([id])
  }

  #rows(conditions: string, ...parameters: unknown[]): StoredInvoice[] {
    const rows = this.#state.database.prepare(`${selection} ${conditions}`).all(parameters) as Row[]
    return rows.map(({ id, number, body, at, cancelled_by: cancelledBy }) => ({
      ...{ id, number, cancelledBy, at: new Date(at) },
      body: JSON.parse(body) as InvoiceBody,
    }))
  }
}

/** Returns the JSON of a stored invoice. */
export function invoiceJson(
  { number, body, cancelledBy, at }: StoredInvoice,
  formatTime: (time: Date) => string,
): InvoiceJson {
  return {
    ...body,
    number,
    status: cancelledBy === null ? 'issued' : 'void',
    cancelled_by: cancelledBy,
    created_at: formatTime(at),
  }
}
