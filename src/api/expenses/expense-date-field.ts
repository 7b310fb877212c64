import { readExpense } from '../decode/records.js'
import { type Fields, toRecord } from '../decode/shapes.js'
import { RejectedError } from '../errors.js'
import type { Predicates } from '../filter/query.js'
import type { RecordList } from '../paging/paging.js'
import type { Expense, ExpenseFields, WireRecord } from '../types.js'

/** What a client knows of the date field of a service's expenses. */
export interface KnownExpenseDate {
  /** The name that the service gives to the field. */
  name: string
  /** False where the service rejects filters by the field. */
  isFilterable: boolean
}

/** The part of the client state that holds the name between commands. */
export interface ExpenseDateMemory {
  /** Returns what is known, and since when; undefined where nothing is. */
  read(): (KnownExpenseDate & { at: Date }) | undefined
  write(known: KnownExpenseDate | undefined): void
}

/** The name inside this program, and that of the service in this repository. */
export const standardName = 'spent_on'

/** Usual names, most likely first. */
const usualNames = [
  ...['date', 'expense_date', 'spent_at', 'spent_date', 'date_spent', 'expensed_on', 'incurred_on'],
  ...['incurred_at', 'incurred_date', 'purchased_on', 'purchase_date', 'transaction_date', 'occurred_on'],
  ...['occurred_at', 'receipt_date', 'day'],
]
const looksLikeDate = /(^|_)(date|day|on)$/
/** Dates of something else that happens to an expense. */
const otherDates =
  /^(created|updated|deleted|archived|submitted|approved|rejected|paid|payment|reimbursed|exported|booked|due|billed|invoiced?|locked|closed)_/

/** Sentences in which Rails says that a field is missing. */
const missing = /\b(can['’]?t be blank|cannot be blank|is required|must exist|is missing|must be present)/i

/**
 * The date field of expenses. service-api-v1.md section 2 does not name it: this program calls it `spent_on`, and this
 * class translates between that name and the service's, in fields, filters and records.
 *
 * The name is learned from records, or from a 422 that names the field, and is remembered in the client state.
 */
export class ExpenseDateField {
  readonly #memory: ExpenseDateMemory | undefined

  /** @param memory undefined for a service that surely uses `spent_on` */
  constructor(memory: ExpenseDateMemory | undefined) {
    this.#memory = memory
  }

  /** The name that the service gives to the field; `spent_on` as long as it is unknown. */
  get name(): string {
    return this.#memory?.read()?.name ?? standardName
  }

  get isKnown(): boolean {
    return this.#memory === undefined || this.#memory.read() !== undefined
  }

  /** Whether a create of that moment may have been sent under a name that the service ignored. */
  wasUnknownAt(moment: Date): boolean {
    if (!this.#memory) return false
    const known = this.#memory.read()
    return !known || (known.name !== standardName && moment <= known.at)
  }

  remember(name: string): void {
    if (this.#memory && this.#memory.read()?.name !== name) this.#memory.write({ name, isFilterable: true })
  }

  /** Returns the fields of a change with the date under the service's name. */
  outgoing({ [standardName]: day, ...fields }: ExpenseFields): ExpenseFields {
    return day === undefined ? fields : { ...fields, [this.name]: day }
  }

  /** Returns predicates on the service's own field as predicates on `spent_on`. */
  standardPredicates(predicates: Predicates): Predicates {
    return renamedPredicates(predicates, this.name, standardName)
  }

  /** Reads expenses of the service, and learns the name of the date from them. Throws InvalidResponseError. */
  read(values: readonly unknown[]): Expense[] {
    const records = values.map((value) => toRecord(value, 'expense'))
    const name = this.#nameIn(records)
    return records.map((record) => readExpense(renamed(record, name)))
  }

  /**
   * Sends the fields of an expense. When the service rejects them and names a date field that was not among them, they
   * are sent once more under that name. Throws what `send` throws.
   */
  async send<Result>(
    fields: ExpenseFields,
    send: (sent: ExpenseFields, name: string) => Promise<Result>,
  ): Promise<Result> {
    const before = this.#memory?.read()
    const { name } = this
    const sent = this.outgoing(fields)
    try {
      return await send(sent, name)
    } catch (error) {
      const other = this.#memory && name in sent ? dateNamedBy(error, sent) : undefined
      if (other === undefined) throw error
      this.remember(other)
      const renewed = this.outgoing(fields)
      return await send(renewed, other).catch((second: unknown) => {
        if (dateNamedBy(second, renewed) !== name) throw second
        // The service wants both: the first name was right.
        this.#memory?.write(before)
        throw error
      })
    }
  }

  /**
   * Lists expenses. When the service rejects a filter by their date (400), the rest is requested and filtered here.
   * Throws what `request` throws.
   */
  async list(
    q: Predicates = {},
    request: (q?: Predicates) => Promise<RecordList<WireRecord>>,
  ): Promise<RecordList<Expense>> {
    const known = this.#memory?.read()
    const byDate = Object.entries(q).filter(([key]) => isDatePredicate(key))
    const others = Object.fromEntries(Object.entries(q).filter(([key]) => !isDatePredicate(key)))
    const query = Object.keys(q).length === 0 ? undefined : q
    const filteredHere = async () => {
      const listed = await request(Object.keys(others).length === 0 ? undefined : others)
      const met = this.read(listed).filter((record) =>
        byDate.every(([key, value]) => meetsDate(record, key, value)),
      )
      return asCompleteAs(listed, met)
    }
    const filteredThere = async (sent: Predicates | undefined) => {
      const listed = await request(sent)
      return asCompleteAs(listed, this.read(listed))
    }
    if (byDate.length === 0 || !this.#memory) return filteredThere(query)
    if (known?.isFilterable === false) return filteredHere()
    const name = known?.name ?? standardName
    try {
      return await filteredThere(renamedPredicates(q, standardName, name))
    } catch (error) {
      if (!(error instanceof RejectedError) || (error.status !== 400 && error.status !== 422)) throw error
      const records = await filteredHere()
      if (this.#memory.read()?.name === name) this.#memory.write({ name, isFilterable: false })
      return records
    }
  }

  /** Returns the name of the field in these records, and remembers it. */
  #nameIn(records: readonly Fields[]): string {
    if (!this.#memory) return standardName
    const known = this.#memory.read()?.name
    const has = (name: string) => records.some((record) => Object.hasOwn(record, name))
    const found = has(standardName)
      ? standardName
      : known !== undefined && has(known)
        ? known
        : firstDefined(records, dateNameIn)
    if (found !== undefined) this.remember(found)
    return found ?? known ?? standardName
  }
}

function asCompleteAs({ incomplete }: RecordList<unknown>, expenses: Expense[]): RecordList<Expense> {
  return incomplete === undefined ? expenses : Object.assign(expenses, { incomplete })
}

/** The field that is probably the date of an expense: one with the name of a date, or the only one with a date as value. */
export function findDateField(fields: ExpenseFields): string | undefined {
  if (standardName in fields) return undefined
  const days = Object.keys(fields).filter((name) => isDay(fields[name]) && name !== 'notes')
  return mostUsual(days) ?? (days.length === 1 ? days[0] : undefined)
}

/** Whether a field with this name is probably the date of an expense. */
function isDateName(name: string): boolean {
  const snake = inSnakeCase(name)
  return snake === standardName || usualNames.includes(snake) || isLikelyName(snake)
}

function isLikelyName(snake: string): boolean {
  return looksLikeDate.test(snake) && !otherDates.test(snake)
}

/** The name of the date in a record: a usual one, or the only one that can be it. */
function dateNameIn(record: Fields): string | undefined {
  const names = Object.keys(record).filter((name) => isDayOrNothing(record[name]))
  const usual = mostUsual(names)
  if (usual !== undefined) return usual
  const likely = names.filter((name) => isLikelyName(inSnakeCase(name)))
  if (likely.length > 0) return likely.length === 1 ? likely[0] : undefined
  const days = names.filter((name) => isDay(record[name]) && !otherDates.test(inSnakeCase(name)))
  return days.length === 1 ? days[0] : undefined
}

/** The name of the date that a rejection asks for; undefined where it names none that was not sent. */
function dateNamedBy(error: unknown, sent: ExpenseFields): string | undefined {
  if (!(error instanceof RejectedError) || error.status !== 422) return undefined
  const fields = error.fields.map((field) => field.replace(/^expense\.|^expense\[(.+)\]$/, '$1'))
  const names = fields.filter((name) => isDateName(name) && !(name in sent))
  const usual = mostUsual(names)
  if (usual !== undefined || names.length > 0) return usual ?? (names.length === 1 ? names[0] : undefined)
  if (!missing.test(error.reason)) return undefined
  // `Expense date can't be blank`: Rails writes the name in words.
  const words = error.reason.toLowerCase()
  return [standardName, ...usualNames]
    .filter((name) => !(name in sent) && words.includes(name.replaceAll('_', ' ')))
    .sort((a, b) => b.length - a.length)[0]
}

function mostUsual(names: readonly string[]): string | undefined {
  return firstDefined([standardName, ...usualNames], (usual) =>
    names.find((name) => inSnakeCase(name) === usual),
  )
}

function firstDefined<Item, Result>(
  items: readonly Item[],
  find: (item: Item) => Result | undefined,
): Result | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}

function inSnakeCase(name: string): string {
  return name.replace(/(?<=[a-z])[A-Z]/g, '_$&').toLowerCase()
}

/** The record with the date under `spent_on`, where it has one. */
function renamed(record: Fields, name: string): Fields {
  if (name === standardName || !Object.hasOwn(record, name)) return record
  const { [name]: day, ...others } = record
  return { ...others, [standardName]: day }
}

const matcher = /_(eq|gteq|lt|cont)$/

function isDatePredicate(key: string): boolean {
  return key.replace(matcher, '') === standardName
}

function renamedPredicates(predicates: Predicates, from: string, to: string): Predicates {
  if (from === to) return predicates
  return Object.fromEntries(
    Object.entries(predicates).map(([key, value]) =>
      key.replace(matcher, '') === from ? [`${to}${key.slice(from.length)}`, value] : [key, value],
    ),
  )
}

/** Days compare as text. */
function meetsDate({ spent_on: day }: Expense, key: string, wanted: Predicates[string]): boolean {
  if (typeof day !== 'string' || wanted === null) return (day ?? null) === wanted && key.endsWith('_eq')
  const text = String(wanted)
  if (key.endsWith('_eq')) return day === text
  if (key.endsWith('_cont')) return day.includes(text)
  return key.endsWith('_gteq') ? day >= text : day < text
}

function isDay(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value)
}

function isDayOrNothing(value: unknown): boolean {
  return value === null || (typeof value === 'string' && /^\d{4}-\d\d-\d\d($|[T ])/.test(value))
}
