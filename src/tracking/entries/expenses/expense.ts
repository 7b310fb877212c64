import type { Expense, Id, NamedRecord } from '../../../api-client/types.js'
import { TtError } from '../../../lib/errors.js'
import type { WithPending } from '../../../outbox/pending.js'
import type { ExpenseJson } from '../../../records/shapes/entries.js'
import type { Named } from '../../catalog/catalog.js'
import { localIdOf } from '../entry.js'
import type { ExpenseNameLookup, ExpenseNames } from './expense-names.js'

/** An expense joined with the names of its type, project and client. */
export interface NamedExpense {
  id: Id
  type: Named | null
  project: Named | null
  client: Named | null
  /** Whether it has pending changes. */
  pending: boolean
  /** The number of its invoice; null if it is on none. */
  invoice: string | null
  /** Its currency; that of the company if the record has none, and null if that is unknown. */
  currency: string | null
  /** The name of the date field at the service; `wire` has the date under `spent_on`. */
  dateField: string
  wire: Expense
}

/** Returns the JSON of an expense: the record of the service with the date under `spent_on` too, then the names. */
export function expenseJson(expense: NamedExpense): ExpenseJson {
  return {
    ...expense.wire,
    [expense.dateField]: expense.wire.spent_on,
    currency: expense.currency,
    expense_type: expense.type?.name ?? null,
    project: expense.project?.name ?? null,
    client: expense.client?.name ?? null,
    pending: expense.pending,
    invoice: expense.invoice,
    ...(expense.pending ? { local_id: localIdOf(expense.id) } : {}),
  }
}

/**
 * Returns the expense of a record, with the names that are known.
 *
 * @param dateField the name of the date field at the service
 */
export function toExpense(
  { record, pending }: WithPending,
  names: ExpenseNames,
  dateField: string,
  invoice: string | null,
): NamedExpense {
  const wire = record as Expense
  const project = withId(names.projects, wire.project_id)
  return {
    id: wire.id,
    type: withId(names.types, wire.expense_type_id) ?? null,
    project: project ?? null,
    client: withId(names.clients, project?.client_id) ?? null,
    pending,
    invoice,
    currency: wire.currency || (names.currency ?? null),
    dateField,
    wire,
  }
}

function withId<Row extends NamedRecord>(records: Row[], id: Id | null | undefined): Row | undefined {
  return records.find((record) => String(record.id) === String(id))
}

interface ExpenseFilters {
  type?: string[]
  project?: string[]
  invoiced?: boolean
  uninvoiced?: boolean
}

/**
 * Returns a function that tests whether an expense has one of the types and projects, and none that is written `!name`.
 * Throws TtError `usage` for a name that matches none or several.
 */
export async function expenseFilter(
  { type, project, invoiced, uninvoiced }: ExpenseFilters,
  names: Pick<ExpenseNameLookup, 'findType' | 'findProject'>,
): Promise<(expense: NamedExpense) => boolean> {
  const matchesType = await namedFilter(type, 'type', (typed) => names.findType(typed))
  const matchesProject = await namedFilter(project, 'project', (typed) => names.findProject(typed))
  return ({ type, project, invoice }) =>
    matchesType(type) &&
    matchesProject(project) &&
    (!invoiced || invoice !== null) &&
    (!uninvoiced || invoice === null)
}

async function namedFilter(
  typed: readonly string[] = [],
  filter: string,
  find: (typed: string) => Promise<Named>,
): Promise<(record: Named | null) => boolean> {
  const [included, excluded] = [new Set<string>(), new Set<string>()]
  for (const text of typed) {
    const isExcluded = text.startsWith('!')
    const { id, name } = await find(isExcluded ? text.slice(1) : text.replace(/^\\!/, '!'))
    const [ids, oppositeIds] = isExcluded ? [excluded, included] : [included, excluded]
    ids.add(String(id))
    if (!oppositeIds.has(String(id))) continue
    throw new TtError('usage', `The ${filter} filter both includes and excludes ${name}.`, {
      hint: 'Remove one of the two values.',
    })
  }
  return (record) => {
    const id = record === null ? '' : String(record.id)
    return (included.size === 0 || included.has(id)) && !excluded.has(id)
  }
}
