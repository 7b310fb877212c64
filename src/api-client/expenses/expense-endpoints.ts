import { TtError } from '../../lib/errors.js'
import { dayMs } from '../../lib/time-units.js'
import type { Api } from '../api.js'
import { InvalidResponseError, incompleteListError } from '../api-errors.js'
import type { KnownCapabilities } from '../capabilities.js'
import { afterChange, deleteRecord, readCreated, recordPath, sendChange } from '../changed-records.js'
import { readExpense } from '../decode/records.js'
import { findObject, readId, toRecord } from '../decode/shapes.js'
import type { Predicates } from '../filter/query.js'
import type { Http } from '../http/http.js'
import { withKeyForDateField } from '../http/request.js'
import type { RecordList } from '../paging/record-list.js'
import type { Expense, Id, WireRecord } from '../types.js'
import type { ExpenseDateField } from './expense-date-field.js'

type ExpenseEndpoints = Pick<
  Api,
  'listExpenses' | 'getExpense' | 'createExpense' | 'updateExpense' | 'deleteExpense' | 'expenseDateField'
>

/**
 * Creates the functions of the expense endpoints, which translate between the service's name of the date field and
 * `spent_on`.
 *
 * @param list requests the list of expenses, read with `readExpenseWithoutDate`
 */
export function createExpenseEndpoints(
  http: Http,
  list: (q?: Predicates) => Promise<RecordList<WireRecord>>,
  capabilities: KnownCapabilities | undefined,
): ExpenseEndpoints {
  let dateField: Promise<ExpenseDateField> | undefined

  const endpoints: ExpenseEndpoints = {
    expenseDateField() {
      dateField ??= import('./expense-date-field.js').then(
        ({ ExpenseDateField }) => new ExpenseDateField(capabilities),
      )
      return dateField
    },

    async listExpenses(q) {
      const date = await endpoints.expenseDateField()
      return date.list(q, list)
    },

    async getExpense(id, on) {
      const nearDate = on === undefined ? undefined : predicatesNear(on)
      const found = nearDate && findById(await endpoints.listExpenses(nearDate), id)
      if (found) return found
      const expenses = await endpoints.listExpenses()
      const expense = findById(expenses, id)
      if (expense) return expense
      if (expenses.incomplete !== undefined) throw incompleteListError(id, expenses.incomplete)
      throw new TtError('not_found', `There is no expense ${id}.`, {
        nextStep: { action: 'list', records: 'expenses' },
      })
    },

    async createExpense(fields, options) {
      const date = await endpoints.expenseDateField()
      let sentName = date.name
      const response = await date.send(fields, (expense, name) => {
        sentName = name
        return http.request('POST', '/expenses', { body: { expense }, ...withKeyForDateField(name, options) })
      })
      const created = await readCreated(response, 'expense', (record) =>
        hasOnlyId(record)
          ? endpoints.getExpense(readId(record.id, 'expense'), textOrUndefined(fields.spent_on))
          : readOne(date, record),
      )
      const isDateIgnored =
        date.name !== sentName && !(date.name in fields) && typeof fields.spent_on === 'string'
      if (!isDateIgnored || created.spent_on === fields.spent_on) return created
      // The response shows the service's name of the date field, and that it ignored the name that was sent. When this
      // update fails, the expense has another date, which the caller sees.
      const { record } = await endpoints
        .updateExpense(created.id, { spent_on: fields.spent_on })
        .catch(() => ({ record: created }))
      return record
    },

    async updateExpense(id, fields, options) {
      const date = await endpoints.expenseDateField()
      const { value, status } = await date.send(fields, (expense) =>
        sendChange(http, recordPath('/expenses', id), { expense }, options),
      )
      const record = findObject(value)
      if (record?.id !== undefined && !hasOnlyId(record))
        return { record: await readOne(date, record), isRead: false }
      const expenses = await afterChange(endpoints.listExpenses())
      const expense = findById(expenses, id)
      if (expense) return { record: expense, isRead: true }
      if (expenses.incomplete !== undefined) throw incompleteListError(id, expenses.incomplete)
      const message = `The service accepted the change of expense ${id}, but does not list the expense.`
      throw new InvalidResponseError(message, { status })
    },

    deleteExpense: async (id, options) => deleteRecord(http, recordPath('/expenses', id), options),
  }
  return endpoints
}

/** Reads an expense whose date field may have another name; sets `spent_on` only if the service sent it. */
export function readExpenseWithoutDate(value: unknown): WireRecord {
  const record = toRecord(value, 'expense')
  const hasDate = Object.hasOwn(record, 'spent_on')
  const expense: WireRecord = readExpense(record)
  if (!hasDate) delete expense.spent_on
  return expense
}

function readOne(date: ExpenseDateField, record: Record<string, unknown>): Expense {
  const [expense] = date.read([record])
  if (expense) return expense
  throw new Error('Reading one expense returned none.')
}

function findById(expenses: readonly Expense[], id: Id): Expense | undefined {
  return expenses.find((expense) => String(expense.id) === String(id))
}

/** Returns predicates for the expenses of a date, of the day before and of the day after; undefined for an invalid date. */
function predicatesNear(date: string): Predicates | undefined {
  const midnight = Date.parse(`${date}T00:00:00Z`)
  if (Number.isNaN(midnight)) return undefined
  const dateAfter = (days: number) => new Date(midnight + days * dayMs).toISOString().slice(0, 10)
  return { spent_on_gteq: dateAfter(-1), spent_on_lt: dateAfter(2) }
}

function hasOnlyId({ id: _, ...others }: Record<string, unknown>): boolean {
  return Object.keys(others).length === 0
}

function textOrUndefined(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
