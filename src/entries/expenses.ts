import type { Api } from '../api/api.js'
import { incompleteListError, isInconclusive } from '../api/errors.js'
import type { Predicates } from '../api/filter/query.js'
import type { Expense, ExpenseFields, ExpenseType, Id, NamedRecord, WireRecord } from '../api/types.js'
import type { Cache, CachedRange } from '../cache/cache.js'
import { writeIfPossible } from '../cache/client-state.js'
import type { TimeRange } from '../calendar/interval.js'
import type { Named } from '../catalog/catalog.js'
import { matchInsideWords, matchNames } from '../catalog/matching.js'
import type { Reference } from '../catalog/reference-data.js'
import { TtError } from '../lib/errors.js'
import { nearestNames, nearestNamesText } from '../lib/nearest-names.js'
import { dayMs } from '../lib/time-units.js'
import type { PlannedChange } from '../outbox/change-writer.js'
import type { Changes } from '../outbox/changes.js'
import { mergePending } from '../outbox/merge-pending.js'
import type { Outbox } from '../outbox/outbox.js'
import type { WithPending } from '../outbox/pending-overlay.js'
import type { QueuedChange } from '../outbox/queued-change.js'
import { localIdOf } from './entry.js'

/** An expense joined with the names of its type, project and client. */
export interface NamedExpense {
  id: Id
  type: Named | null
  project: Named | null
  client: Named | null
  /** Whether it has pending changes. */
  pending: boolean
  /** The name of the date field at the service; `wire` has the date under `spent_on`. */
  dateField: string
  wire: Expense
}

/** The first and last day, both inclusive, as YYYY-MM-DD. */
export interface ExpensePeriod {
  first?: string | undefined
  last?: string | undefined
}

/** Returns the JSON of an expense: the record of the service with the date under `spent_on` too, then the names. */
export function expenseJson(expense: NamedExpense): Record<string, unknown> {
  return {
    ...expense.wire,
    [expense.dateField]: expense.wire.spent_on,
    expense_type: expense.type?.name ?? null,
    project: expense.project?.name ?? null,
    client: expense.client?.name ?? null,
    pending: expense.pending,
    ...(expense.pending ? { local_id: localIdOf(expense.id) } : {}),
  }
}

export interface ExpensesParts {
  api: Api
  reference: Reference
  outbox: Outbox
  /** undefined in the local workspace, which is always available. */
  cache: Cache | undefined
  changes: Changes
  now: Date
  /** Warns that cached data is used, with the error of the service. */
  warnStale(error: unknown, known: Pick<CachedRange, 'at' | 'complete'>): void
}

/** Reads and changes expenses, with pending changes applied; saved and delivered like entries. */
export class Expenses {
  readonly #parts: ExpensesParts
  #names: Promise<Names> | undefined
  #fresh = true
  /** Why the last list is incomplete; undefined for a complete one. */
  #incomplete: string | undefined

  constructor(parts: ExpensesParts) {
    this.#parts = parts
  }

  /** Returns the expenses of the days that match the predicates, oldest first. */
  async list(days: ExpensePeriod, predicates: Predicates): Promise<NamedExpense[]> {
    await this.#parts.changes.deliverBacklog()
    const { first, last } = days
    const date = await this.#parts.api.expenseDateField()
    const standard = date.standardPredicates(predicates)
    const [found, names] = await Promise.all([this.#projected(days, standard), this.#knownNames()])
    return found
      .filter(({ record: { spent_on: day } }) => {
        const on = typeof day === 'string' ? day : ''
        return (first === undefined || on >= first) && (last === undefined || on <= last)
      })
      .sort((a, b) => (String(a.record.spent_on ?? '') < String(b.record.spent_on ?? '') ? -1 : 1))
      .map((projected) => joined(projected, names, date.name))
  }

  /**
   * Returns the fields with the date under `spent_on`, whatever its name at the service. While that name is unknown, uses
   * and remembers a field that is named like a date, or the only field whose value is a date. Throws TtError `usage` for
   * two dates.
   */
  async withStandardDate(fields: ExpenseFields): Promise<ExpenseFields> {
    const date = await this.#parts.api.expenseDateField()
    const { findDateField: dateAmong, standardName } = await import('../api/expenses/expense-date-field.js')
    if (!date.isKnown && dateAmong(fields) !== undefined) {
      // Records are more reliable than the guess, which is used while the service cannot be reached.
      await this.#parts.api.listExpenses().catch(() => undefined)
      const guess = dateAmong(fields)
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

  add(fields: ExpenseFields): Promise<NamedExpense> {
    return this.#change('Added an expense', { kind: 'expense', op: 'create', fields })
  }

  edit(expense: NamedExpense, fields: ExpenseFields): Promise<NamedExpense> {
    return this.#change('Changed an expense', { kind: 'expense', op: 'update', record: expense.wire, fields })
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
      this.#refuseIncomplete(id)
      throw new TtError('not_found', `There is no expense ${id}.`, {
        nextStep: { action: 'list', records: 'expenses' },
      })
    })
  }

  /**
   * Returns the record of an expense with pending changes; undefined if there is none. Throws InvalidResponseError if an
   * incomplete list does not contain it.
   */
  async record(id: string): Promise<WireRecord | undefined> {
    const found = (await this.#projected({}, {})).find(({ record }) => String(record.id) === id)
    if (!found) this.#refuseIncomplete(id)
    return found?.record
  }

  #refuseIncomplete(id: string) {
    if (this.#incomplete !== undefined) throw incompleteListError(id, this.#incomplete)
  }

  /** Whether everything read so far came from the service, not from the cache. */
  get isFresh(): boolean {
    return this.#fresh
  }

  /** Deletes the expenses in one change, which one undo reverts, and returns them. */
  async remove(expenses: readonly NamedExpense[]): Promise<NamedExpense[]> {
    const steps = expenses.map(({ wire }): PlannedChange => ({ kind: 'expense', op: 'delete', record: wire }))
    const title = expenses.length === 1 ? 'Deleted an expense' : `Deleted ${expenses.length} expenses`
    // The expenses may have changed while the prompt was open.
    const made = await this.#parts.changes.apply({ title, steps, fresh: false })
    const [names, { name }] = [await this.#namesAfterChange(), await this.#parts.api.expenseDateField()]
    return made.map((one) => joined(one, names, name))
  }

  /** Returns the active expense type that the typed text means. Throws TtError `usage` with the candidates. */
  async findType(typed: string): Promise<Named> {
    const find = ({ types }: Names) => {
      const active = types.filter((type) => type.active !== false)
      return findOne(typed, 'expense type', 'expense_types', active)
    }
    return find(await this.#namesFor(find))
  }

  /** Returns the project that the typed text means. Throws TtError `usage` with the candidates. */
  async findProject(typed: string): Promise<Named> {
    const find = ({ projects }: Names) => findOne(typed, 'project', 'projects', projects)
    return find(await this.#namesFor(find))
  }

  /** Returns the names, or none if they cannot be read: expenses without names are better than an error. */
  #knownNames(): Promise<Names> {
    return this.#readNames().catch((error: unknown) => {
      if (!isInconclusive(error)) throw error
      return { types: [], projects: [], clients: [] }
    })
  }

  /** Like that after a change: no error of reading names fails a change that is saved. */
  #namesAfterChange(): Promise<Names> {
    return this.#readNames().catch((error: unknown) => {
      if (!(error instanceof TtError)) throw error
      return { types: [], projects: [], clients: [] }
    })
  }

  #readNames(): Promise<Names> {
    this.#names ??= this.#askNames()
    return this.#names
  }

  async #askNames(maxAgeMs?: number): Promise<Names> {
    const { reference } = this.#parts
    const [types, { projects, clients }] = await Promise.all([
      reference.recent('expense_types', maxAgeMs),
      reference.recent('catalog', maxAgeMs),
    ])
    return { types, projects, clients }
  }

  /** Returns names that contain the search result; fetches them again if the cached names do not. */
  async #namesFor(find: (names: Names) => Named): Promise<Names> {
    const names = await this.#readNames()
    try {
      find(names)
      return names
    } catch {
      // It may be newer than the cache; otherwise the caller reports the error.
      this.#names = this.#askNames(0)
      return this.#names
    }
  }

  async #change(what: string, step: PlannedChange): Promise<NamedExpense> {
    const { amount, currency } = { ...step.record, ...step.fields }
    const money = [amount, currency].filter((part) => typeof part === 'string').join(' ')
    const plan = { title: money ? `${what} of ${money}` : what, steps: [step], fresh: this.#fresh }
    const [made] = await this.#parts.changes.apply(plan)
    if (!made) throw new Error('A change came to nothing.')
    const [names, { name }] = [await this.#namesAfterChange(), await this.#parts.api.expenseDateField()]
    return joined(made, names, name)
  }

  async #projected(days: ExpensePeriod, predicates: Predicates): Promise<WithPending[]> {
    const { api, outbox, cache } = this.#parts
    const date = await api.expenseDateField()
    const hasUncertainDate = ({ typedAt }: Pick<QueuedChange, 'typedAt'>) => date.wasUnknownAt(typedAt)
    const known = { outbox, cache, hasUncertainDate }
    return mergePending('expense', known, () => this.#records(days, predicates), predicates)
  }

  /** Returns the records of the service, or the cached ones while it cannot be reached. */
  async #records(days: ExpensePeriod, predicates: Predicates): Promise<WireRecord[]> {
    const { api, cache, outbox, now, warnStale } = this.#parts
    const { first } = days
    try {
      const query = { ...(first === undefined ? {} : { spent_on_gteq: first }), ...predicates }
      const records = await api.listExpenses(query)
      this.#incomplete = records.incomplete
      if (Object.keys(predicates).length === 0)
        writeIfPossible(() => cache?.storeRange('expense', boundsOf(days), records, now))
      return records
    } catch (error) {
      if (!cache || !isInconclusive(error)) throw error
      this.#fresh = false
      const known = cache.readRange('expense', boundsOf(days))
      const nothing = known.at === undefined && known.records.length === 0
      if (nothing && !outbox.all().some(({ kind }) => kind === 'expense')) throw error
      warnStale(error, known)
      const { matchesPredicates } = await import('../api/filter/predicates.js')
      return known.records.filter((record) => matchesPredicates(record, predicates))
    }
  }
}

/** Returns the range of the cache for those days: an expense is at midnight UTC of its day. */
function boundsOf({ first, last }: ExpensePeriod): TimeRange {
  return {
    ...(first === undefined ? {} : { from: new Date(first) }),
    ...(last === undefined ? {} : { to: new Date(Date.parse(last) + dayMs) }),
  }
}

interface Names {
  types: ExpenseType[]
  projects: (NamedRecord & { client_id?: Id | null })[]
  clients: NamedRecord[]
}

function joined({ record, pending }: WithPending, names: Names, dateField: string): NamedExpense {
  const wire = record as Expense
  const project = withId(names.projects, wire.project_id)
  return {
    id: wire.id,
    type: withId(names.types, wire.expense_type_id) ?? null,
    project: project ?? null,
    client: withId(names.clients, project?.client_id) ?? null,
    pending,
    dateField,
    wire,
  }
}

function withId<Row extends NamedRecord>(records: Row[], id: Id | null | undefined): Row | undefined {
  return records.find((record) => String(record.id) === String(id))
}

/** Returns the only record that the typed text means. Throws TtError `usage` with the candidates. */
function findOne(
  typed: string,
  noun: string,
  listName: 'expense_types' | 'projects',
  records: readonly NamedRecord[],
): Named {
  const nextStep = { action: 'list', records: listName } as const
  const byId = records.find((record) => String(record.id) === typed.trim())
  const pathOf = (record: NamedRecord) => [record.name]
  const found = byId ? [byId] : matchNames(typed, records, pathOf)
  const [only] = found
  if (only && found.length === 1) return only
  const isInside = found.length === 0
  const matching = (isInside ? matchInsideWords(typed, records, pathOf) : found).map(({ name }) => name)
  if (matching.length > 0) {
    const how = isInside ? 'matches only inside a word' : 'matches several'
    const text = `"${typed}" ${how}: ${matching.join(', ')}.`
    throw new TtError('usage', text, { nextStep, candidates: matching })
  }
  const known = records.map(({ name }) => name)
  const text = `"${typed}" matches no ${noun}.${nearestNamesText(typed, known)}`
  throw new TtError('usage', text, { nextStep, candidates: nearestNames(typed, known) })
}
