import type { Api } from '../api/endpoints.js'
import type { Predicates } from '../api/query.js'
import type { Expense, ExpenseFields, ExpenseType, Id, NamedRecord } from '../api/types.js'
import { TtError } from '../errors.js'
import type { Named } from './catalog.js'
import { match, nearest } from './matching.js'

/** An expense joined with the names of its type, project and client. */
export interface NamedExpense {
  id: Id
  type: Named | null
  project: Named | null
  client: Named | null
  wire: Expense
}

/** Days, both inclusive: YYYY-MM-DD. */
export interface SpentBetween {
  first?: string | undefined
  last?: string | undefined
}

/** The JSON of an expense: what the service sent, then the names. */
export function expenseJson(expense: NamedExpense): Record<string, unknown> {
  return {
    ...expense.wire,
    expense_type: expense.type?.name ?? null,
    project: expense.project?.name ?? null,
    client: expense.client?.name ?? null,
    pending: false,
  }
}

/** Expenses as the user sees and changes them. */
export class Expenses {
  readonly #api: Api
  #names: Promise<Names> | undefined

  constructor(api: Api) {
    this.#api = api
  }

  /** The expenses of the days that meet the predicates, oldest first. */
  async list(days: SpentBetween, predicates: Predicates): Promise<NamedExpense[]> {
    const { first, last } = days
    const asked = { ...(first === undefined ? {} : { spent_on_gteq: first }), ...predicates }
    const [wires, names] = await Promise.all([this.#api.listExpenses(asked), this.#readNames()])
    return wires
      .filter(
        ({ spent_on: day }) =>
          (first === undefined || (day ?? '') >= first) && (last === undefined || (day ?? '') <= last),
      )
      .sort((a, b) => ((a.spent_on ?? '') < (b.spent_on ?? '') ? -1 : 1))
      .map((wire) => joined(wire, names))
  }

  async add(fields: ExpenseFields): Promise<NamedExpense> {
    return joined(await this.#api.createExpense(fields), await this.#readNames())
  }

  async edit(id: Id, fields: ExpenseFields): Promise<NamedExpense> {
    return joined(await this.#api.updateExpense(id, fields), await this.#readNames())
  }

  /** The expenses with these ids. Throws TtError `not_found` that names the first id that is none. */
  async withIds(ids: readonly string[]): Promise<NamedExpense[]> {
    const byId = new Map((await this.list({}, {})).map((expense) => [String(expense.id), expense]))
    return [...new Set(ids)].map((id) => {
      const expense = byId.get(id)
      if (expense) return expense
      throw new TtError('not_found', `There is no expense ${id}.`, { hint: '`tt expenses` shows the ids.' })
    })
  }

  async remove(expense: NamedExpense): Promise<void> {
    await this.#api.deleteExpense(expense.id)
  }

  /** The active expense type that the typed word means. Throws TtError `usage` with the candidates. */
  async findType(typed: string): Promise<Named> {
    const { types } = await this.#readNames()
    return theOne(
      typed,
      'expense type',
      '`tt expenses types` lists them.',
      types.filter((type) => type.active !== false),
    )
  }

  /** The project that the typed word means. Throws TtError `usage` with the candidates. */
  async findProject(typed: string): Promise<Named> {
    const { projects } = await this.#readNames()
    return theOne(typed, 'project', '`tt projects` lists them.', projects)
  }

  #readNames(): Promise<Names> {
    this.#names ??= readNames(this.#api)
    return this.#names
  }
}

interface Names {
  types: ExpenseType[]
  projects: (NamedRecord & { client_id?: Id | null })[]
  clients: NamedRecord[]
}

async function readNames(api: Api): Promise<Names> {
  const [types, projects, clients] = await Promise.all([
    api.listExpenseTypes(),
    api.listProjects(),
    api.listClients(),
  ])
  return { types, projects, clients }
}

function joined(wire: Expense, names: Names): NamedExpense {
  const project = withId(names.projects, wire.project_id)
  return {
    id: wire.id,
    type: withId(names.types, wire.expense_type_id) ?? null,
    project: project ?? null,
    client: withId(names.clients, project?.client_id) ?? null,
    wire,
  }
}

function withId<Row extends NamedRecord>(records: Row[], id: Id | null | undefined): Row | undefined {
  return records.find((record) => String(record.id) === String(id))
}

function theOne(typed: string, what: string, hint: string, records: readonly NamedRecord[]): Named {
  const byId = records.find((record) => String(record.id) === typed.trim())
  const found = byId ? [byId] : match(typed, records, (record) => [record.name])
  const [only] = found
  if (only && found.length === 1) return only
  const names = found.map(({ name }) => name)
  if (names.length > 1) throw new TtError('usage', `"${typed}" may be ${names.join(', ')}.`, { hint })
  const close = nearest(
    typed,
    records.map(({ name }) => name),
  )
  const told = close.length > 0 ? ` Nearest: ${close.join(', ')}.` : ''
  throw new TtError('usage', `"${typed}" matches no ${what}.${told}`, { hint })
}
