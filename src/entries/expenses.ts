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
  /** Something of it is not delivered yet. */
  pending: boolean
  /** The service's own name for the date, which is `spent_on` in `wire`. */
  dateField: string
  wire: Expense
}

/** Days, both inclusive: YYYY-MM-DD. */
export interface ExpensePeriod {
  first?: string | undefined
  last?: string | undefined
}

/** The JSON of an expense: what the service sent, with the date under `spent_on` as well, then the names. */
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
  /** Undefined in the local workspace, which always answers. */
  cache: Cache | undefined
  changes: Changes
  now: Date
  /** Told when the cache had to answer, and why. */
  warnStale(error: unknown, known: Pick<CachedRange, 'at' | 'complete'>): void
}

/** Expenses as the user sees and changes them: kept, delivered and read like entries. */
export class Expenses {
  readonly #parts: ExpensesParts
  #names: Promise<Names> | undefined
  #fresh = true
  /** Why the list that was read last is incomplete; undefined for a complete one. */
  #incomplete: string | undefined

  constructor(parts: ExpensesParts) {
    this.#parts = parts
  }

  /** The expenses of the days that meet the predicates, oldest first. */
  async list(days: ExpensePeriod, predicates: Predicates): Promise<NamedExpense[]> {
    await this.#parts.changes.deliverBacklog()
    const { first, last } = days
    const date = await this.#parts.api.expenseDateField()
    const asked = date.standardPredicates(predicates)
    const [found, names] = await Promise.all([this.#projected(days, asked), this.#knownNames()])
    return found
      .filter(({ record: { spent_on: day } }) => {
        const on = typeof day === 'string' ? day : ''
        return (first === undefined || on >= first) && (last === undefined || on <= last)
      })
      .sort((a, b) => (String(a.record.spent_on ?? '') < String(b.record.spent_on ?? '') ? -1 : 1))
      .map((projected) => joined(projected, names, date.name))
  }

  /**
   * Returns the fields of `--field` and others with the date under `spent_on`, whatever the service calls it. As long as
   * its name is unknown, a field with the name of a date, or the only one whose value is a date, is taken for it and
   * remembered. Throws TtError `usage` when the date is given twice.
   */
  async withStandardDate(fields: ExpenseFields): Promise<ExpenseFields> {
    const date = await this.#parts.api.expenseDateField()
    const { findDateField: dateAmong, standardName } = await import('../api/expense-date-field.js')
    if (!date.isKnown && dateAmong(fields) !== undefined) {
      // Records tell more surely than a guess; without the service the guess has to do.
      await this.#parts.api.listExpenses().catch(() => undefined)
      const guess = dateAmong(fields)
      if (!date.isKnown && guess !== undefined) {
        date.remember(guess)
        // Under its own name as well: a rejected create with the same date is sent again.
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
   * The expenses with these ids. Throws TtError `not_found` that names the first id that is none, and NonsenseError where
   * an incomplete list does not have it.
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
   * The record of an expense as it is now, what waits for delivery included; undefined where there is none. Throws
   * NonsenseError where an incomplete list does not have it.
   */
  async record(id: string): Promise<WireRecord | undefined> {
    const found = (await this.#projected({}, {})).find(({ record }) => String(record.id) === id)
    if (!found) this.#refuseIncomplete(id)
    return found?.record
  }

  #refuseIncomplete(id: string) {
    if (this.#incomplete !== undefined) throw incompleteListError(id, this.#incomplete)
  }

  /** Everything that was read so far came from the service itself. */
  get isFresh(): boolean {
    return this.#fresh
  }

  /** Deletes the expenses, and answers them: one change, which one undo takes back. */
  async remove(expenses: readonly NamedExpense[]): Promise<NamedExpense[]> {
    const steps = expenses.map(({ wire }): PlannedChange => ({ kind: 'expense', op: 'delete', record: wire }))
    const title = expenses.length === 1 ? 'Deleted an expense' : `Deleted ${expenses.length} expenses`
    // Somebody may have thought about it for a while: whether it is still what was shown is seen first.
    const made = await this.#parts.changes.apply({ title, steps, fresh: false })
    const [names, { name }] = [await this.#namesAfterChange(), await this.#parts.api.expenseDateField()]
    return made.map((one) => joined(one, names, name))
  }

  /** The active expense type that the typed word means. Throws TtError `usage` with the candidates. */
  async findType(typed: string): Promise<Named> {
    const find = ({ types }: Names) => {
      const active = types.filter((type) => type.active !== false)
      return findOne(typed, 'expense type', 'expense_types', active)
    }
    return find(await this.#namesFor(find))
  }

  /** The project that the typed word means. Throws TtError `usage` with the candidates. */
  async findProject(typed: string): Promise<Named> {
    const find = ({ projects }: Names) => findOne(typed, 'project', 'projects', projects)
    return find(await this.#namesFor(find))
  }

  /** The names as far as they are known: an expense without them is better than none. */
  #knownNames(): Promise<Names> {
    return this.#readNames().catch((error: unknown) => {
      if (!isInconclusive(error)) throw error
      return { types: [], projects: [], clients: [] }
    })
  }

  /** The same after a change: names that cannot be read do not fail a change that is saved. */
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

  /** The names that hold what is looked for, asked for again where those that are kept do not. */
  async #namesFor(find: (names: Names) => Named): Promise<Names> {
    const names = await this.#readNames()
    try {
      find(names)
      return names
    } catch {
      // It may be newer than what is kept; whoever asked says what is wrong when it is not.
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

  /** What the service has, or what is known of it. */
  async #records(days: ExpensePeriod, predicates: Predicates): Promise<WireRecord[]> {
    const { api, cache, outbox, now, warnStale } = this.#parts
    const { first } = days
    try {
      const asked = { ...(first === undefined ? {} : { spent_on_gteq: first }), ...predicates }
      const records = await api.listExpenses(asked)
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

/** Where the cache has the expenses of those days: at midnight UTC of each. */
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
