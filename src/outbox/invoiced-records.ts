import type { RecordKind, WireRecord } from '../api-client/types.js'
import { CancelledPrompt } from '../lib/errors.js'
import type { SqliteStatement } from '../lib/sqlite/connection.js'
import type { ClientState } from './cache/client-state.js'
import { isEquivalent } from './field-equality.js'
import type { PlannedChange } from './plan.js'

/** An entry or expense that is on an invoice. */
export interface InvoicedRecord {
  kind: RecordKind
  record: string
  /** The number of the invoice. */
  number: string
}

/** The fields that an invoice bills. Others, such as notes, may change. */
const billedFields: Readonly<Record<RecordKind, readonly string[]>> = {
  entry: ['time_start', 'time_end', 'task_link_id'],
  expense: ['spent_on', 'amount', 'currency', 'project_id'],
}

/** Times that differ by a millisecond differ. */
const exactMs = 1

/** A change of invoiced records that the user has not confirmed. */
class InvoicedChange extends Error {
  override readonly name = 'InvoicedChange'

  constructor(readonly records: readonly InvoicedRecord[]) {
    super('The change concerns invoiced records.')
  }
}

/**
 * The table `invoiced` of the client state. A change of entries or expenses outside the outbox calls `requireConfirmedIds` in
 * its transaction, inside `withInvoicedConfirmed`: what is on an invoice needs a confirmation.
 */
export class InvoicedRecords {
  readonly #state: ClientState
  #find: SqliteStatement | undefined
  /** The records whose change the user has confirmed. */
  readonly #confirmed = new Set<string>()

  constructor(state: ClientState) {
    this.#state = state
  }

  /** Returns the number of the invoice that a record is on; undefined if it is on none. */
  numberOf(kind: RecordKind, record: string): string | undefined {
    this.#find ??= this.#state.database.prepare(
      `SELECT number FROM invoiced JOIN invoice ON invoice.id = invoiced.invoice WHERE kind = ? AND record = ?`,
    )
    return (this.#find.get([kind, record]) as { number: string } | undefined)?.number
  }

  /** Returns the numbers of the invoices of all records of a kind, by the ID of the record. */
  numbers(kind: RecordKind): Map<string, string> {
    const rows = this.#state.database
      .prepare(
        `SELECT record, number FROM invoiced JOIN invoice ON invoice.id = invoiced.invoice WHERE kind = ?`,
      )
      .all([kind]) as { record: string; number: string }[]
    return new Map(rows.map(({ record, number }) => [record, number]))
  }

  /** Adds a record to the invoice of the record that it was part of, if that is on one. */
  addPart(kind: RecordKind, { of, record }: { of: string; record: string }) {
    this.#state.database
      .prepare(
        'INSERT INTO invoiced (kind, record, invoice) SELECT kind, ?, invoice FROM invoiced WHERE kind = ? AND record = ?',
      )
      .run([record, kind, of])
  }

  /** Removes a record that was not created. */
  remove(kind: RecordKind, record: string) {
    this.#state.database.prepare('DELETE FROM invoiced WHERE kind = ? AND record = ?').run([kind, record])
  }

  /** Returns the IDs of all invoiced records of the local workspace, where they are numbers. */
  localIds(): Record<RecordKind, number[]> {
    const ids = (kind: RecordKind) => [...this.numbers(kind).keys()].map(Number).filter(Number.isSafeInteger)
    return { entry: ids('entry'), expense: ids('expense') }
  }

  /** Like `requireConfirmed`, for records by their IDs; those that are on no invoice do not count. */
  requireConfirmedIds(ids: Partial<Record<RecordKind, readonly (number | string)[]>>) {
    const records = (['entry', 'expense'] as const).flatMap((kind) => {
      const numbers = this.numbers(kind)
      return (ids[kind] ?? []).flatMap((id): InvoicedRecord[] => {
        const number = numbers.get(String(id))
        return number === undefined ? [] : [{ kind, record: String(id), number }]
      })
    })
    this.requireConfirmed(records)
  }

  /** Runs `work`. Each time that it throws InvoicedChange, prompts, and repeats it; throws CancelledPrompt if the user declines. */
  async confirmed<Result>(
    work: () => Promise<Result>,
    confirm: (records: readonly InvoicedRecord[]) => Promise<boolean>,
  ): Promise<Result> {
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof InvoicedChange)) throw error
        if (!(await confirm(error.records))) throw new CancelledPrompt('failure')
        for (const record of error.records) this.#confirmed.add(nameOf(record))
      }
    }
  }

  /** Throws InvoicedChange for records whose change the user has not confirmed. */
  requireConfirmed(records: readonly InvoicedRecord[]) {
    const others = records.filter((record) => !this.#confirmed.has(nameOf(record)))
    if (others.length > 0) throw new InvoicedChange(others)
  }

  /**
   * Throws InvoicedChange unless the user has confirmed the changes of what an invoice bills, and the deletions of invoiced
   * records. Call it within the transaction of the changes.
   */
  checkSteps(steps: readonly PlannedChange[], resolve: (kind: RecordKind, id: string) => string) {
    const changed = new Map<string, InvoicedRecord>()
    for (const { kind, op, record, fields = {} } of steps) {
      if (op === 'create' || !record) continue
      const id = resolve(kind, String(record.id))
      const number = this.numberOf(kind, id)
      if (number === undefined || (op === 'update' && !changesBilledField(kind, record, fields))) continue
      changed.set(`${kind} ${id}`, { kind, record: id, number })
    }
    this.requireConfirmed([...changed.values()])
  }
}

function nameOf({ kind, record }: InvoicedRecord): string {
  return `${kind} ${record}`
}

function changesBilledField(
  kind: RecordKind,
  record: WireRecord,
  fields: Readonly<Record<string, unknown>>,
): boolean {
  return billedFields[kind].some(
    (name) => name in fields && !isEquivalent(name, record[name], fields[name], exactMs),
  )
}
