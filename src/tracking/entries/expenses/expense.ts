import type { Expense, Id, NamedRecord } from '../../../api-client/types.js'
import type { WithPending } from '../../../outbox/pending/pending-overlay.js'
import type { ExpenseJson } from '../../../records/shapes/entries.js'
import type { Named } from '../../catalog/catalog.js'
import { localIdOf } from '../entry.js'
import type { ExpenseNames } from './expense-names.js'

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
