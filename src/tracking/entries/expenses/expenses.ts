import type { Api } from '../../../api-client/api.js'
import { incompleteListError, isInconclusive } from '../../../api-client/api-errors.js'
import type { Predicates } from '../../../api-client/filter/query.js'
import type { WireFields, WireRecord } from '../../../api-client/types.js'
import type { TimeRange } from '../../../lib/calendar/interval.js'
import type { Period } from '../../../lib/calendar/period.js'
import { TtError } from '../../../lib/errors.js'
import { dayMs } from '../../../lib/time-units.js'
import type { Cache, CachedRecords } from '../../../outbox/cache/cache.js'
import { writeIfPossible } from '../../../outbox/cache/client-state.js'
import type { ChangeApplier } from '../../../outbox/change-applier.js'
import { type ClockReading, type Clocks, readClocks } from '../../../outbox/delivery/settling-time.js'
import type { InvoicedRecords } from '../../../outbox/invoiced-records.js'
import type { Outbox } from '../../../outbox/outbox.js'
import { mergePending, type WithPending } from '../../../outbox/pending.js'
import type { Plan, PlannedChange } from '../../../outbox/plan.js'
import type { QueuedChange } from '../../../outbox/queued-change.js'
import type { ReferenceReader } from '../../catalog/reference-data.js'
import { changedExpenseFields } from '../changed-fields.js'
import { type NamedExpense, toExpense } from './expense.js'
import { ExpenseNameLookup, type ExpenseNames, type PlannedType } from './expense-names.js'

export interface ExpensesParts {
  api: Api
  reference: ReferenceReader
  outbox: Outbox
  /** undefined in the local workspace, which is always available. */
  cache: Cache | undefined
  changes: ChangeApplier
  invoiced: InvoicedRecords
  now: Date
  clocks: Clocks
  /** Warns that cached data is used, with the error of the service. */
  warnStale(error: unknown, known: Pick<CachedRecords, 'at' | 'complete'>, predicates?: Predicates): void
}

/** Reads and changes expenses, with pending changes applied; saved and delivered like entries. */
export class Expenses {
  /** Finds the expense types and projects that typed names mean. */
  readonly names: ExpenseNameLookup
  readonly #parts: ExpensesParts
  #isFresh = true
  #readAt: ClockReading | undefined
  /** Why the last list is incomplete; undefined for a complete one. */
  #incomplete: string | undefined

  constructor(parts: ExpensesParts) {
    this.#parts = parts
    this.names = new ExpenseNameLookup(parts.reference)
  }

  /** Returns the expenses of a period that match the predicates, oldest first. */
  async list(period: Partial<Period>, predicates: Predicates): Promise<NamedExpense[]> {
    await this.#parts.changes.deliverBacklog()
    const { first, last } = period
    const date = await this.#parts.api.expenseDateField()
    const standard = date.standardPredicates(predicates)
    const [found, names] = await Promise.all([this.#read(period, standard), this.names.names()])
    const matching = found
      .filter(({ record: { spent_on: day } }) => {
        const on = typeof day === 'string' ? day : ''
        return (first === undefined || on >= first) && (last === undefined || on <= last)
      })
      .sort((a, b) => (String(a.record.spent_on ?? '') < String(b.record.spent_on ?? '') ? -1 : 1))
    return this.#join(matching, names, date.name)
  }

  /** Returns the expenses of records, with the currency of the company for those without one. */
  async #join(
    records: readonly WithPending[],
    names: ExpenseNames,
    dateField: string,
  ): Promise<NamedExpense[]> {
    const lacksCurrency = records.some(({ record }) => !record.currency)
    const currency = lacksCurrency ? await this.names.currency() : undefined
    const numbers = this.#parts.invoiced.numbers('expense')
    return records.map((one) =>
      toExpense(one, { ...names, currency }, dateField, numbers.get(String(one.record.id)) ?? null),
    )
  }

  /**
   * Returns the fields with the date under `spent_on`, whatever its name at the service. While that name is unknown, uses
   * and remembers a field that is named like a date, or the only field whose value is a date. Throws TtError `usage` for
   * two dates.
   */
  async withStandardDate(fields: WireFields): Promise<WireFields> {
    const date = await this.#parts.api.expenseDateField()
    const { findDateField, standardName } = await import('../../../api-client/expenses/date-field-names.js')
    if (!date.isKnown && findDateField(fields) !== undefined) {
      // Records are more reliable than the guess, which is used while the service cannot be reached.
      await this.#parts.api.listExpenses().catch(() => undefined)
      const guess = findDateField(fields)
      if (!date.isKnown && guess !== undefined) {
        date.remember(guess)
        // Includes the original name, so that a rejected create with the same date is sent again.
        return { ...fields, [standardName]: fields[guess] }
      }
    }
    const { name } = date
    if (name === standardName || !(name in fields)) return fields
    const { [name]: day, ...others } = fields
    if (others[standardName] === undefined || others[standardName] === day)
      return { ...others, [standardName]: day }
    throw new TtError('usage', `The expense has two dates: ${others[standardName]} and ${day}.`, {
      hint: `Give one date, as the date or as the field ${name}.`,
    })
  }

  async add(fields: WireFields, type?: PlannedType): Promise<NamedExpense> {
    const currency = fields.currency ?? (await this.names.currency())
    const money = [fields.amount, currency].filter((part) => typeof part === 'string').join(' ')
    const title = money ? `Added an expense of ${money}` : 'Added an expense'
    return this.#change(async () => ({
      title,
      step: { kind: 'expense', op: 'create', fields: await withType(fields, type) },
    }))
  }

  edit({ wire: record }: NamedExpense, changed: WireFields, type?: PlannedType): Promise<NamedExpense> {
    return this.#change(async () => {
      const fields = await withType(changed, type)
      const title = `Changed an expense${changedExpenseFields(record, fields)}`
      return { title, step: { kind: 'expense', op: 'update', record, fields } }
    })
  }

  /**
   * Returns the expenses with these IDs. Throws TtError `not_found` with the first unknown ID, or InvalidResponseError if
   * an incomplete list does not contain it.
   */
  async withIds(ids: readonly string[]): Promise<NamedExpense[]> {
    const all = await this.list({}, {})
    const { outbox } = this.#parts
    const byId = new Map(all.map((expense) => [String(expense.id), expense]))
    return [...new Set(ids.map((id) => outbox.resolve('expense', id)))].map((id) => {
      const expense = byId.get(id)
      if (expense) return expense
      this.#throwIfIncomplete(id)
      throw new TtError('not_found', `There is no expense ${id}.`, {
        nextStep: { action: 'list', records: 'expenses' },
      })
    })
  }

  /** Returns the expense with this external ID; undefined if there is none. Reads cached ones without a warning if the service cannot be reached. */
  async findByExternalId(externalId: string): Promise<NamedExpense | undefined> {
    const { api, outbox, cache, clocks } = this.#parts
    const predicates = { external_id_eq: externalId }
    const read = () =>
      api.listExpenses(predicates).catch((error: unknown) => {
        if (!cache || !isInconclusive(error)) throw error
        this.#isFresh = false
        return cache.readRange('expense', {}).records
      })
    const found = await mergePending('expense', { outbox, cache }, read, predicates)
    this.#readAt ??= readClocks(clocks)
    const expense = found.find(({ record }) => record.external_id === externalId)
    if (!expense) return undefined
    const [names, date] = await Promise.all([this.names.names(), api.expenseDateField()])
    const [joined] = await this.#join([expense], names, date.name)
    return joined
  }

  /**
   * Returns the record of an expense with pending changes; undefined if there is none. Throws InvalidResponseError if an
   * incomplete list does not contain it.
   */
  async record(id: string): Promise<WireRecord | undefined> {
    const found = (await this.#read({}, {})).find(({ record }) => String(record.id) === id)
    if (!found) this.#throwIfIncomplete(id)
    return found?.record
  }

  /** Throws InvalidResponseError if the last list is incomplete: it may lack the expense with this ID. */
  #throwIfIncomplete(id: string) {
    if (this.#incomplete !== undefined) throw incompleteListError(id, this.#incomplete)
  }

  /** Whether everything read so far came from the service, not from the cache. */
  get isFresh(): boolean {
    return this.#isFresh
  }

  /** When the first response arrived, if everything read so far came from the service. */
  get readAt(): ClockReading | undefined {
    return this.#isFresh ? this.#readAt : undefined
  }

  /** Deletes the expenses in one change, which one undo reverts, and returns them. */
  async remove(expenses: readonly NamedExpense[]): Promise<NamedExpense[]> {
    const steps = expenses.map(({ wire }): PlannedChange => ({ kind: 'expense', op: 'delete', record: wire }))
    const title = expenses.length === 1 ? 'Deleted an expense' : `Deleted ${expenses.length} expenses`
    // The expenses may have changed while the prompt was open.
    return this.#apply(async () => ({ title, steps, readAt: undefined }))
  }

  async #change(plan: () => Promise<{ title: string; step: PlannedChange }>): Promise<NamedExpense> {
    const [expense] = await this.#apply(async () => {
      const { title, step } = await plan()
      return { title, steps: [step], readAt: this.readAt }
    })
    if (!expense) throw new Error('The change has no result.')
    return expense
  }

  /** Applies the plan, and returns the resulting expenses in the order of its steps. */
  async #apply(plan: () => Promise<Plan>): Promise<NamedExpense[]> {
    const results = await this.#parts.changes.apply(plan)
    const names = await this.names.namesAfterChange()
    const { name } = await this.#parts.api.expenseDateField()
    return this.#join(results, names, name)
  }

  /** Returns the records with pending changes. */
  async #read(period: Partial<Period>, predicates: Predicates): Promise<WithPending[]> {
    const { api, outbox, cache } = this.#parts
    const date = await api.expenseDateField()
    const hasUncertainDate = ({ typedAt }: Pick<QueuedChange, 'typedAt'>) => date.wasUnknownAt(typedAt)
    const known = { outbox, cache, hasUncertainDate }
    return mergePending('expense', known, () => this.#records(period, predicates), predicates)
  }

  /** Returns the records of the service, or the cached ones while it cannot be reached. */
  async #records(period: Partial<Period>, predicates: Predicates): Promise<WireRecord[]> {
    const { api, cache, outbox, now, clocks, warnStale } = this.#parts
    const { first } = period
    try {
      const query = { ...(first === undefined ? {} : { spent_on_gteq: first }), ...predicates }
      const records = await api.listExpenses(query)
      this.#readAt ??= readClocks(clocks)
      this.#incomplete = records.incomplete
      if (Object.keys(predicates).length === 0)
        writeIfPossible(() => cache?.storeRange('expense', rangeInCache(period), records, now))
      return records
    } catch (error) {
      if (!cache || !isInconclusive(error)) throw error
      this.#isFresh = false
      const known = cache.readRange('expense', rangeInCache(period))
      const isUnknown = known.at === undefined && known.records.length === 0
      if (isUnknown && !outbox.all().some(({ kind }) => kind === 'expense')) throw error
      warnStale(error, known, predicates)
      const { matchesPredicates } = await import('../../../api-client/filter/conditions.js')
      const zone = cache.timeZone()
      return known.records.filter((record) => matchesPredicates(record, predicates, zone))
    }
  }
}

async function withType(fields: WireFields, type: PlannedType | undefined): Promise<WireFields> {
  return type ? { ...fields, expense_type_id: await type.resolve() } : fields
}

/** Returns the range of a period in the cache: an expense is at midnight UTC of its day. */
function rangeInCache({ first, last }: Partial<Period>): TimeRange {
  return {
    ...(first === undefined ? {} : { start: new Date(first) }),
    ...(last === undefined ? {} : { end: new Date(Date.parse(last) + dayMs) }),
  }
}
