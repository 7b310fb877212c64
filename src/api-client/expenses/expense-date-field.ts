import { isServerFault, RejectedError } from '../api-errors.js'
import type { KnownCapabilities } from '../capabilities.js'
import { readExpense } from '../decode/records.js'
import { type Fields, toRecord } from '../decode/shapes.js'
import type { Predicates } from '../filter/query.js'
import type { RecordList } from '../paging/record-list.js'
import type { Expense, WireFields, WireRecord } from '../types.js'
import {
  dateNameOf,
  matchesDate,
  renamePredicates,
  requiredDateName,
  splitByDate,
  standardName,
} from './date-field-names.js'

/**
 * The date field of expenses. service-api-v1.md section 2 does not name it: this program calls it `spent_on`, and this
 * class translates between that name and the one at the service, in fields, filters and records.
 *
 * Learns the name from records, or from a 422 that names the field, and stores it as a capability of the service.
 */
export class ExpenseDateField {
  readonly #capabilities: KnownCapabilities | undefined

  /** @param capabilities undefined for a service that is known to use `spent_on` */
  constructor(capabilities: KnownCapabilities | undefined) {
    this.#capabilities = capabilities
  }

  get #known() {
    return this.#capabilities?.get('expenseDate')
  }

  /** The name of the field at the service; `spent_on` while it is unknown. */
  get name(): string {
    return this.#known?.value.name ?? standardName
  }

  get isKnown(): boolean {
    return this.#capabilities === undefined || this.#known !== undefined
  }

  /** Whether a create at that moment may have been sent with a name that the service ignored. */
  wasUnknownAt(moment: Date): boolean {
    if (!this.#capabilities) return false
    const known = this.#known
    return !known || (known.value.name !== standardName && moment <= known.at)
  }

  remember(name: string): void {
    if (this.#known?.value.name !== name) this.#capabilities?.set('expenseDate', { name, isFilterable: true })
  }

  /** Returns predicates on the service's name of the field as predicates on `spent_on`. */
  standardPredicates(predicates: Predicates): Predicates {
    return renamePredicates(predicates, this.name, standardName)
  }

  /** Decodes expenses and learns the name of the date field from them. Throws InvalidResponseError. */
  read(values: readonly unknown[]): Expense[] {
    const records = values.map((value) => toRecord(value, 'expense'))
    const name = this.#learnName(records)
    return records.map((record) => readExpense(withStandardName(record, name)))
  }

  /**
   * Sends the fields of an expense with the service's name of the date. When the service rejects them and requires a date
   * field of another name, sends them once more with that name. Throws like `send`.
   */
  async send<Result>(
    fields: WireFields,
    send: (sent: WireFields, name: string) => Promise<Result>,
  ): Promise<Result> {
    const previous = this.#known?.value
    const { name } = this
    const sent = withServiceName(fields, name)
    try {
      return await send(sent, name)
    } catch (error) {
      const required = this.#capabilities && name in sent ? requiredDateName(error, sent) : undefined
      if (required === undefined) throw error
      this.remember(required)
      const resent = withServiceName(fields, required)
      return await send(resent, required).catch((secondError: unknown) => {
        if (requiredDateName(secondError, resent) !== name) throw secondError
        // The service requires both, so the first name was right.
        this.#capabilities?.set('expenseDate', previous)
        throw error
      })
    }
  }

  /**
   * Lists expenses. When the service rejects a filter by date (400 or 422) or fails on it (500 or 501), requests the list
   * without it and filters the records here. Throws like `request`.
   */
  async list(
    predicates: Predicates = {},
    request: (q?: Predicates) => Promise<RecordList<WireRecord>>,
  ): Promise<RecordList<Expense>> {
    const known = this.#known?.value
    const { onDate, others } = splitByDate(predicates)
    const requestFiltered = async (q: Predicates) => {
      const records = await request(unlessEmpty(q))
      return markIncomplete(this.read(records), records)
    }
    const filterHere = async () => {
      const records = await request(unlessEmpty(others))
      const expenses = this.read(records).filter((expense) => matchesDate(expense, onDate))
      return markIncomplete(expenses, records)
    }
    if (!unlessEmpty(onDate) || !this.#capabilities) return requestFiltered(predicates)
    if (known?.isFilterable === false) return filterHere()
    const name = known?.name ?? standardName
    try {
      return await requestFiltered(renamePredicates(predicates, standardName, name))
    } catch (error) {
      const isRejected = error instanceof RejectedError && (error.status === 400 || error.status === 422)
      if (!isRejected && !isServerFault(error)) throw error
      const expenses = await filterHere()
      // A failure may be temporary.
      if (isRejected && this.#known?.value.name === name)
        this.#capabilities.set('expenseDate', { name, isFilterable: false })
      return expenses
    }
  }

  /** Returns the name of the field in these records, and remembers it. */
  #learnName(records: readonly Fields[]): string {
    if (!this.#capabilities) return standardName
    const known = this.#known?.value.name
    const has = (name: string) => records.some((record) => Object.hasOwn(record, name))
    const name = has(standardName)
      ? standardName
      : known !== undefined && has(known)
        ? known
        : firstDateName(records)
    if (name !== undefined) this.remember(name)
    return name ?? known ?? standardName
  }
}

function firstDateName(records: readonly Fields[]): string | undefined {
  for (const record of records) {
    const name = dateNameOf(record)
    if (name !== undefined) return name
  }
  return undefined
}

/** Returns the fields of a change with the date under that name. */
function withServiceName({ [standardName]: day, ...fields }: WireFields, name: string): WireFields {
  return day === undefined ? fields : { ...fields, [name]: day }
}

/** Returns the record with the date under `spent_on`, if it has one under that name. */
function withStandardName(record: Fields, name: string): Fields {
  if (name === standardName || !Object.hasOwn(record, name)) return record
  const { [name]: day, ...others } = record
  return { ...others, [standardName]: day }
}

function unlessEmpty(predicates: Predicates): Predicates | undefined {
  return Object.keys(predicates).length === 0 ? undefined : predicates
}

function markIncomplete(expenses: Expense[], { incomplete }: RecordList<unknown>): RecordList<Expense> {
  return incomplete === undefined ? expenses : Object.assign(expenses, { incomplete })
}
